"""Nodes."""

import json
from typing import Any

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.cidrs import check_cidr, cidr_warnings, parse_cidr
from kedge.apiserver.builtin.fields import NOT_POSITIVE, Errors
from kedge.apiserver.builtin.plain import Halved
from kedge.apiserver.builtin.resourcenames import check_amount
from kedge.apiserver.resource import Context, Object
from kedge.apiserver.typed.jsontext import parse
from kedge.kube import fielderror, names
from kedge.kube.fielderror import DUPLICATE, FieldError, Shown, typed
from kedge.kube.goerror import GoError
from kedge.kube.gotext import Struct, to_json

NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
TAINTS = "scheduler.alpha.kubernetes.io/taints"
CIDRS = "spec.podCIDRs"
ONCE = 'except from "" to valid'


class NodeStrategy(Halved):
    """Hooks of v1 Node."""

    namespaced = False

    def default(self, obj: Object) -> None:
        """Fill in what the user left out, and keep the two ways to tell ranges in step."""
        status, spec = obj.setdefault("status", {}), obj.setdefault("spec", {})
        if status.get("capacity") and not status.get("allocatable"):
            status["allocatable"] = dict(status["capacity"])
        for name in ("capacity", "allocatable"):
            if status.get(name):
                amounts.round_all(status[name])
        first, ranges = spec.get("podCIDR"), spec.get("podCIDRs")
        if first and (not ranges or ranges[0] != first):
            spec["podCIDRs"] = [first]
        elif ranges and not first:
            spec["podCIDR"] = ranges[0]

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Keep the status that a kubelet tells; a new node is not ready."""
        obj["spec"].pop("configSource", None)
        obj["status"].pop("config", None)
        taints = obj["spec"].setdefault("taints", [])
        if not any(_same_taint(taint, NOT_READY) for taint in taints):
            taints.append(dict(NOT_READY))

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that is not written, and out what is no more."""
        super().prepare_update(new, old, context)
        if context.subresource == "status":
            if "config" not in (old.get("status") or {}):
                new["status"].pop("config", None)
        elif "configSource" not in old["spec"]:
            new["spec"].pop("configSource", None)

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the node, then what may not change."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        self.check_status(errors, new, old)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check taints, resources and ranges."""
        spec, status = obj["spec"], obj.get("status") or {}
        _check_annotations(errors, obj["metadata"].get("annotations") or {})
        _check_taints(errors, "metadata.taints", spec.get("taints") or [])
        _check_resources(errors, status)
        swap = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
        if swap is not None and swap <= 0:
            errors.invalid("metadata.nodeSwapStatus.capacity", swap, NOT_POSITIVE)
        ranges = spec.get("podCIDRs") or []
        for index, text in enumerate(ranges):
            check_cidr(errors, f"{CIDRS}[{index}]", text)
        if len(ranges) > 1:
            _check_families(errors, ranges)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check what both endpoints may not change."""
        spec, before, status = new["spec"], old["spec"], new.get("status") or {}
        _check_annotations(errors, new["metadata"].get("annotations") or {})
        _check_resources(errors, status)
        _check_addresses(errors, status.get("addresses") or [])
        _check_ranges(errors, spec.get("podCIDRs") or [], before.get("podCIDRs") or [])
        known = before.get("providerID")
        if known and known != spec.get("providerID"):
            what = f"node updates may not change providerID {ONCE}"
            errors.forbidden("spec.providerID", what)
        _check_taints(errors, "metadata.taints", spec.get("taints") or [])
        if spec.get("externalID") != before.get("externalID"):
            errors.forbidden("spec.externalID", "may not be updated")

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what is no more, and of oddly written ranges."""
        spec = obj["spec"]
        if old is not None and spec is old["spec"]:  # only the status is written
            return []
        found = []
        if spec.get("configSource") is not None:
            found.append("spec.configSource: the feature is removed")
        if spec.get("externalID"):
            what = "this field is deprecated, and is unused by Kubernetes"
            found.append(f"spec.externalID: {what}")
        for index, text in enumerate(spec.get("podCIDRs") or ()):
            found += cidr_warnings(f"{CIDRS}[{index}]", text)
        return found

    def select(self, obj: Object, path: str) -> Any:
        """Give what a field selector compares."""
        value = super().select(obj, path)
        return bool(value) if path == "spec.unschedulable" else value


