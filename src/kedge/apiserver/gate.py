"""Admission: what depends on other objects, or on who asks, rather than on the object alone."""

from collections.abc import Sequence

import msgspec

from kedge.apiserver.admission import Plugin
from kedge.apiserver.auth.attributes import Attributes, denied, forbidden
from kedge.apiserver.auth.escalation import check_grant
from kedge.apiserver.auth.rbac import Authorizer
from kedge.apiserver.call import Call
from kedge.apiserver.resource import Object
from kedge.kube.errors import Forbidden, not_found
from kedge.store import Log

NAMESPACES = "/core/namespaces/"
IMMORTAL = {"default", "kube-system", "kube-public"}
KIND_TERMINATING = "create not allowed while custom resource definition is terminating"
RBAC = "rbac.authorization.k8s.io"


class _Status(msgspec.Struct):
    phase: str = ""


class _Namespace(msgspec.Struct):
    status: _Status = msgspec.field(default_factory=_Status)


_read_namespace = msgspec.json.Decoder(_Namespace).decode


class Gate:
    """Lets writes pass, or says why not."""

    def __init__(self, log: Log, authorizer: Authorizer, plugins: Sequence[Plugin] = ()) -> None:
        """Look at namespaces in `log`, at rights with `authorizer`, then ask the plugins."""
        self.log = log
        self.authorizer = authorizer
        self.plugins = plugins

    async def admit(self, call: Call, new: Object, old: Object | None) -> None:
        """Ask all plugins before the object is checked."""
        for plugin in self.plugins:
            await plugin.admit(call, new, old)

    async def judge(self, call: Call, new: Object, old: Object | None) -> None:
        """Ask all plugins about the object as it will be stored."""
        for plugin in self.plugins:
            await plugin.judge(call, new, old)

    async def admit_create(self, call: Call, obj: Object) -> None:
        """Refuse a namespace that is not there, or on its way out; then ask the plugins."""
        self.check_place(call, obj)
        await self.admit(call, obj, None)

    def check_place(self, call: Call, obj: Object) -> None:
        """Refuse what comes into a namespace that is not there, or is of a kind that is going."""
        resource = call.resource
        if resource.namespaced and self._phase(call.namespace) == "Terminating":
            raise self._terminating(call, obj)
        if resource.custom and "create" not in resource.verbs:
            name = obj["metadata"].get("name", "")
            raise denied(resource.group, resource.plural, name, KIND_TERMINATING)

    def _terminating(self, call: Call, obj: Object) -> Forbidden:
        error = denied(
            call.resource.group,
            call.resource.plural,
            obj["metadata"].get("name", ""),
            f"unable to create new content in namespace {call.namespace} "
            "because it is being terminated",
        )
        cause = {
            "reason": "NamespaceTerminating",
            "message": f"namespace {call.namespace} is being terminated",
            "field": "metadata.namespace",
        }
        error.details = {**(error.details or {}), "causes": [cause]}
        return error

    async def admit_update(self, call: Call, new: Object, old: Object) -> None:
        """Refuse a namespace that is not there; then ask the plugins."""
        if call.resource.namespaced:
            self._phase(call.namespace)
        await self.admit(call, new, old)

    def admit_delete(self, call: Call) -> None:
        """Refuse to delete the namespaces that are for ever."""
        resource = call.resource
        if resource.plural == "namespaces" and not resource.group and call.name in IMMORTAL:
            raise denied("", "namespaces", call.name, "this namespace may not be deleted")

    def _phase(self, namespace: str) -> str:
        record = self.log.get(NAMESPACES + namespace)
        if record is None:
            raise not_found("", "namespaces", namespace)
        return _read_namespace(record.value).status.phase

    def check_new(self, call: Call, obj: Object) -> None:
        """Nobody may grant rights they do not have."""
        if call.resource.group == RBAC:
            check_grant(self.authorizer, call.user, call.resource.kind, obj, None, call.name)

    def check_changed(self, call: Call, new: Object, old: Object) -> None:
        """Nobody may grant rights they do not have."""
        if call.resource.group == RBAC:
            check_grant(self.authorizer, call.user, call.resource.kind, new, old, call.name)

    def may_create(self, call: Call) -> None:
        """Give an update or apply that creates needs the right to create."""
        wish = wish_of(call, "create")
        decision = self.authorizer.authorize(wish)
        if not decision.allowed:
            raise forbidden(wish, decision.reason)


def wish_of(call: Call, verb: str) -> Attributes:
    """Give what a call wants, for the authorizer."""
    resource = call.resource
    return Attributes(
        call.user,
        verb,
        call.namespace,
        resource.group,
        resource.version,
        resource.plural,
        call.subresource,
        call.name,
    )
