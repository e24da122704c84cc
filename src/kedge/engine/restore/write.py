"""Carries out the plans of a restore: makes objects, or changes those that are there."""

from typing import Any, Final

import msgspec

from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.archive.item import Place
from kedge.client import patches, requests
from kedge.client.client import Client
from kedge.client.errors import DeadlineExceeded, Disconnected, Unreachable
from kedge.client.requests import Request, Writing
from kedge.client.responses import Response, check
from kedge.client.retry import REFUSED
from kedge.engine.discovery import Served
from kedge.engine.journal import Journal
from kedge.engine.restore.definitions import Definitions
from kedge.engine.restore.exec import HookRunner
from kedge.engine.restore.existing import Verdict, judge
from kedge.engine.restore.fields import text, value
from kedge.engine.restore.hand import Deed, NamespaceError
from kedge.engine.restore.ledger import Result
from kedge.engine.restore.plan import Plan
from kedge.engine.restore.request import RestoreRun
from kedge.kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Forbidden,
    InternalError,
    Invalid,
    NotFound,
)
from kedge.kube.foreign import cut
from kedge.kube.kind import Object, plain

NAMESPACE: Final = plain("v1", "Namespace", "namespaces", namespaced=False)
BUSY: Final = (REFUSED, 503, 504)
"""The server can not just now."""
TRIES: Final = 5
"""For a write that somebody else was faster than."""
PORT_TAKEN: Final = "provided port is already allocated"
UNSEEN: Final = (
    "Unable to retrieve in-cluster version of {}: {}, object won't be restored by velero or have "
    "restore labels, and existing resource policy is not applied"
)
TERMINATING: Final = "Terminating"
PAUSE: Final = Backoff(first=0.2, most=10.0)
POLL_SECONDS: Final = 1.0


