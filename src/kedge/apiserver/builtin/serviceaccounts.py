"""Service accounts."""

from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Context, Object

ENFORCE = "kubernetes.io/enforce-mountable-secrets"


class ServiceAccountStrategy(Plain):
    """Hooks of v1 ServiceAccount."""

    repeats_metadata = True

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Keep nothing of the secrets but their names."""
        secrets = obj.get("secrets")
        if secrets:
            obj["secrets"] = [_named(secret) for secret in secrets]

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep nothing of the secrets but their names."""
        self.prepare_create(new, context)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of an annotation that is on its way out, when it is new."""
        if old is not None and _enforces(old):
            return []
        if not _enforces(obj):
            return []
        return [
            f"metadata.annotations[{ENFORCE}]: deprecated in v1.32+; prefer separate namespaces "
            "to isolate access to mounted secrets"
        ]


def _named(secret: Object) -> Object:
    return {"name": secret["name"]} if secret.get("name") else {}


def _enforces(obj: Object) -> bool:
    return ENFORCE in (obj["metadata"].get("annotations") or {})
