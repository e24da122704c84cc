"""Commands that run in pods before and after they are saved."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

import msgspec

from kedge.api.velero.backup import BackupHook, BackupHookGroup, BackupSpec, ExecHook
from kedge.api.velero.hook import OnError
from kedge.api.velero.labels import BACKUP_HOOK, POST_BACKUP_HOOK, PRE_BACKUP_HOOK
from kedge.client.errors import ClientError, DeadlineExceeded
from kedge.client.exec import Result
from kedge.engine.backup.relations import PODS, Pod
from kedge.engine.discovery import Served
from kedge.engine.includes import Includes
from kedge.engine.journal import Journal
from kedge.kube.durations import DurationError, duration_of, format_duration
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.gotext import quote
from kedge.kube.selectors import EVERYTHING, Selector

PRE: Final = "pre"
POST: Final = "post"
TIMEOUT: Final = timedelta(seconds=30)
OVER: Final = ("Succeeded", "Failed")
"""In these phases no command can run, and none needs to."""
FROM_ANNOTATION: Final = "<from-annotation>"
_ALWAYS: Final = "Always"
_PREFIXES: Final = {PRE: (PRE_BACKUP_HOOK, BACKUP_HOOK), POST: (POST_BACKUP_HOOK,)}


class Exec(Protocol):
    """Runs commands in pods; a client does."""

    async def exec(
        self,
        name: str,
        namespace: str,
        command: Sequence[str],
        *,
        container: str | None,
        timeout_seconds: float | None,
    ) -> Result:
        """Run a command to its end."""


class HookError(Exception):
    """A hook failed."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A command that is to be run in a pod."""

    name: str
    command: tuple[str, ...]
    container: str = ""
    """Empty: the first of the pod."""
    stops: bool = True
    """Whether its failure keeps the pod from being saved, and later hooks from being run."""
    timeout: timedelta = TIMEOUT
    problem: str = ""
    """What is wrong with it, so that something else was taken."""


@dataclass(frozen=True, slots=True)
class HookGroup:
    """Hooks for the pods that are selected."""

    name: str
    namespaces: Includes
    resources: Includes
    selector: Selector
    pre: tuple[Hook, ...] = ()
    post: tuple[Hook, ...] = ()

    def is_for(self, pod: Pod) -> bool:
        """Tell whether a pod is selected."""
        return (
            self.namespaces.has(pod.metadata.namespace)
            and self.resources.has(PODS)
            and self.selector.matches(pod.metadata.labels)
        )


def hook_groups(spec: BackupSpec, served: Served) -> tuple[HookGroup, ...]:
    """Read the hooks of a spec; raises SelectorError."""
    groups = (spec.hooks.resources if spec.hooks else None) or ()
    return tuple(_group(group, served) for group in groups)


def _group(group: BackupHookGroup, served: Served) -> HookGroup:
    def resolved(names: Sequence[str] | None) -> Iterator[str]:
        for name in names or ():
            found = served.resolve(name)
            yield name if found is None else str(found)

    return HookGroup(
        group.name,
        Includes.of(group.included_namespaces, group.excluded_namespaces),
        Includes.of(resolved(group.included_resources), resolved(group.excluded_resources)),
        EVERYTHING if group.label_selector is None else group.label_selector.selector,
        _of_spec(group.name, group.pre),
        _of_spec(group.name, group.post),
    )


def _of_spec(name: str, hooks: Sequence[BackupHook] | None) -> tuple[Hook, ...]:
    return tuple(_of_exec(name, hook.exec) for hook in hooks or () if hook.exec is not None)


def _of_exec(name: str, hook: ExecHook) -> Hook:
    timeout, problem = _timeout(hook.timeout)
    stops = hook.on_error != OnError.CONTINUE
    return Hook(name, tuple(hook.command or ()), hook.container, stops, timeout, problem)


def _timeout(text: str) -> tuple[timedelta, str]:
    try:
        timeout = duration_of(text, TIMEOUT)
    except DurationError as exc:
        return TIMEOUT, f"Unable to parse provided timeout {text}, using default: {exc}"
    return (timeout if timeout > timedelta(0) else TIMEOUT), ""


