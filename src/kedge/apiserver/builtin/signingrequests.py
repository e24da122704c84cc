"""Requests to sign a certificate: who asks, who approves, who signs."""

import json
from base64 import b64decode
from difflib import unified_diff

from kedge.apiserver.builtin import keypair, signers
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import FieldError, typed
from kedge.kube.gotext import Struct, quote
from kedge.kube.names import path_segment

USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)
LEGACY = "kubernetes.io/legacy-unknown"
DECISIONS = ("Approved", "Denied")
FINAL = (*DECISIONS, "Failed")
STATUSES = ("False", "True", "Unknown")
SHORTEST = 600
CONDITIONS = "status.conditions"
BOTH = "Approved and Denied conditions are mutually exclusive"


class SigningRequestStrategy(Plain):
    """Hooks of certificates.k8s.io/v1 CertificateSigningRequest."""

    namespaced = False

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take names that fit in a path."""
        return path_segment(name, prefix)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Write down who asks, and begin undecided."""
        spec = obj["spec"]
        for name in ("username", "uid", "groups", "extra"):
            spec.pop(name, None)
        told = {
            "username": context.user,
            "uid": context.uid,
            "groups": list(context.groups),
            "extra": {name: list(values) for name, values in context.extra.items()},
        }
        spec.update({name: value for name, value in told.items() if value})
        obj["status"] = {}

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep what the endpoint may not change: the spec always."""
        new["spec"] = old["spec"]
        status, before = new.get("status") or {}, old.get("status") or {}
        if context.subresource == "status":
            conditions = status.get("conditions") or []
            for kind in DECISIONS:
                _restore(conditions, before.get("conditions") or [], kind)
            _stamp(conditions, before.get("conditions") or [], context.now)
            new["status"] = status
        elif context.subresource == "approval":
            conditions = status.get("conditions") or []
            _stamp(conditions, before.get("conditions") or [], context.now)
            new["status"] = {**before, "conditions": conditions} if conditions else dict(before)
            if not conditions:
                new["status"].pop("conditions", None)
        else:
            new["status"] = before

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Own only what the endpoint writes."""
        if subresource == "status":
            return (("spec",), ("status", "conditions"))
        if subresource == "approval":
            return (("spec",), ("status", "certificate"))
        return (("spec",), ("status",))

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check the request, and what the endpoint may change."""
        errors = Errors()
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        kept = _check_kept(errors, new, old)
        if context.subresource != "approval":
            _check_decisions(errors, new, old, kept)
        text, before = _certificate(new), _certificate(old)
        if text != before:
            if context.subresource != "status":
                what = "updates may not set certificate content"
                errors.forbidden("status.certificate", what)
            elif before:
                what = "updates may not modify existing certificate content"
                errors.forbidden("status.certificate", what)
        errors += self.changed_metadata(new, old)
        return errors

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the request itself, the signer, the usages, and how it was decided."""
        spec, before = obj["spec"], {} if old is None else old["spec"]
        problem = keypair.request_problem(b64decode(spec.get("request") or ""))
        if problem:
            request = spec.get("request")
            errors.invalid("spec.request", None if request is None else typed(request), problem)
        _check_usages(errors, spec.get("usages") or [], before.get("usages") or [])
        signer = spec.get("signerName", "")
        if signer == LEGACY and before.get("signerName") != LEGACY:
            what = "the legacy signerName is not allowed via this API version"
            errors.invalid("spec.signerName", signer, what)
        else:
            signers.check_signer(errors, "spec.signerName", signer)
        seconds = spec.get("expirationSeconds")
        if seconds is not None and seconds < SHORTEST:
            what = "may not specify a duration less than 600 seconds (10 minutes)"
            errors.invalid("spec.expirationSeconds", seconds, what)
        _check_conditions(errors, _conditions(obj), _conditions(old or {}))
        text = _certificate(obj)
        if old is None or text != _certificate(old):
            problem = keypair.chain_problem(b64decode(text))
            if problem:
                errors.invalid("status.certificate", "<certificate data>", problem)


def _conditions(obj: Object) -> list[Object]:
    return (obj.get("status") or {}).get("conditions") or []


