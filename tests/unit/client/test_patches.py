import msgspec
import pytest

from kedge.client import patches
from kedge.kube.meta import ObjectMeta, Partial


@pytest.mark.parametrize(
    ("patch", "media", "body"),
    [
        (patches.merge({"a": None}), "application/merge-patch+json", {"a": None}),
        (patches.strategic({}), "application/strategic-merge-patch+json", {}),
        (patches.json([]), "application/json-patch+json", []),
        (patches.apply({"kind": "X"}), "application/apply-patch+yaml", {"kind": "X"}),
    ],
)
def test_each_way_has_its_name(patch: patches.Patch, media: str, body: object) -> None:
    assert patch.media == media
    assert msgspec.json.decode(patch.body) == body


def test_apply_leaves_out_what_a_type_has_by_default() -> None:
    wanted = Partial("v1", "Pod", ObjectMeta(name="a"))
    assert msgspec.json.decode(patches.apply(wanted).body) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
    }


def test_only_apply_takes_by_force() -> None:
    assert patches.apply({}).force is False
    assert patches.apply({}, force=True).force is True
    assert patches.merge({}).force is None
