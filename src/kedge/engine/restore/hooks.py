"""Commands that run in a pod that came back: which, in which container, and for how long."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import msgspec

from kedge.api.velero.hook import OnError
from kedge.api.velero.labels import POST_RESTORE_HOOK
from kedge.api.velero.restore import RestoreExecHook, RestoreHookGroup, RestoreHooks
from kedge.engine.includes import Includes
from kedge.engine.restore.fields import annotations, labels, rows, text
from kedge.kube.durations import DurationError, parse_duration
from kedge.kube.kind import Object

FROM_ANNOTATION: Final = "<from-annotation>"
EXEC_SECONDS: Final = 30.0
"""For a command, where nobody says how long it may take."""
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


@dataclass(frozen=True, slots=True)
class ExecHook:
    """One command."""

    name: str
    container: str
    command: tuple[str, ...]
    fails: bool
    """Nothing more runs in the pod after it has failed."""
    exec_seconds: float
    wait_seconds: float
    """How long to wait for the container."""
    for_ready: bool
    """The container must be ready, not only running."""


@dataclass(frozen=True, slots=True)
class PodHooks:
    """The commands for a pod, and what was wrong with how they were told."""

    hooks: tuple[ExecHook, ...] = ()
    warnings: tuple[str, ...] = ()


def command_of(words: str) -> list[str]:
    """Read a command: a list in JSON, or else one word."""
    if not words:
        return []
    if words.startswith("["):
        try:
            return msgspec.json.decode(words, type=list[str])
        except (msgspec.MsgspecError, RecursionError):
            return [words]
    return [words]


def applicable(
    hooks: RestoreHooks | None, namespace: str, found: Mapping[str, Any]
) -> Iterator[RestoreHookGroup]:
    """Give the groups of hooks for a pod in the namespace into which it goes."""
    for group in (hooks and hooks.resources) or ():
        if not Includes.of(group.included_namespaces, group.excluded_namespaces).has(namespace):
            continue
        if group.label_selector is None or group.label_selector.selector.matches(found):
            yield group


def exec_hooks(pod: Object, hooks: RestoreHooks | None) -> PodHooks:
    """Give the commands for a pod: those of its annotations or, without any, of the Restore."""
    containers = [text(each, "name") for each in rows(pod, "spec", "containers")]
    if not containers:
        return PodHooks()
    warnings: list[str] = []
    found = list(_annotated(pod, containers[0], warnings)) or list(
        _from_spec(pod, containers[0], hooks)
    )
    where = f"{text(pod, 'metadata', 'namespace')}/{text(pod, 'metadata', 'name')}"
    for strange in dict.fromkeys(each.container for each in found):
        if strange not in containers:
            warnings.append(
                f"Pod {where} does not have container {strange}: discarding post-restore exec hooks"
            )
    kept = tuple(each for each in found if each.container in containers)
    return PodHooks(kept, tuple(warnings))


def _annotated(pod: Object, first: str, warnings: list[str]) -> Iterator[ExecHook]:
    told = {
        key.removeprefix(POST_RESTORE_HOOK): each
        for key, each in annotations(pod).items()
        if key.startswith(POST_RESTORE_HOOK)
    }
    command = command_of(told.get("command", ""))
    if not command:
        return
    ready = told.get("wait-for-ready", "")
    if ready and ready not in _TRUE | _FALSE:
        warnings.append(f"Unable to parse wait for ready {ready}, ignoring")
    yield ExecHook(
        FROM_ANNOTATION,
        told.get("container") or first,
        tuple(command),
        told.get("on-error") == OnError.FAIL,
        _seconds(told.get("exec-timeout", ""), "exec", warnings) or EXEC_SECONDS,
        _seconds(told.get("wait-timeout", ""), "wait", warnings) or math.inf,
        ready in _TRUE,
    )


def _from_spec(pod: Object, first: str, hooks: RestoreHooks | None) -> Iterator[ExecHook]:
    namespace = text(pod, "metadata", "namespace")
    for group in applicable(hooks, namespace, labels(pod)):
        for hook in group.post_hooks or ():
            if hook.exec is not None and hook.exec.command:
                yield _hook(group.name, hook.exec, first)


def _hook(name: str, hook: RestoreExecHook, first: str) -> ExecHook:
    return ExecHook(
        name,
        hook.container or first,
        tuple(hook.command or ()),
        hook.on_error == OnError.FAIL,
        _seconds(hook.exec_timeout, "exec", []) or EXEC_SECONDS,
        _seconds(hook.wait_timeout, "wait", []) or math.inf,
        bool(hook.wait_for_ready),
    )


def _seconds(duration: str, what: str, warnings: list[str]) -> float:
    """Read a duration; what is none, or not more than nothing, counts as not given."""
    if not duration:
        return 0.0
    try:
        return max(parse_duration(duration), timedelta(0)).total_seconds()
    except DurationError:
        warnings.append(f"Unable to parse {what} timeout {duration}, ignoring")
        return 0.0
