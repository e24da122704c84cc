"""Devices and claims of them, with their defaults; expressions in them are not checked."""

from collections.abc import Iterator

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Halved, Plain, keep_metadata
from kedge.apiserver.builtin.pods.disks import check_csi_driver
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import Shown
from kedge.kube.gotext import to_json

ONE = "exactly one of `exactly` or `firstAvailable` is required"
MODES = ("All", "ExactCount")


def default_claim(spec: Object) -> None:
    """Fill in how many devices a request is for."""
    for request in (spec.get("devices") or {}).get("requests") or ():
        for one in _exact(request):
            if not one.get("allocationMode"):
                one["allocationMode"] = "ExactCount"
            if one["allocationMode"] == "ExactCount" and not one.get("count"):
                one["count"] = 1


def _exact(request: Object) -> Iterator[Object]:
    if request.get("exactly") is not None:
        yield request["exactly"]
    yield from request.get("firstAvailable") or ()


def check_claim(errors: Errors, path: str, spec: Object) -> None:
    """Check names and classes of requests."""
    seen = set()
    for index, request in enumerate((spec.get("devices") or {}).get("requests") or ()):
        where, name = f"{path}.devices.requests[{index}]", request.get("name", "")
        fields.dns_label(errors, f"{where}.name", name)
        exactly, first = request.get("exactly"), request.get("firstAvailable")
        if exactly is None and not first:
            errors.required(where, ONE)
        elif exactly is not None and first:
            what = f"{ONE}, but multiple fields are set"
            errors.invalid(where, None, what)
        elif exactly is not None:
            _check_exact(errors, f"{where}.exactly", exactly)
        if name in seen:
            errors.duplicate(f"{where}.name", name)
        seen.add(name)


def _check_exact(errors: Errors, path: str, request: Object) -> None:
    name = request.get("deviceClassName", "")
    if name:
        fields.dns_subdomain(errors, f"{path}.deviceClassName", name)
    else:
        errors.required(f"{path}.deviceClassName")
    mode, count = request.get("allocationMode", ""), request.get("count", 0)
    if mode == "ExactCount":
        if count <= 0:
            errors.invalid(f"{path}.count", count, "must be greater than zero")
    elif mode == "All":
        if count:
            what = "must not be specified when allocationMode is 'All'"
            errors.invalid(f"{path}.count", count, what)
    else:
        errors.unsupported(f"{path}.allocationMode", mode, MODES)


class ResourceClaimStrategy(Halved):
    """Hooks of resource.k8s.io/v1 ResourceClaim."""

    def default(self, obj: Object) -> None:
        """Fill in the requests."""
        default_claim(obj.setdefault("spec", {}))

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that is not written; with the status nothing else is."""
        super().prepare_update(new, old, context)
        if context.subresource == "status":
            keep_metadata(new, old)

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the claim, and that it asks for the same."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        check_same(errors, new["spec"], old["spec"])

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the requests."""
        check_claim(errors, "spec", obj["spec"])


def check_same(errors: Errors, spec: Object, old: Object) -> None:
    """Check that a spec has not changed."""
    if not same(spec, old):
        errors.invalid("spec", Shown(to_json(spec)), fields.IMMUTABLE)


class ResourceClaimTemplateStrategy(Plain):
    """Hooks of resource.k8s.io/v1 ResourceClaimTemplate."""

    def default(self, obj: Object) -> None:
        """Fill in the requests."""
        default_claim(obj.setdefault("spec", {}).setdefault("spec", {}))

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the template, and that it is the same."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        check_same(errors, new["spec"], old["spec"])

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the requests."""
        check_claim(errors, "spec.spec", obj["spec"].get("spec") or {})


class DeviceClassStrategy(Plain):
    """Hooks of resource.k8s.io/v1 DeviceClass."""

    namespaced = False

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Drop what belongs to a feature that is off."""
        obj["spec"].pop("extendedResourceName", None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Drop what belongs to a feature that is off."""
        if "extendedResourceName" not in old["spec"]:
            new["spec"].pop("extendedResourceName", None)


class ResourceSliceStrategy(Plain):
    """Hooks of resource.k8s.io/v1 ResourceSlice."""

    namespaced = False

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check whose devices these are."""
        spec = obj["spec"]
        check_csi_driver(errors, "spec.driver", spec.get("driver", ""))
        pool = spec.get("pool") or {}
        if not pool.get("name"):
            errors.required("spec.pool.name")
        count = pool.get("resourceSliceCount", 0)
        if count <= 0:
            path = "spec.pool.resourceSliceCount"
            errors.invalid(path, count, "must be greater than zero")
        fields.non_negative(errors, "spec.pool.generation", pool.get("generation", 0))
