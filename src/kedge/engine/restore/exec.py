"""Runs commands in pods that came back, once their containers are up."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from kedge.aio.clock import Clock
from kedge.api.velero.labels import RESTORE_NAME
from kedge.api.velero.restore import RestoreHooks
from kedge.client.client import Client
from kedge.client.errors import ClientError, DeadlineExceeded
from kedge.client.requests import Selection
from kedge.engine.journal import Journal
from kedge.engine.restore.fields import rows, text, value
from kedge.engine.restore.hooks import ExecHook, PodHooks, exec_hooks
from kedge.kube.durations import format_duration
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.kind import Object, plain

PODS: Final = plain("v1", "Pod", "pods")
POLL_SECONDS: Final = 1.0
STOPPED: Final = "a hook failed whose onError is Fail"
ENDED: Final = ("Succeeded", "Failed")

Name = tuple[str, str]


@dataclass(slots=True)
class _Waiting:
    """A pod whose commands have not all run."""

    since: float
    hooks: list[ExecHook]
    busy: bool = False


@dataclass(slots=True)
class Tally:
    """How the commands went."""

    attempted: int = 0
    failed: int = 0


@dataclass(slots=True)
class HookRunner:
    """Looks at all pods that wait at once, and runs their commands as they can."""

    client: Client
    clock: Clock
    journal: Journal
    hooks: RestoreHooks | None
    restore: str
    """The value of the label that pods of this restore have."""
    patience_seconds: float
    """How long to wait for a container where a hook does not say."""
    tally: Tally = field(default_factory=Tally)
    _waiting: dict[Name, _Waiting] = field(default_factory=dict)
    _more: asyncio.Event = field(default_factory=asyncio.Event)
    _is_over: bool = False
    _stopped: bool = False

    def add(self, pod: Object) -> None:
        """Take on a pod that was made, if there are commands for it."""
        found: PodHooks = exec_hooks(pod, self.hooks)
        name = (text(pod, "metadata", "namespace"), text(pod, "metadata", "name"))
        for warning in found.warnings:
            self.journal.warning(warning, namespace=name[0])
        if found.hooks:
            waiting = _Waiting(self.clock.monotonic(), list(found.hooks))
            self._waiting[name] = waiting
            self._more.set()
            if self._stopped:
                self._give_up(name, waiting, STOPPED)

    def finish(self) -> None:
        """Say that no more pods come."""
        self._is_over = True
        self._more.set()

    async def run(self) -> None:
        """Run commands until all have run and no more pods come."""
        async with asyncio.TaskGroup() as group:
            while True:
                if not self._waiting:
                    if self._is_over:
                        return
                    self._more.clear()
                    await self._more.wait()
                    continue
                await self._look(group)
                await self.clock.sleep(POLL_SECONDS)

    async def _look(self, group: asyncio.TaskGroup) -> None:
        try:
            there = await self._pods()
        except (ApiError, ClientError) as exc:
            self.journal.info("can not look at pods that wait for hooks", error=cut(str(exc)))
            there = None
        for name, waiting in list(self._waiting.items()):
            if waiting.busy:
                continue
            if there is not None:
                self._serve(name, waiting, there.get(name), group)
            self._expire(name, waiting)
            if not waiting.hooks and not waiting.busy:
                self._waiting.pop(name, None)

    async def _pods(self) -> dict[Name, Object]:
        selection = Selection(labels=f"{RESTORE_NAME}={self.restore}")
        found: dict[Name, Object] = {}
        async for pod in self.client.list(PODS, selection):
            name = (text(pod, "metadata", "namespace"), text(pod, "metadata", "name"))
            if name in self._waiting:
                found[name] = pod
        return found

    def _serve(
        self, name: Name, waiting: _Waiting, pod: Object | None, group: asyncio.TaskGroup
    ) -> None:
        where = "/".join(name)
        if pod is None:
            self._give_up(name, waiting, f"pod {where} deleted before all hooks were executed")
            return
        phase = text(pod, "status", "phase")
        if phase in ENDED:
            self._give_up(
                name, waiting, f"pod entered phase {phase} before some post-restore exec hooks ran"
            )
            return
        ready = next((each for each in waiting.hooks if is_up(pod, each.container, waiting)), None)
        if ready is not None:
            waiting.busy = True
            group.create_task(self._run_in(name, waiting, ready.container))

    def _expire(self, name: Name, waiting: _Waiting) -> None:
        if waiting.busy:
            return
        elapsed = self.clock.monotonic() - waiting.since
        for hook in list(waiting.hooks):
            most = min(hook.wait_seconds, self.patience_seconds)
            if elapsed >= most and hook in waiting.hooks:
                waiting.hooks.remove(hook)
                limit = format_duration(timedelta(seconds=most))
                self._failed(name, hook, f"not executed: its container was not up within {limit}")

    async def _run_in(self, name: Name, waiting: _Waiting, container: str) -> None:
        """Run all commands for a container that is up, one after the other."""
        try:
            for hook in [each for each in waiting.hooks if each.container == container]:
                if hook not in waiting.hooks:
                    return
                waiting.hooks.remove(hook)
                await self._exec(name, hook)
        finally:
            waiting.busy = False
            if not waiting.hooks:
                self._waiting.pop(name, None)

    async def _exec(self, name: Name, hook: ExecHook) -> None:
        facts = {"namespace": name[0], "name": name[1]}
        try:
            result = await self.client.exec(
                name[1],
                name[0],
                hook.command,
                container=hook.container,
                timeout_seconds=hook.exec_seconds,
            )
        except DeadlineExceeded:
            limit = format_duration(timedelta(seconds=hook.exec_seconds))
            why = f"timed out after {limit}"
        except (ApiError, ClientError) as exc:
            why = cut(str(exc))
        else:
            for stream, output in (("stdout", result.stdout), ("stderr", result.stderr)):
                told = cut(output.decode(errors="replace"))
                self.journal.info(f"{stream}: {told}", hookName=hook.name, **facts)
            why = f"command terminated with exit code {result.code}" if result.code else ""
        if why:
            self._failed(name, hook, f"failed to execute, err: {why}")
        else:
            self.tally.attempted += 1
            self.journal.info("Executed hook", hookName=hook.name, **facts)

    def _failed(self, name: Name, hook: ExecHook, why: str) -> None:
        self.tally.attempted += 1
        self.tally.failed += 1
        where = f"hook {hook.name} in container {hook.container} in pod {'/'.join(name)}"
        self.journal.error(f"{where} {why}", namespace=name[0])
        if hook.fails and not self._stopped:
            self._stopped = True
            for other, waiting in list(self._waiting.items()):
                self._give_up(other, waiting, STOPPED)

    def _give_up(self, name: Name, waiting: _Waiting, why: str) -> None:
        hooks, waiting.hooks = list(waiting.hooks), []
        for hook in hooks:
            self._failed(name, hook, f"not executed: {why}")
        if not waiting.busy:
            self._waiting.pop(name, None)


def is_up(pod: Object, container: str, waiting: _Waiting) -> bool:
    """Tell whether commands can run in a container: it runs or, if one wants that, is ready."""
    for_ready = any(each.for_ready for each in waiting.hooks if each.container == container)
    for status in rows(pod, "status", "containerStatuses"):
        if text(status, "name") == container:
            if for_ready:
                return status.get("ready") is True
            return isinstance(value(status, "state", "running"), dict)
    return False
