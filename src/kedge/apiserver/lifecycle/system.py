"""The server's own hand: writes of the life cycles, through the same verbs as everybody's."""

from kedge.apiserver.auth.users import MASTERS, User
from kedge.apiserver.call import Call
from kedge.apiserver.http.accept import Accept
from kedge.apiserver.http.query import Query
from kedge.apiserver.resource import Resource
from kedge.apiserver.verbs.delete import Delete, DeleteOptions
from kedge.apiserver.verbs.writing import Writing
from kedge.kube.errors import Conflict, NotFound

NOTHING = Query("")
SERVER, MANAGER = "kube-apiserver", "kube-controller-manager"


class System:
    """Writes in the name of the server."""

    def __init__(self, name: str, writing: Writing, delete: Delete) -> None:
        """Act as the controller `name`; all but the server itself are of the controller manager."""
        self.user = User(f"system:controller:{name}", "", (MASTERS,))
        self.agent = name if name == SERVER else MANAGER
        self.writing = writing
        self.objects = writing.objects
        self._delete = delete

    def call(
        self, verb: str, resource: Resource, namespace: str, name: str, subresource: str = ""
    ) -> Call:
        """Give a request of this controller."""
        return Call(
            verb,
            resource,
            namespace,
            name,
            subresource,
            NOTHING,
            Accept(),
            self.user,
            agent=self.agent,
        )

    async def delete(
        self, resource: Resource, namespace: str, name: str, options: DeleteOptions
    ) -> bool:
        """Delete an object; False: it was gone, or not the one that was meant."""
        call = self.call("delete", resource, namespace, name)
        try:
            await self._delete.delete(call, name, options)
        except (NotFound, Conflict):
            return False
        return True


def place(resource: Resource, key: str) -> tuple[str, str]:
    """Namespace and name of a key."""
    namespace, _, name = key.removeprefix(resource.prefix).rpartition("/")
    return namespace, name
