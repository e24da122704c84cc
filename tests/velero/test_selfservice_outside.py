"""With the original as the engine, too, a backup for people holds nothing of others.

Skipped without the original: `python tools/velero/build.py` builds it.
"""

import io
import tarfile

import obstore
import pytest

from kedge.kube.kind import Object
from tests.velero.beside import ADMINS, SHOP, Beside

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

EVERY_SPACE: Object = {
    "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "Exists"}]
}


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("one-style", {"labelSelector": EVERY_SPACE}),
        ("other-style", {"labelSelector": EVERY_SPACE, "includedNamespaceScopedResources": ["*"]}),
        ("either", {"orLabelSelectors": [EVERY_SPACE, {"matchLabels": {"app": "shop"}}]}),
    ],
)
async def test_namespaces_whose_labels_are_selected_are_not_saved(
    place: Beside, name: str, spec: Object
) -> None:
    made = await place.saved(name, **spec)
    store = place.stage.s3.store(ADMINS)
    data = obstore.get(store, f"backups/{made}/{made}.tar.gz").bytes()
    with tarfile.open(fileobj=io.BytesIO(bytes(data))) as tar:
        names = [one for one in tar.getnames() if one.startswith("resources/namespaces/")]
    assert [one for one in names if not one.endswith(f"/{SHOP}.json")] == []
