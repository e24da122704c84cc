"""Ranges that services get their addresses from, and the addresses that are taken."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.cidrs import check_strict_cidr, parse_cidr
from kedge.apiserver.builtin.fields import IMMUTABLE, Errors
from kedge.apiserver.builtin.ingresses import check_segments
from kedge.apiserver.builtin.plain import Halved, Plain, keep_metadata
from kedge.apiserver.builtin.strictips import ip_problems
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import Shown
from kedge.kube.gotext import Struct, to_json

PATH = "spec.cidrs"


class IPAddressStrategy(Plain):
    """Hooks of networking.k8s.io/v1 IPAddress."""

    namespaced = False

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take addresses in their usual form."""
        return ip_problems(name)

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the address, and that it is of the same object."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        parent, before = new["spec"].get("parentRef"), old["spec"].get("parentRef")
        fields.immutable(errors, "spec.parentRef", parent, before, _shown_parent(parent))

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check what the address is of."""
        path, parent = "spec.parentRef", obj["spec"].get("parentRef")
        if parent is None:
            errors.required(path)
            return
        if parent.get("group"):
            fields.dns_subdomain(errors, f"{path}.group", parent["group"])
        check_segments(errors, path, parent, ("resource", "name"))
        namespace = parent.get("namespace", "")
        if namespace:
            errors.each(f"{path}.namespace", namespace, names.path_segment(namespace))


def _shown_parent(parent: Object | None) -> Shown:
    if parent is None:
        return Shown("null")
    keys = ("group", "resource", "namespace", "name")
    return Shown(to_json(Struct((key.capitalize(), parent.get(key, "")) for key in keys)))


class ServiceCIDRStrategy(Halved):
    """Hooks of networking.k8s.io/v1 ServiceCIDR."""

    namespaced = False

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Leave the object as it is, status and all."""

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """With the status, let nothing else change."""
        if context.subresource == "status":
            new["spec"] = old["spec"]
            keep_metadata(new, old)

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Every field can be owned."""
        return ()

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check that ranges stay; one of the other family may come."""
        errors += self.changed_metadata(new, old)
        cidrs, before = new["spec"].get("cidrs") or [], old["spec"].get("cidrs") or []
        if len(cidrs) == len(before):
            for index, (text, was) in enumerate(zip(cidrs, before, strict=True)):
                if text != was:
                    errors.invalid(f"{PATH}[{index}]", text, IMMUTABLE)
        elif len(before) == 1 and len(cidrs) == 2:
            if cidrs[0] != before[0]:
                errors.invalid(f"{PATH}[0]", cidrs[0], IMMUTABLE)
            self.check(errors, new, old)
        else:
            errors.invalid(PATH, new["spec"].get("cidrs"), IMMUTABLE)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the ranges: one, or one of each family."""
        cidrs = obj["spec"].get("cidrs") or []
        if not cidrs:
            errors.required(PATH, "at least one CIDR required")
            return
        if len(cidrs) > 2:
            shown = Shown(to_json(Struct(CIDRs=cidrs)))
            errors.invalid(PATH, shown, "may only hold up to 2 values")
            return
        for index, text in enumerate(cidrs):
            check_strict_cidr(errors, f"{PATH}[{index}]", text)
        families = [type(cidr.address) for cidr in map(parse_cidr, cidrs) if cidr]
        if len(families) == 2 and len(set(families)) == 1:
            what = (
                "may specify no more than one IP for each IP family, "
                "i.e 192.168.0.0/24 and 2001:db8::/64"
            )
            errors.invalid(PATH, cidrs, what)