def _same_taint(taint: Object, other: Object) -> bool:
    return all(taint.get(name, "") == other[name] for name in ("key", "effect"))


def _check_annotations(errors: Errors, annotations: dict[str, str]) -> None:
    """Check taints in the annotation where they once were."""
    text = annotations.get(TAINTS)
    if not text:
        return
    try:
        parse(text.encode())
    except GoError as exc:
        errors.invalid("metadata.annotations", TAINTS, exc.text)
        return
    taints = json.loads(text)
    if isinstance(taints, list) and all(isinstance(taint, dict) for taint in taints):
        _check_taints(errors, f"metadata.annotations.{TAINTS}", taints)


def _check_taints(errors: Errors, path: str, taints: list[Object]) -> None:
    seen = set()
    for index, taint in enumerate(taints):
        where, key = f"{path}[{index}]", taint.get("key", "")
        value, effect = taint.get("value", ""), taint.get("effect", "")
        fields.qualified_name(errors, f"{where}.key", key)
        problems = names.label_value(value)
        if problems:
            errors.invalid(f"{where}.value", value, ";".join(problems))
        if not effect:
            errors.required(f"{where}.effect")
        elif effect not in EFFECTS:
            errors.unsupported(f"{where}.effect", typed(effect), EFFECTS)
        if (key, effect) in seen:
            detail = "taints must be unique by key and effect pair"
            errors.append(FieldError(DUPLICATE, where, _shown_taint(taint), detail))
        seen.add((key, effect))


def _shown_taint(taint: Object) -> Shown:
    shown = Struct(
        Key=taint.get("key", ""),
        Value=taint.get("value", ""),
        Effect=taint.get("effect", ""),
        TimeAdded=taint.get("timeAdded"),
    )
    return Shown(to_json(shown))


def _check_resources(errors: Errors, status: Object) -> None:
    for kind in ("capacity", "allocatable"):
        for name, amount in (status.get(kind) or {}).items():
            check_amount(errors, f"status.{kind}.{name}", name, amount)


def _check_families(errors: Errors, ranges: list[str]) -> None:
    found = [parse_cidr(text) for text in ranges]
    families = {type(cidr.address) for cidr in found if cidr is not None}
    if None in found:
        place = found.index(None)
        what = f"invalid CIDR[{place}]: <nil> (invalid CIDR address: {ranges[place]})"
        what = f"invalid PodCIDRs. failed to check with dual stack with error:{what}"
        errors.append(fielderror.internal(CIDRS, what))
    if None in found or len(families) < 2 or len(ranges) > 2:
        what = "may specify no more than one CIDR for each IP family"
        errors.invalid(CIDRS, ranges, what)


def _check_addresses(errors: Errors, addresses: list[Object]) -> None:
    seen = set()
    for index, address in enumerate(addresses):
        pair = (address.get("type", ""), address.get("address", ""))
        if pair in seen:
            shown = Shown(to_json(Struct(Type=pair[0], Address=pair[1])))
            errors.duplicate(f"status.addresses[{index}]", shown)
        seen.add(pair)


def _check_ranges(errors: Errors, ranges: list[str], before: list[str]) -> None:
    if not before:
        return
    what = f"node updates may not change podCIDR {ONCE}"
    if len(ranges) != len(before):
        errors.forbidden(CIDRS, what)
        return
    for text, was in zip(ranges, before, strict=True):
        if text != was:
            errors.forbidden(CIDRS, what)