def annotated_hook(annotations: dict[str, str] | None, phase: str) -> Hook | None:
    """Read the hook that a pod names itself; None: it names none."""
    for prefix in _PREFIXES[phase]:
        command = (annotations or {}).get(f"{prefix}command")
        if annotations and command:
            timeout, problem = _timeout(annotations.get(f"{prefix}timeout", ""))
            return Hook(
                FROM_ANNOTATION,
                parse_command(command),
                annotations.get(f"{prefix}container", ""),
                annotations.get(f"{prefix}on-error") != OnError.CONTINUE,
                timeout,
                problem,
            )
    return None


def parse_command(text: str) -> tuple[str, ...]:
    """Read a command: an array in JSON, or one word."""
    if not text.startswith("["):
        return (text,)
    try:
        return msgspec.json.decode(text, type=tuple[str, ...])
    except ValueError:
        return (text,)


def hooks_of(pod: Pod, groups: Sequence[HookGroup], phase: str) -> tuple[Hook, ...]:
    """Choose the hooks of a pod: its own, and only if it has none those of the spec."""
    own = annotated_hook(pod.metadata.annotations, phase)
    if own is not None:
        return (own,)
    found: list[Hook] = []
    for group in groups:
        if group.is_for(pod):
            found += group.pre if phase == PRE else group.post
    return tuple(found)


def container_of(pod: Pod, hook: Hook) -> str:
    """Find the container that a command runs in; raises HookError."""
    containers = pod.spec.containers or []
    if not hook.container:
        if not containers:
            raise HookError("need at least 1 container")
        return containers[0].name
    sidecars = (one for one in pod.spec.init_containers or () if one.restart_policy == _ALWAYS)
    if hook.container in {one.name for one in (*containers, *sidecars)}:
        return hook.container
    raise HookError(f"no such container: {quote(hook.container)}")


@dataclass
class Hooks:
    """Runs the hooks of a backup, and counts them."""

    exec: Exec
    groups: Sequence[HookGroup]
    journal: Journal
    attempted: int = 0
    failed: int = 0
    is_on: bool = True
    """False: none are run, not even those that a pod names itself."""

    def has_any(self, pod: Pod) -> bool:
        """Tell whether there is something to be run in a pod."""
        if not self.is_on:
            return False
        return bool(hooks_of(pod, self.groups, PRE) or hooks_of(pod, self.groups, POST))

    async def run(self, pod: Pod, phase: str) -> bool:
        """Run the hooks of a pod one after the other; False: one failed whose failure counts."""
        hooks = hooks_of(pod, self.groups, phase)
        self.attempted += len(hooks)  # as Velero counts: those that a failure stops, too
        for hook in hooks:
            facts = {
                "resource": PODS,
                "namespace": pod.metadata.namespace,
                "name": pod.metadata.name,
                "hookName": hook.name,
                "hookPhase": phase,
            }
            if hook.problem:
                self.journal.warning(hook.problem, **facts)
            try:
                await self._run(pod, hook, facts)
            except HookError as exc:
                self.failed += 1
                self.journal.error("Error executing hook", **facts, error=str(exc))
                if hook.stops:
                    return False
        return True

    async def _run(self, pod: Pod, hook: Hook, facts: dict[str, str]) -> None:
        container = container_of(pod, hook)
        if not hook.command:
            raise HookError("command is required")
        if pod.status.phase in OVER:
            self.journal.info(f"Pod is in phase {pod.status.phase}: no hook is run", **facts)
            return
        self.journal.info("running exec hook", **facts, hookContainer=container)
        try:
            result = await self.exec.exec(
                pod.metadata.name,
                pod.metadata.namespace,
                hook.command,
                container=container,
                timeout_seconds=hook.timeout.total_seconds(),
            )
        except DeadlineExceeded:
            text = f"timed out after {format_duration(hook.timeout)}"
            raise HookError(text) from None
        except (ApiError, ClientError) as exc:
            raise HookError(cut(str(exc))) from exc
        if result.code:
            raise HookError(f"command terminated with exit code {result.code}{_said(result)}")


def _said(result: Result) -> str:
    """Give the beginning of what a command said of its failure, on one line."""
    text = re.sub(r"\s+", " ", result.stderr.decode(errors="replace")).strip()
    return f": {cut(text)}" if text else ""
