"""TokenRequest: a token for a service account."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from kedge.aio.clock import Clock
from kedge.apiserver.auth.accounts import Accounts, Binding, Lookup
from kedge.apiserver.auth.parameter import check_name
from kedge.kube.errors import BadRequest, conflict, invalid, not_found
from kedge.kube.fielderror import FieldError
from kedge.kube.fielderror import invalid as bad
from kedge.kube.gotext import quote
from kedge.kube.times import format_time

GROUP: Final = "authentication.k8s.io"
KIND: Final = "TokenRequest"
DEFAULT_SECONDS: Final = 3600
LEAST_SECONDS: Final = 600
MOST_SECONDS: Final = 1 << 32
# Pods ask for this many seconds; their tokens live a year, and are told when to be renewed.
EXTENDED: Final = 3607
EXTENDED_LIFE: Final = 365 * 24 * 3600
PLURALS: Final = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}

Object = dict[str, Any]


def default(obj: Object) -> None:
    """Fill in how long the token lives, in place, before fields are given to a manager."""
    spec = obj.setdefault("spec", {})
    if spec.get("expirationSeconds") is None:
        spec["expirationSeconds"] = DEFAULT_SECONDS


class TokenRequests:
    """Answers requests for tokens."""

    def __init__(self, accounts: Accounts, lookup: Lookup, clock: Clock) -> None:
        """Issue tokens of `accounts` for what `lookup` finds."""
        self._accounts = accounts
        self._lookup = lookup
        self._clock = clock

    def create(self, namespace: str, name: str, obj: Object) -> Object:
        """Answer a decoded, defaulted request for a token of the service account in the path."""
        metadata = dict(obj.get("metadata") or {})
        if metadata.get("name") and metadata["name"] != name:
            why = "must match the service account name if specified"
            raise invalid(GROUP, KIND, name, [bad("metadata.name", metadata["name"], why)])
        if metadata.get("namespace") and metadata["namespace"] != namespace:
            why = "must match the service account namespace if specified"
            raise invalid(
                GROUP, KIND, name, [bad("metadata.namespace", metadata["namespace"], why)]
            )
        account = self._get("serviceaccounts", namespace, name)
        uid = account["metadata"]["uid"]
        if metadata.get("uid") and metadata["uid"] != uid:
            why = (
                f"the UID in the token request ({metadata['uid']}) "
                f"does not match the UID of the service account ({uid})"
            )
            raise conflict(GROUP, KIND, name, why)
        now = self._clock.now()
        metadata.update(name=name, namespace=namespace, uid=uid, creationTimestamp=format_time(now))
        spec = obj["spec"]
        errors = _errors(spec["expirationSeconds"])
        if errors:
            raise invalid(GROUP, KIND, "", errors)
        seconds = spec["expirationSeconds"]
        shown = {
            "audiences": spec.get("audiences") or list(self._accounts.audiences),
            "expirationSeconds": seconds,
            "boundObjectRef": spec.get("boundObjectRef"),
        }
        return {
            "kind": KIND,
            "apiVersion": f"{GROUP}/v1",
            "metadata": metadata,
            "spec": shown,
            "status": {
                "token": self._token(account, shown),
                "expirationTimestamp": format_time(now + timedelta(seconds=seconds)),
            },
        }

    def _token(self, account: Mapping[str, Any], spec: Object) -> str:
        reference = spec["boundObjectRef"]
        binding = Binding() if reference is None else self._bound(account, reference)
        seconds, warn_after = spec["expirationSeconds"], 0
        own = set(spec["audiences"]) <= set(self._accounts.audiences)
        if binding.pod is not None and seconds == EXTENDED and own:
            seconds, warn_after = EXTENDED_LIFE, seconds
        return self._accounts.issue(account, spec["audiences"], seconds, binding, warn_after)

    def _bound(self, account: Mapping[str, Any], reference: Mapping[str, Any]) -> Binding:
        metadata = account["metadata"]
        kind, name = reference.get("kind") or "", reference.get("name") or ""
        group, version = _group_version(reference.get("apiVersion") or "")
        if group or kind not in PLURALS:
            raise BadRequest(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
        obj = self._get(PLURALS[kind], "" if kind == "Node" else metadata["namespace"], name)
        account_of_pod = (obj.get("spec") or {}).get("serviceAccountName", "")
        if kind == "Pod" and account_of_pod != metadata["name"]:
            raise BadRequest(
                f"cannot bind token for serviceaccount {quote(metadata['name'])} "
                "to pod running with different serviceaccount name."
            )
        uid = reference.get("uid")
        if uid and uid != obj["metadata"]["uid"]:
            why = (
                f"the UID in the bound object reference ({uid}) does not match the UID in record. "
                "The object might have been deleted and then recreated"
            )
            raise conflict("", kind, name, why)
        if kind == "Pod":
            return Binding(pod=obj, node=self._node_of(obj))
        return Binding(secret=obj) if kind == "Secret" else Binding(node=obj)

    def _node_of(self, pod: Mapping[str, Any]) -> Mapping[str, Any] | None:
        name = pod["spec"].get("nodeName")
        if not name:
            return None
        # A node that is not there is told by its name alone.
        return self._lookup("nodes", "", name) or {"metadata": {"name": name}}

    def _get(self, plural: str, namespace: str, name: str) -> Mapping[str, Any]:
        check_name(name)
        obj = self._lookup(plural, namespace, name)
        if obj is None:
            raise not_found("", plural, name)
        return obj


def _errors(seconds: int) -> list[FieldError]:
    field = "spec.expirationSeconds"
    if seconds < LEAST_SECONDS:
        return [bad(field, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > MOST_SECONDS:
        return [bad(field, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []


def _group_version(text: str) -> tuple[str, str]:
    """Split an apiVersion; nothing is left where there are too many slashes."""
    parts = text.split("/")
    if len(parts) == 1:
        return "", text
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")
