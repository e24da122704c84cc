"""What CSI drivers tell of themselves: drivers, nodes, and how much room there is."""

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_selector
from kedge.apiserver.builtin.labels import check_selector, is_valid_selector
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.builtin.pods.disks import check_csi_driver
from kedge.apiserver.builtin.pods.warnings import OLD_NODE_LABELS
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import Shown, typed
from kedge.kube.gotext import Struct, to_json
from kedge.kube.names import size

GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
LIFECYCLES = ("Persistent", "Ephemeral")
SHORTEST_TOKEN = 600
LONGEST_TOKEN = 1 << 32
LONGEST_NODE = 256
NOT_YET = "nodeAllocatableUpdatePeriodSeconds"
"""Of a feature that is off."""


class CSIDriverStrategy(Plain):
    """Hooks of storage.k8s.io/v1 CSIDriver."""

    namespaced = False

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("attachRequired", True)
        for name in ("podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"):
            spec.setdefault(name, False)
        spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
        if not spec.get("volumeLifecycleModes"):
            spec["volumeLifecycleModes"] = ["Persistent"]

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Drop what belongs to a feature that is off."""
        obj["spec"].pop(NOT_YET, None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Drop what belongs to a feature that is off, and count changes of the spec."""
        if NOT_YET not in old["spec"]:
            new["spec"].pop(NOT_YET, None)
        if not same(new["spec"], old["spec"]):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the driver, and what may not change."""
        errors += self.changed_metadata(new, old)
        self.check(errors, new, old)
        spec, before = new["spec"], old["spec"]
        path = "spec.attachedRequired"
        attach, modes = spec.get("attachRequired"), spec.get("volumeLifecycleModes")
        fields.immutable(errors, path, attach, before.get("attachRequired"))
        path = "spec.volumeLifecycleModes"
        fields.immutable(errors, path, modes, before.get("volumeLifecycleModes"))

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec."""
        spec = obj["spec"]
        policy = spec.get("fsGroupPolicy")
        fields.optional_enum(errors, "spec.fsGroupPolicy", policy, GROUP_POLICIES)
        _check_tokens(errors, spec.get("tokenRequests") or ())
        for mode in spec.get("volumeLifecycleModes") or ():
            if mode not in LIFECYCLES:
                errors.unsupported("spec.volumeLifecycleModes", typed(mode), LIFECYCLES)


def _check_tokens(errors: Errors, tokens: list[Object] | tuple[()]) -> None:
    seen = set()
    for index, token in enumerate(tokens):
        path, audience = f"spec.tokenRequests[{index}]", token.get("audience", "")
        if audience in seen:
            errors.duplicate(f"{path}.audience", audience)
            continue
        seen.add(audience)
        seconds = token.get("expirationSeconds")
        if seconds is None:
            continue
        if seconds < SHORTEST_TOKEN:
            what = "may not specify a duration less than 10 minutes"
            errors.invalid(f"{path}.expirationSeconds", seconds, what)
        if seconds > LONGEST_TOKEN:
            what = "may not specify a duration larger than 2^32 seconds"
            errors.invalid(f"{path}.expirationSeconds", seconds, what)


class CSINodeStrategy(Plain):
    """Hooks of storage.k8s.io/v1 CSINode."""

    namespaced = False

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the node twice, as the real server does, and that no driver has changed."""
        for _ in range(2):
            self.check_metadata(errors, new)
            self.check(errors, new, old)
        known = {driver.get("name"): driver for driver in old["spec"].get("drivers") or ()}
        for driver in new["spec"].get("drivers") or ():
            was = known.get(driver.get("name"))
            if was is not None and not same(driver, was):
                errors.invalid("spec.drivers", _shown_driver(driver), fields.IMMUTABLE)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the drivers."""
        seen: set[str] = set()
        for index, driver in enumerate(obj["spec"].get("drivers") or ()):
            _check_driver(errors, f"spec.drivers[{index}]", driver, seen)


def _check_driver(errors: Errors, path: str, driver: Object, seen: set[str]) -> None:
    name, node = driver.get("name", ""), driver.get("nodeID", "")
    check_csi_driver(errors, f"{path}.name", name)
    if not node:
        errors.required(f"{path}.nodeID")
    if size(node) > LONGEST_NODE:
        errors.invalid(f"{path}.nodeID", node, f"must be {LONGEST_NODE} characters or less")
    count = (driver.get("allocatable") or {}).get("count")
    fields.non_negative(errors, f"{path}.allocatable.count", count)
    if name in seen:
        errors.duplicate(f"{path}.name", name)
    seen.add(name)
    keys = driver.get("topologyKeys") or []
    for index, key in enumerate(keys):
        if not key:
            errors.required(path)
        if key in keys[:index]:
            errors.duplicate(path, key)
        fields.qualified_name(errors, path, key)


def _shown_driver(driver: Object) -> Shown:
    allocatable = driver.get("allocatable")
    shown = Struct(
        Name=driver.get("name", ""),
        NodeID=driver.get("nodeID", ""),
        TopologyKeys=driver.get("topologyKeys"),
        Allocatable=None if allocatable is None else Struct(Count=allocatable.get("count")),
    )
    return Shown(to_json(shown))


class CSIStorageCapacityStrategy(Plain):
    """Hooks of storage.k8s.io/v1 CSIStorageCapacity."""

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the capacity, and that it is of the same place."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        topology, name = new.get("nodeTopology"), new.get("storageClassName", "")
        shown = shown_selector(topology)
        fields.immutable(errors, "nodeTopology", topology, old.get("nodeTopology"), shown)
        fields.immutable(errors, "storageClassName", name, old.get("storageClassName", ""))

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check all fields."""
        loose = old is not None and not is_valid_selector(old.get("nodeTopology"))
        check_selector(errors, "nodeTopology", obj.get("nodeTopology"), loose)
        fields.dns_subdomain(errors, "storageClassName", obj.get("storageClassName", ""))
        amount = obj.get("capacity")
        if amount is not None and amounts.sign(amount) < 0:
            errors.invalid("capacity", amount, fields.NEGATIVE)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of labels that have got new names."""
        topology = obj.get("nodeTopology") or {}
        found = []
        for index, rule in enumerate(topology.get("matchExpressions") or ()):
            key = rule.get("key", "")
            if key in OLD_NODE_LABELS:
                path = f"nodeTopology.matchExpressions[{index}].key"
                found.append(f"{path}: {key} is {OLD_NODE_LABELS[key]}")
        for key in topology.get("matchLabels") or ():
            if key in OLD_NODE_LABELS:
                found.append(f"nodeTopology.matchLabels.{key}: {OLD_NODE_LABELS[key]}")
        return found