class Writer:
    """A hand that writes."""

    def __init__(
        self, client: Client, run: RestoreRun, hooks: HookRunner, journal: Journal, clock: Clock
    ) -> None:
        """Write to a cluster; commands in pods are left to `hooks`."""
        self._client = client
        self._run = run
        self._hooks = hooks
        self._clock = clock
        # Fields that the server does not know are dropped anyway; it need not look for them.
        self._writing = Writing(client.settings.manager, validation="Ignore")
        self._definitions = Definitions(client, clock, run.resource_timeout, journal)

    async def put(self, plan: Plan) -> Deed:
        """Make an object or, where it is there, do what the policy says."""
        request = requests.create(plan.kind, plan.obj, plan.namespace or None, self._writing)
        response, again = await self._insist(request)
        try:
            check(response)
        except ApiError as exc:
            if not await self._is_there(plan, exc):
                raise
            return await self._there(plan, again=again)
        return await self._created(plan, response)

    def tell(self, place: Place, result: Result, why: str) -> None:
        """Hear of an object that is not put; the journal has it."""

    async def settle(self, definitions: list[Object]) -> Served:
        """Wait until new kinds are served."""
        return await self._definitions.settle(definitions)

    async def ensure(self, namespace: Object) -> bool:
        """Make a namespace; one that is going away is waited for."""
        name = namespace["metadata"]["name"]
        if not self._run.makes_namespaces:
            return await self._insist_on(name)
        deadline = self._clock.monotonic() + self._run.terminating_timeout.total_seconds()
        while True:
            request = requests.create(NAMESPACE, namespace, None, self._writing)
            response, again = await self._insist(request)
            try:
                check(response)
            except (AlreadyExists, Forbidden) as exc:
                # Whoever may not make it may have been given it.
                live = await self._live_namespace(name)
                if live is None and isinstance(exc, Forbidden):
                    raise NamespaceError(_uncreated(name, exc)) from None
                if live is not None and not is_terminating(live):
                    return again and isinstance(exc, AlreadyExists)
            except ApiError as exc:
                raise NamespaceError(_uncreated(name, exc)) from None
            else:
                return True
            if self._clock.monotonic() >= deadline:
                raise NamespaceError(
                    f"timed out waiting for terminating namespace {name} to disappear "
                    "before restoring"
                )
            await self._clock.sleep(POLL_SECONDS)

    async def _insist_on(self, name: str) -> bool:
        """Raise NamespaceError unless a namespace is there to stay."""
        live = await self._live_namespace(name)
        if live is None or is_terminating(live):
            raise NamespaceError(f"there is no namespace {name}, and this restore may make none")
        return False

    async def _live_namespace(self, name: str) -> Object | None:
        try:
            return await self._client.get(NAMESPACE, name)
        except NotFound:
            return None

    async def _insist(self, request: Request) -> tuple[Response, bool]:
        """Send a request until the server takes it; tell whether it may have been done before."""
        until = self._clock.monotonic() + self._run.resource_timeout.total_seconds()
        attempt = 0
        again = False
        while True:
            attempt += 1
            try:
                response = await self._client.send(request)
                if response.code not in BUSY or self._clock.monotonic() >= until:
                    return response, again
                again = again or response.code != REFUSED
            except (Unreachable, Disconnected, DeadlineExceeded) as exc:
                if self._clock.monotonic() >= until:
                    raise
                again = again or not isinstance(exc, Unreachable)
            await self._clock.sleep(PAUSE.delay(attempt))

    async def _is_there(self, plan: Plan, exc: ApiError) -> bool:
        """Tell whether a creation failed since the object is there."""
        if isinstance(exc, AlreadyExists):
            return True
        if plan.kind.name != "Service" or not isinstance(exc, Invalid | InternalError):
            return False
        causes = (exc.details or {}).get("causes") or ()
        if not causes or not all(PORT_TAKEN in str(each.get("message")) for each in causes):
            return False
        # The port may be that of another Service.
        try:
            await self._client.get(plan.kind.partial, plan.name, plan.namespace or None)
        except NotFound:
            return False
        return True

    async def _created(self, plan: Plan, response: Response) -> Deed:
        warnings: list[str] = []
        errors: list[str] = []
        if plan.status or plan.managed:
            created: Object = msgspec.json.decode(response.body)
            if plan.status:
                warnings += await self._put_status(plan, created)
            if plan.managed:
                await self._put_managed(plan, warnings, errors)
        if plan.place.resource == "pods" and self._run.runs_hooks:
            self._hooks.add(plan.obj)
        return Deed(Result.CREATED, tuple(warnings), tuple(errors))

    async def _put_status(self, plan: Plan, created: Object) -> list[str]:
        version = text(created, "metadata", "resourceVersion")
        namespace = plan.namespace or None
        for attempt in range(1, TRIES + 1):
            metadata = {**plan.obj["metadata"], "resourceVersion": version}
            wanted = {**plan.obj, "metadata": metadata, **plan.status}
            try:
                await self._client.update_status(plan.kind, wanted, namespace, self._writing)
            except Conflict as exc:
                if attempt == TRIES:
                    return [f"status field update failed: {cut(str(exc))}"]
                try:
                    live = await self._client.get(plan.kind, plan.name, namespace)
                except ApiError as lost:
                    return [f"status field update failed: {cut(str(lost))}"]
                version = text(live, "metadata", "resourceVersion")
            except ApiError as exc:
                return [f"status field update failed: {cut(str(exc))}"]
            else:
                break
        return []

    async def _put_managed(self, plan: Plan, warnings: list[str], errors: list[str]) -> None:
        change = patches.merge({"metadata": {"managedFields": plan.managed}})
        place = plan.namespace or None
        try:
            await self._client.patch(plan.kind, plan.name, change, place, self._writing)
        except NotFound as exc:
            warnings.append(f"item not found when patching managed fields: {cut(str(exc))}")
        except ApiError as exc:
            errors.append(f"error patch for managed fields: {cut(str(exc))}")

    async def _there(self, plan: Plan, *, again: bool) -> Deed:
        """Do to an object that is there what the policy says."""
        for attempt in range(1, TRIES + 1):
            try:
                live = await self._client.get(plan.kind, plan.name, plan.namespace or None)
            except ApiError as exc:
                where = f"{plan.namespace}/{plan.name}" if plan.namespace else plan.name
                return Deed(Result.FAILED, (UNSEEN.format(where, cut(str(exc))),))
            version = text(live, "metadata", "resourceVersion")
            verdict = judge(
                plan.compared(live),
                plan.obj,
                plan.place.resource,
                self._run.spec.existing_resource_policy,
            )
            try:
                return await self._apply(plan, verdict, version, again=again)
            except Conflict:
                if attempt == TRIES:
                    raise
        raise AssertionError("the last try returns or raises")

    async def _apply(self, plan: Plan, verdict: Verdict, version: str, *, again: bool) -> Deed:
        if verdict.warning:
            return Deed(Result.FAILED, (verdict.warning,))
        if verdict.patch is None:
            # Sent twice: the first one had been done.
            return Deed(Result.CREATED if again else Result.SKIPPED)
        try:
            await self._patch(plan, verdict.patch, version)
        except Conflict:
            raise
        except ApiError as exc:
            if not verdict.is_update:
                return Deed(Result.FAILED, errors=(cut(str(exc)),))
            return await self._fall_back(plan, verdict, version, cut(str(exc)))
        return Deed(Result.UPDATED if verdict.is_update else Result.SKIPPED)

    async def _fall_back(self, plan: Plan, verdict: Verdict, version: str, why: str) -> Deed:
        """Refresh the labels at least, where an object could not be changed."""
        errors: tuple[str, ...] = ()
        if verdict.fallback:
            try:
                await self._patch(plan, verdict.fallback, version)
            except ApiError as exc:
                errors = (cut(str(exc)),)
        return Deed(Result.FAILED, (why,), errors)

    async def _patch(self, plan: Plan, change: Object, version: str) -> None:
        """Change what was looked at, and not what it has become since."""
        metadata: dict[str, Any] = {**change.get("metadata", {}), "resourceVersion": version}
        bound = patches.merge({**change, "metadata": metadata})
        place = plan.namespace or None
        await self._client.patch(plan.kind, plan.name, bound, place, self._writing)


def _uncreated(name: str, exc: ApiError) -> str:
    return f"error creating namespace {name}: {cut(str(exc))}"


def is_terminating(namespace: Object) -> bool:
    """Tell whether a namespace is going away."""
    if text(namespace, "metadata", "deletionTimestamp"):
        return True
    return bool(value(namespace, "status", "phase") == TERMINATING)