def _certificate(obj: Object) -> str:
    return (obj.get("status") or {}).get("certificate") or ""


def _of_type(conditions: list[Object], kind: str) -> list[Object]:
    return [one for one in conditions if one.get("type") == kind]


def _restore(conditions: list[Object], old: list[Object], kind: str) -> None:
    """Put back decisions that are there in the same number."""
    places = [index for index, one in enumerate(conditions) if one.get("type") == kind]
    known = _of_type(old, kind)
    if len(places) == len(known):
        for place, one in zip(places, known, strict=True):
            conditions[place] = dict(one)


def _stamp(conditions: list[Object], old: list[Object], now: str) -> None:
    """Fill in times that are missing."""
    for one in conditions:
        if not one.get("lastUpdateTime"):
            one["lastUpdateTime"] = now
        if not one.get("lastTransitionTime"):
            same = (
                was["lastTransitionTime"]
                for was in _of_type(old, one.get("type", ""))
                if was.get("status") == one.get("status") and was.get("lastTransitionTime")
            )
            one["lastTransitionTime"] = next(same, now)


def _check_usages(errors: Errors, usages: list[str], before: list[str]) -> None:
    if not usages:
        errors.required("spec.usages")
    if all(usage in USAGES for usage in before):
        for index, usage in enumerate(usages):
            if usage not in USAGES:
                errors.unsupported(f"spec.usages[{index}]", typed(usage), USAGES)
    if len(set(before)) == len(before):
        for index, usage in enumerate(usages):
            if usage in usages[:index]:
                errors.duplicate(f"spec.usages[{index}]", typed(usage))


def _check_conditions(errors: Errors, conditions: list[Object], old: list[Object]) -> None:
    known = [one.get("type", "") for one in old]
    had_both = set(DECISIONS) <= set(known)
    seen: set[str] = set()
    for index, one in enumerate(conditions):
        path, kind, status = f"{CONDITIONS}[{index}]", one.get("type", ""), one.get("status", "")
        if not kind and "" not in known:
            errors.required(f"{path}.type")
        allowed = ("True",) if kind in FINAL else STATUSES
        if not status:
            errors.required(f"{path}.status")
        elif status not in allowed:
            errors.unsupported(f"{path}.status", typed(status), allowed)
        if kind in DECISIONS and not had_both and (set(DECISIONS) - {kind}) & seen:
            errors.invalid(CONDITIONS, typed(kind), BOTH)
        if kind in seen and len(set(known)) == len(known):
            errors.duplicate(f"{path}.type", typed(kind))
        seen.add(kind)


def _check_kept(errors: Errors, new: Object, old: Object) -> set[str]:
    """Check that no decision is taken back; give the types of which none was."""
    kept = set()
    for kind in FINAL:
        if len(_of_type(_conditions(new), kind)) < len(_of_type(_conditions(old), kind)):
            what = f"updates may not remove a condition of type {quote(kind)}"
            errors.forbidden(CONDITIONS, what)
        else:
            kept.add(kind)
    return kept


def _check_decisions(errors: Errors, new: Object, old: Object, kept: set[str]) -> None:
    for kind in DECISIONS:
        ours, theirs = _of_type(_conditions(new), kind), _of_type(_conditions(old), kind)
        if kind not in kept or ours == theirs:
            continue
        if len(ours) > len(theirs):
            what = f"updates may not add a condition of type {quote(kind)}"
        else:
            what = f"updates may not modify a condition of type {quote(kind)}\n"
            what += _difference(theirs, ours)
        errors.forbidden(CONDITIONS, what)


def _difference(old: list[Object], new: list[Object]) -> str:
    lines = unified_diff(_lines(old), _lines(new), n=3, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[2:])


def _lines(conditions: list[Object]) -> list[str]:
    shown = [
        Struct(
            Type=one.get("type", ""),
            Status=one.get("status", ""),
            Reason=one.get("reason", ""),
            Message=one.get("message", ""),
            LastUpdateTime=one.get("lastUpdateTime"),
            LastTransitionTime=one.get("lastTransitionTime"),
        )
        for one in conditions
    ]
    return json.dumps(shown, indent=1, ensure_ascii=False).split("\n")
