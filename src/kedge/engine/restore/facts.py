"""What a restore must know of the cluster beside the objects that it brings back."""

from dataclasses import replace
from typing import Final

from kedge.api.velero.labels import CHANGE_IMAGE_NAME, CHANGE_STORAGE_CLASS, PLUGIN_CONFIG
from kedge.api.velero.restore import RestoreSpec
from kedge.client.client import Client
from kedge.client.requests import Selection
from kedge.engine.restore.actions.change import POD_SPECS, image_rules, storage_classes
from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.actions.skip import is_token
from kedge.engine.restore.fields import labels, table, text
from kedge.engine.restore.identity import ItemError
from kedge.engine.restore.schemas import Schemas
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object, plain

CONFIG_MAPS: Final = plain("v1", "ConfigMap", "configmaps")
ACCOUNTS: Final = plain("v1", "ServiceAccount", "serviceaccounts").partial
CLASSES: Final = plain(
    "storage.k8s.io/v1", "StorageClass", "storageclasses", namespaced=False
).partial
PLUGIN_KIND: Final = "RestoreItemAction"


class Plugins:
    """The ConfigMaps by which images and storage classes are changed."""

    def __init__(self, found: list[Object]) -> None:
        """Keep those of them that are for a restore."""
        self._by_label = {
            label: [each for each in found if labels(each).get(label) == PLUGIN_KIND]
            for label in (CHANGE_IMAGE_NAME, CHANGE_STORAGE_CLASS)
        }

    def data(self, label: str) -> dict[str, str]:
        """Give what the one with this label says; raises ItemError where there are several."""
        found = self._by_label[label]
        if len(found) > 1:
            names = " ".join(text(each, "metadata", "name") for each in found)
            selector = f'"{PLUGIN_CONFIG},{label}={PLUGIN_KIND}"'
            raise ItemError(
                f"found more than one ConfigMap matching label selector {selector}: [{names}]"
            )
        return dict(table(found[0], "data")) if found else {}


class Facts:
    """Finds out what is needed, when it is, and once."""

    def __init__(self, client: Client, plain: Situation, plugins: Plugins) -> None:
        """Ask a cluster, for one restore; `plain` is what holds for all objects."""
        self.schemas = Schemas(client)
        self.classes: set[str] = set()
        """Storage classes that are known to be there, or that a preview would bring."""
        self._client = client
        self._plugins = plugins
        self._plain = plain
        self._accounts: dict[str, frozenset[str]] = {}

    @property
    def spec(self) -> RestoreSpec:
        """What is asked for."""
        return self._plain.spec

    @classmethod
    async def of(cls, client: Client, plain: Situation, namespace: str) -> "Facts":
        """Begin with what the ConfigMaps of a namespace say."""
        selection = Selection(namespace, labels=PLUGIN_CONFIG)
        found = [each async for each in client.list(CONFIG_MAPS, selection)]
        return cls(client, plain, Plugins(found))

    async def situation(
        self, resource: str, obj: Object, namespace: str, coming: frozenset[str]
    ) -> Situation:
        """Tell what must be known to bring an object back into a namespace; raises ItemError.

        `coming` are the service accounts that the backup has for it.
        """
        if resource == "secrets" and is_token(obj):
            accounts = await self._accounts_in(namespace)
            return replace(self._plain, accounts=accounts | coming)
        images: tuple[tuple[str, str], ...] = ()
        classes: dict[str, str] = {}
        if resource in POD_SPECS:
            images = image_rules(self._plugins.data(CHANGE_IMAGE_NAME))
        named = {text(each, "storageClassName") for each in storage_classes(resource, obj)}
        if named:
            classes = self._plugins.data(CHANGE_STORAGE_CLASS)
            for name in sorted(named & set(classes)):
                await self._insist_on_class(classes[name])
        if not images and not classes:
            return self._plain
        return replace(self._plain, images=images, classes=classes)

    async def _accounts_in(self, namespace: str) -> frozenset[str]:
        if namespace not in self._accounts:
            found = self._client.list(ACCOUNTS, Selection(namespace))
            self._accounts[namespace] = frozenset([each.metadata.name async for each in found])
        return self._accounts[namespace]

    async def _insist_on_class(self, name: str) -> None:
        if name in self.classes:
            return
        try:
            await self._client.get(CLASSES, name)
        except NotFound as exc:
            raise ItemError(f"error getting storage class {name} from API: {exc}") from None
        self.classes.add(name)
