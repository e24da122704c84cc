"""Network policies."""

from collections.abc import Iterator

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.cidrs import Cidr, check_cidr, cidr_warnings, parse_cidr
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.labels import check_selector, is_valid_selector
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Object
from kedge.kube import formats
from kedge.kube.fielderror import typed

PROTOCOLS = ("TCP", "UDP", "SCTP")
TYPES = ("Ingress", "Egress")
SIDES = (("ingress", "from"), ("egress", "to"))


class NetworkPolicyStrategy(Plain):
    """Hooks of networking.k8s.io/v1 NetworkPolicy."""

    counts_empties = True

    def default(self, obj: Object) -> None:
        """Fill in the types of the policy, and protocols."""
        spec = obj.setdefault("spec", {})
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
        for side, _ in SIDES:
            for rule in spec.get(side) or ():
                for port in rule.get("ports") or ():
                    port.setdefault("protocol", "TCP")

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the policy twice, as the real server does: ranges that were there may stay."""
        loose = not is_valid_selector(old["spec"].get("podSelector"))
        self.check_metadata(errors, new)
        _check_spec(errors, new["spec"], loose, frozenset())
        errors += self.changed_metadata(new, old)
        known = frozenset(text for _, text in _ranges(old["spec"]))
        _check_spec(errors, new["spec"], loose, known)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec."""
        _check_spec(errors, obj["spec"], False, frozenset())

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of oddly written ranges of addresses."""
        return [
            warning for path, text in _ranges(obj["spec"]) for warning in cidr_warnings(path, text)
        ]


def _ranges(spec: Object) -> Iterator[tuple[str, str]]:
    """Give every range of addresses with its path."""
    for side, peers in SIDES:
        for index, rule in enumerate(spec.get(side) or ()):
            for at, peer in enumerate(rule.get(peers) or ()):
                block = peer.get("ipBlock")
                if block is None:
                    continue
                path = f"spec.{side}[{index}].{peers}[{at}].ipBlock"
                yield f"{path}.cidr", block.get("cidr", "")
                for place, text in enumerate(block.get("except") or ()):
                    yield f"{path}.except[{place}]", text


def _check_spec(errors: Errors, spec: Object, loose: bool, known: frozenset[str]) -> None:
    check_selector(errors, "spec.podSelector", spec.get("podSelector"), loose)
    for side, peers in SIDES:
        for index, rule in enumerate(spec.get(side) or ()):
            path = f"spec.{side}[{index}]"
            for at, port in enumerate(rule.get("ports") or ()):
                _check_port(errors, f"{path}.ports[{at}]", port)
            for at, peer in enumerate(rule.get(peers) or ()):
                _check_peer(errors, f"{path}.{peers}[{at}]", peer, loose, known)
    types = spec.get("policyTypes") or []
    if len(types) > len(TYPES):
        errors.invalid("spec.policyTypes", types, "may not specify more than two policyTypes")
        return
    for index, kind in enumerate(types):
        if kind not in TYPES:
            errors.unsupported(f"spec.policyTypes[{index}]", typed(kind), TYPES)


def _check_port(errors: Errors, path: str, port: Object) -> None:
    protocol = port.get("protocol")
    fields.optional_enum(errors, f"{path}.protocol", protocol, PROTOCOLS)
    number, end = port.get("port"), port.get("endPort")
    if number is None:
        if end is not None:
            what = "may not be specified when `port` is not specified"
            errors.invalid(f"{path}.endPort", end, what)
    elif isinstance(number, str):
        if end is not None:
            what = "may not be specified when `port` is non-numeric"
            errors.invalid(f"{path}.endPort", end, what)
        errors.each(f"{path}.port", number, formats.port_name(number))
    else:
        fields.in_range(errors, f"{path}.port", number, 1, 65535)
        if end is not None:
            if end < number:
                what = "must be greater than or equal to `port`"
                errors.invalid(f"{path}.endPort", number, what)
            fields.in_range(errors, f"{path}.endPort", end, 1, 65535)


def _check_peer(
    errors: Errors, path: str, peer: Object, loose: bool, known: frozenset[str]
) -> None:
    selectors = [name for name in ("podSelector", "namespaceSelector") if name in peer]
    for name in selectors:
        check_selector(errors, f"{path}.{name}", peer[name], loose)
    block = peer.get("ipBlock")
    if block is not None:
        _check_block(errors, f"{path}.ipBlock", block, known)
        if selectors:
            errors.forbidden(path, "may not specify both ipBlock and another peer")
    elif not selectors:
        errors.required(path, "must specify a peer")


def _check_block(errors: Errors, path: str, block: Object, known: frozenset[str]) -> None:
    text = block.get("cidr", "")
    if not text:
        errors.required(f"{path}.cidr")
        return
    if text not in known:
        check_cidr(errors, f"{path}.cidr", text)
    cidr = parse_cidr(text)
    if cidr is None:
        return
    for index, inner in enumerate(block.get("except") or ()):
        where = f"{path}.except[{index}]"
        if inner not in known:
            check_cidr(errors, where, inner)
        part = parse_cidr(inner)
        if part is not None and not _is_within(part, cidr):
            errors.invalid(where, inner, "must be a strict subset of `cidr`")


def _is_within(part: Cidr, whole: Cidr) -> bool:
    if type(part.address) is not type(whole.address) or part.bits <= whole.bits:
        return False
    width = part.address.max_prefixlen - whole.bits
    return int(part.address) >> width == int(whole.address) >> width
