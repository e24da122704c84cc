"""All verbs of the server, by resource and subresource."""

from kedge.apiserver.auth.tokenrequest import TokenRequests
from kedge.apiserver.codec import Codec
from kedge.apiserver.forms import Forms
from kedge.apiserver.registry import Registry
from kedge.apiserver.routing import Verb
from kedge.apiserver.verbs.create import Create
from kedge.apiserver.verbs.delete import Delete, DeleteCollection
from kedge.apiserver.verbs.get import Get
from kedge.apiserver.verbs.list import List
from kedge.apiserver.verbs.patch import Patch
from kedge.apiserver.verbs.pods import Binding, Eviction, Logs, Running
from kedge.apiserver.verbs.review import Answer, Review, Token
from kedge.apiserver.verbs.scale import Scale
from kedge.apiserver.verbs.update import Update
from kedge.apiserver.verbs.watch import Watch
from kedge.apiserver.verbs.writing import Writing

PARTS = ("status", "finalize", "approval", "ephemeralcontainers", "resize")
"""Subresources that are the object itself, of which they change a part."""


class Verbs:
    """Makes the verbs once, from the parts they share."""

    def __init__(self, writing: Writing, codec: Codec, forms: Forms, registry: Registry) -> None:
        """Write through `writing`, read bodies by `codec`, answer in `forms`."""
        self.registry = registry
        self.writing = writing
        self.codec = codec
        self.forms = forms
        self.list = List(writing.objects, forms)
        self.watch = Watch(writing.objects, forms)
        self.get = Get(writing.objects, forms)
        self.delete = Delete(writing, codec, forms)
        self.update = Update(writing, codec, forms)
        self.patch = Patch(writing, codec, forms)

    def of_resources(self, reviews: dict[str, Answer]) -> dict[str, Verb]:
        """Give the verbs by name, and those of virtual kinds by group, plural and name."""
        binding = Binding(self.writing, self.codec)
        binding.pods = self.registry.find("", "v1", "pods")
        verbs: dict[str, Verb] = {
            "get": self.get,
            "list": self.list,
            "watch": self.get,  # a watch is streamed by the server itself
            "create": Create(self.writing, self.codec, self.forms),
            "update": self.update,
            "patch": self.patch,
            "delete": self.delete,
            "deletecollection": DeleteCollection(self.delete, self.list),
            "/bindings/create": binding,
        }
        for kind, answer in reviews.items():
            verbs[f"{kind}/create"] = Review(self.writing, self.codec, self.forms, answer)
        return verbs

    def of_subresources(self, requests: TokenRequests) -> dict[str, dict[str, Verb]]:
        """Give the verbs of subresources by their name."""
        whole: dict[str, Verb] = {"get": self.get, "update": self.update, "patch": self.patch}
        scale = Scale(self.writing, self.codec, self.forms)
        running = Running(self.writing)
        verbs: dict[str, dict[str, Verb]] = dict.fromkeys(PARTS, whole)
        verbs["scale"] = {"get": scale.get, "update": scale.put, "patch": scale.patch}
        verbs["token"] = {"create": Token(self.writing, self.codec, self.forms, requests)}
        verbs["binding"] = {"create": Binding(self.writing, self.codec)}
        eviction = Eviction(self.writing, self.codec, self.delete, self.list)
        eviction.budgets = self.registry.find("policy", "v1", "poddisruptionbudgets")
        verbs["eviction"] = {"create": eviction}
        verbs["log"] = {"get": Logs(self.writing)}
        for name in ("exec", "attach", "portforward", "proxy"):
            verbs[name] = {"*": running}
        return verbs
