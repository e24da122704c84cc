"""Wire NonAdminBackupStorageLocations to the API: look, decide, take one step after the other."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import uuid4

import msgspec

from kedge.aio.clock import Clock
from kedge.api.nonadmin.location_request import ApprovalDecision
from kedge.client import Client
from kedge.client.patches import merge
from kedge.controllers.nabsl import status
from kedge.controllers.nabsl.decide import (
    Act,
    Scene,
    Step,
    TellRequest,
    Write,
    decide,
    effective_spec,
    request_for,
)
from kedge.controllers.nabsl.heads import NABSLS, REQUESTS, Nabsl, Request, is_of, secret_name
from kedge.controllers.nabsl.making import Making
from kedge.controllers.nabsl.removal import Removal
from kedge.controllers.nabsl.spec import spec_problem
from kedge.controllers.nabsl.status import Made
from kedge.kube.errors import AlreadyExists, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.kube.times import format_time
from kedge.runtime import AWAIT_CHANGE, Cache, Key, Result
from kedge.runtime.recording import Recording
from kedge.selfservice.change import change_to
from kedge.selfservice.conditions import FALSE
from kedge.selfservice.finalizer import set_finalizer
from kedge.selfservice.marks import ADMIN_ASKED, ADMIN_ASKED_VALUE, is_nacuuid
from kedge.selfservice.policies import Policies
from kedge.selfservice.policy import NOTHING, Policy

logger = logging.getLogger(__name__)

NAME: Final = "nonadminbackupstoragelocation"
MOST_STEPS: Final = 20
"""No object needs more of them; one that does goes round in circles."""
RETRY_SECONDS: Final = 60.0
"""What is refused, or can not be made, is looked at again, if nothing changes before."""


class Endless(Exception):
    """One step led to another without an end: a fault of ours."""


@dataclass(slots=True)
class View:
    """What is found out in the course of one look at an object."""

    policy: Policy = NOTHING
    request: Request | None = None
    """The one that is there; None: what the cache says counts."""
    made: Made | None = None
    is_revoked: bool = False


@dataclass(slots=True)
class NabslController:
    """Brings the buckets of people on their way."""

    client: Client
    home: str
    requests: Cache[Request]
    making: Making
    removal: Removal
    policies: Policies
    recorder: Recording
    clock: Clock
    sync_period: timedelta
    make_uuid: Callable[[], str] = lambda: str(uuid4())

    async def reconcile(self, key: Key) -> Result:
        """Bring one object up to date."""
        try:
            nabsl = await self.client.get(NABSLS, key.name, key.namespace)
        except NotFound:
            return AWAIT_CHANGE
        if nabsl.is_leaving:
            await self._leave(nabsl)
            return AWAIT_CHANGE
        view = View(await self.policies.current())
        if view.policy.problems and self.making.location(nabsl) is not None:
            # A slip in the policy neither opens what is closed, nor closes what is open.
            return Result(after_seconds=self.policies.again_seconds)
        for _ in range(MOST_STEPS):
            scene = await self._scene(nabsl, view)
            step = decide(scene)
            if step is Act.DONE:
                return _again(scene)
            nabsl = await self._take(nabsl, view, step)
        raise Endless(f"the NonAdminBackupStorageLocation {key} has no end")

    async def _scene(self, nabsl: Nabsl, view: View) -> Scene:
        found = view.request or self.requests.get(Key(self.home, nabsl.nacuuid))
        is_own = found is None or is_of(found.metadata, nabsl)
        is_odd = bool(nabsl.nacuuid) and not is_nacuuid(nabsl.nacuuid)
        return Scene(
            nabsl=nabsl,
            home=self.home,
            now=self.clock.now(),
            uuid=self.make_uuid(),
            problem=await self._problem(nabsl, found if is_own else None, view.policy),
            request=found,
            is_foreign=is_odd or not is_own,
            is_there=not view.is_revoked and self.making.is_there(nabsl),
            require_approval=view.policy.require_approval,
            made=view.made,
        )

    async def _problem(self, nabsl: Nabsl, request: Request | None, policy: Policy) -> str:
        spec = effective_spec(nabsl, request)
        problem = spec_problem(spec, policy, self.sync_period)
        if problem or spec is None or self.making.is_there(nabsl):
            return problem
        if await self.making.has_source(nabsl, spec):
            return ""
        return f'BSL credentials secret not found: secrets "{cut(secret_name(spec))}" not found'

    async def _take(self, nabsl: Nabsl, view: View, step: Step) -> Nabsl:
        """Take a step; give the object as it is after it."""
        match step:
            case Write(change):
                return await self._write(nabsl, change)
            case TellRequest(change):
                view.request = await self._tell_request(nabsl, view, change)
            case Act.ADD_FINALIZER:
                return await set_finalizer(self.client, NABSLS, nabsl, present=True)
            case Act.CREATE_REQUEST:
                view.request = await self._ask(nabsl, view.policy)
            case Act.APPROVE:
                decision = {"approvalDecision": ApprovalDecision.APPROVE.value}
                view.request = await self._change(nabsl, view, asked=None, spec=decision)
            case Act.ASK:
                view.request = await self._change(nabsl, view, asked=ADMIN_ASKED_VALUE)
            case Act.REVOKE:
                await self.removal.revoke(nabsl)
                view.is_revoked = True
            case Act.MAKE:
                request = self._request(nabsl, view)
                spec = effective_spec(nabsl, request) or {}
                view.made = await self.making.make(
                    nabsl, spec, view.policy.location, is_asked=request.is_asked
                )
        return nabsl

    def _request(self, nabsl: Nabsl, view: View) -> Request:
        found = view.request or self.requests.get(Key(self.home, nabsl.nacuuid))
        if found is None:
            raise NotFound(f"the request {nabsl.nacuuid} went while it was looked at")
        return found

    async def _write(self, nabsl: Nabsl, change: Object) -> Nabsl:
        """Write a status, and tell what is new in it."""
        namespace, name = nabsl.place
        bound = {"resourceVersion": nabsl.metadata.resource_version}
        patch = merge({"metadata": bound, "status": change})
        new = await self.client.patch_status(NABSLS, name, patch, namespace)
        for kind, reason, message in status.notes(nabsl.conditions, new.conditions):
            self.recorder.record(new, kind, reason, message, kind=NABSLS)
        return new

    async def _ask(self, nabsl: Nabsl, policy: Policy) -> Request:
        """Make the request, unless it is there and the cache does not show it."""
        wanted = request_for(nabsl, self.home, require_approval=policy.require_approval)
        try:
            made = await self.client.create(REQUESTS, msgspec.convert(wanted, Request))
        except AlreadyExists:
            return await self.client.get(REQUESTS, nabsl.nacuuid, self.home)
        logger.info("a bucket is asked for", extra={"request": nabsl.nacuuid})
        return made

    async def _tell_request(self, nabsl: Nabsl, view: View, change: Object) -> Request:
        request = self._request(nabsl, view)
        bound = {"resourceVersion": request.metadata.resource_version}
        patch = merge({"metadata": bound, "status": change})
        return await self.client.patch_status(REQUESTS, nabsl.nacuuid, patch, self.home)

    async def _change(
        self, nabsl: Nabsl, view: View, asked: str | None, spec: Object | None = None
    ) -> Request:
        """Note whose the decision on a request is, and make it where it is ours."""
        request = self._request(nabsl, view)
        bound = {"resourceVersion": request.metadata.resource_version}
        meta = {**bound, "annotations": {ADMIN_ASKED: asked}}
        patch = merge({"metadata": meta, "spec": spec or {}})
        return await self.client.patch(REQUESTS, nabsl.nacuuid, patch, self.home)

    async def _leave(self, nabsl: Nabsl) -> None:
        """Delete what was made for an object, and let it go."""
        if not nabsl.has_finalizer:
            return
        told = status.leaving(nabsl, format_time(self.clock.now()))
        if change := change_to(nabsl.status, told):
            nabsl = await self._write(nabsl, change)
        await self.removal.end(nabsl)
        with suppress(NotFound):  # that is what was wanted
            await set_finalizer(self.client, NABSLS, nabsl, present=False)


def _again(scene: Scene) -> Result:
    """Look again at what is not as it should be: not all that it depends on is followed."""
    failed = scene.made is not None and any(one.status == FALSE for one in scene.made.sayings)
    return Result(after_seconds=RETRY_SECONDS) if failed or scene.problem else AWAIT_CHANGE
