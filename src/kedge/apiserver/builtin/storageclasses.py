"""Storage classes and classes of volume attributes."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.builtin.pods.warnings import OLD_NODE_LABELS
from kedge.apiserver.builtin.protection import protect
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import typed
from kedge.kube.names import size

RECLAIM = ("Delete", "Retain")
BINDING = ("Immediate", "WaitForFirstConsumer")
LARGEST = 256 * 1024
MOST = 512
FINALIZER = "kubernetes.io/vac-protection"


class StorageClassStrategy(Plain):
    """Hooks of storage.k8s.io/v1 StorageClass."""

    namespaced = False

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        obj.setdefault("reclaimPolicy", "Delete")
        obj.setdefault("volumeBindingMode", "Immediate")

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the class, and that little of it has changed."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        forbid_change(errors, new, old, ("parameters", "provisioner", "reclaimPolicy"))
        mode = new.get("volumeBindingMode")
        if mode != old.get("volumeBindingMode"):
            errors.invalid("volumeBindingMode", typed(mode or ""), fields.IMMUTABLE)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check all fields."""
        check_provisioner(errors, "provisioner", obj.get("provisioner", ""))
        check_parameters(errors, obj.get("parameters") or {}, True)
        policy = obj.get("reclaimPolicy")
        if policy:
            fields.optional_enum(errors, "reclaimPolicy", policy, RECLAIM)
        mode = obj.get("volumeBindingMode")
        fields.optional_enum(errors, "volumeBindingMode", mode, BINDING)
        _check_topologies(errors, obj.get("allowedTopologies") or ())

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of labels that have got new names."""
        return [
            f"allowedTopologies[{index}].matchLabelExpressions[{at}].key: "
            f"{OLD_NODE_LABELS[rule['key']]}"
            for index, term in enumerate(obj.get("allowedTopologies") or ())
            for at, rule in enumerate(term.get("matchLabelExpressions") or ())
            if rule.get("key") in OLD_NODE_LABELS
        ]


class VolumeAttributesClassStrategy(Plain):
    """Hooks of storage.k8s.io/v1 VolumeAttributesClass."""

    namespaced = False

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Protect against deletion while in use."""
        protect(obj, FINALIZER)

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the class twice, as the real server does, and that it is the same."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        forbid_change(errors, new, old, ("driverName", "parameters"))
        self.check_metadata(errors, new)
        self.check(errors, new, old)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check all fields."""
        check_provisioner(errors, "driverName", obj.get("driverName", ""))
        check_parameters(errors, obj.get("parameters") or {}, False)


def forbid_change(errors: Errors, new: Object, old: Object, names: tuple[str, ...]) -> None:
    """Check that fields stay as they are."""
    for name in names:
        if (new.get(name) or None) != (old.get(name) or None):
            errors.forbidden(name, f"updates to {name} are forbidden.")


def check_provisioner(errors: Errors, path: str, name: str) -> None:
    """Check the name of what makes volumes."""
    if name:
        fields.qualified_name(errors, path, name.lower())
    else:
        errors.required(path)


def check_parameters(errors: Errors, parameters: dict[str, str], may_be_empty: bool) -> None:
    """Check the number and the size of parameters."""
    if len(parameters) > MOST:
        errors.too_long("parameters", MOST)
        return
    if "" in parameters:
        errors.invalid("parameters", "", "field can not be empty.")
    if sum(size(key) + size(value) for key, value in parameters.items()) > LARGEST:
        errors.too_long("parameters", LARGEST)
    if not parameters and not may_be_empty:
        errors.required("parameters", "must contain at least one key/value pair")


def _check_topologies(errors: Errors, terms: list[Object] | tuple[()]) -> None:
    seen: list[dict[str, set[str]]] = []
    for index, term in enumerate(terms):
        path = f"allowedTopologies[{index}].matchLabelExpressions"
        rules: dict[str, set[str]] = {}
        for at, rule in enumerate(term.get("matchLabelExpressions") or ()):
            where, key, values = f"{path}[{at}]", rule.get("key", ""), rule.get("values") or []
            if not values:
                errors.required(f"{where}.values")
            for place, value in enumerate(values):
                if value in values[:place]:
                    errors.duplicate(f"{where}.values[{place}]", value)
            fields.qualified_name(errors, f"{where}.key", key)
            if key in rules:
                errors.duplicate(f"{where}.key", key)
            rules[key] = set(values)
        for _ in range(seen.count(rules) + (0 if rules else len(terms))):
            # Go compares with the empty places of a list that it made too long.
            errors.duplicate(path, "")
        seen.append(rules)
