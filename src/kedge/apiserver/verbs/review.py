"""Reviews and token requests: creations that are answered and not stored."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from kedge.aio.clock import Clock
from kedge.apiserver.auth import reviews, tokenrequest
from kedge.apiserver.auth.authenticate import Authenticator
from kedge.apiserver.auth.rbac import Authorizer
from kedge.apiserver.auth.tokenrequest import TokenRequests
from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.forms import Forms
from kedge.apiserver.http.query import write_options
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.resource import Object
from kedge.apiserver.verbs.writing import SYSTEM, Writing
from kedge.kube.apply import Manager, manager_name, track

AUTHENTICATION = "authentication.k8s.io"
AUTHORIZATION = "authorization.k8s.io"

API_VERSION, KIND = "authentication.k8s.io/v1", "TokenRequest"

Answer = Callable[[Call, Object], Object]


@dataclass(frozen=True, slots=True)
class Review:
    """Answers POST of one kind of review."""

    writing: Writing
    codec: Codec
    forms: Forms
    answer: Answer

    async def __call__(self, call: Call) -> Reply:
        """Answer the question in the body."""
        options = write_options(call.query, "CreateOptions")
        obj = await self.codec.aside(call.weight, self.codec.read, call, options.validation)
        for name in SYSTEM:
            obj["metadata"].pop(name, None)
        self.writing.fit_namespace(call, obj["metadata"])
        # A review keeps all that was sent, until its answer takes the place of the status.
        manager = replace(self.writing.manager(call, options), reset=None)
        obj["metadata"]["managedFields"] = track(
            None, None, obj, call.resource.schema, manager, self.writing.now()
        )
        return self.forms.one_object(call, 201, self.answer(call, obj))


@dataclass(frozen=True, slots=True)
class Token:
    """Answers POST of a TokenRequest to a service account."""

    writing: Writing
    codec: Codec
    forms: Forms
    requests: TokenRequests

    async def __call__(self, call: Call) -> Reply:
        """Make a token."""
        options = write_options(call.query, "CreateOptions")
        read = self.codec.read_kind
        obj = await self.codec.aside(call.weight, read, call, API_VERSION, KIND, options.validation)
        tokenrequest.default(obj)
        self.writing.fit_namespace(call, obj["metadata"])
        self.writing.gate.check_place(call, obj)
        manager = Manager(manager_name(options.manager, call.agent), API_VERSION, call.subresource)
        schema = self.codec.schema_of(API_VERSION, KIND)
        obj["metadata"]["managedFields"] = track(
            None, None, obj, schema, manager, self.writing.now()
        )
        return self.forms.one_object(
            call, 201, self.requests.create(call.namespace, call.name, obj)
        )


def answers(
    authorizer: Authorizer, authenticator: Authenticator, clock: Clock
) -> dict[str, Answer]:
    """Give the answer of each kind of review, by group and plural."""

    def own_access(call: Call, obj: Object) -> Object:
        return reviews.self_subject_access_review(obj, call.user, authorizer)

    def access(call: Call, obj: Object) -> Object:
        return reviews.subject_access_review(obj, authorizer)

    def local_access(call: Call, obj: Object) -> Object:
        return reviews.local_subject_access_review(obj, call.namespace, authorizer)

    def rules(call: Call, obj: Object) -> Object:
        return reviews.self_subject_rules_review(obj, call.user, authorizer)

    def own_name(call: Call, obj: Object) -> Object:
        return reviews.self_subject_review(call.user, clock.now())

    def token(call: Call, obj: Object) -> Object:
        return reviews.token_review(obj, authenticator)

    return {
        f"{AUTHORIZATION}/selfsubjectaccessreviews": own_access,
        f"{AUTHORIZATION}/subjectaccessreviews": access,
        f"{AUTHORIZATION}/localsubjectaccessreviews": local_access,
        f"{AUTHORIZATION}/selfsubjectrulesreviews": rules,
        f"{AUTHENTICATION}/selfsubjectreviews": own_name,
        f"{AUTHENTICATION}/tokenreviews": token,
    }
