"""Durations in what people ask for: a Velero reads all of its objects in vain if one is none. Pure.

The schemas have a pattern for them, which does not see one that is too long.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kedge.kube.durations import DurationError, parse_duration
from kedge.selfservice.spelling import DURATIONS

Spec = Mapping[str, Any]
_HOOKS: Final = ("pre", "post", "postHooks")
_IN_HOOKS: Final = (
    ("exec", "timeout"),
    ("exec", "execTimeout"),
    ("exec", "waitTimeout"),
    ("init", "timeout"),
)


def duration_problem(spec: Spec) -> str:
    """Say where a spec has a duration that Velero can not read; empty: it can read all of them."""
    for name, text in _durations(spec):
        try:
            parse_duration(text)
        except DurationError as exc:
            return f"{name} is invalid: {exc}"
    return ""


def _durations(spec: Spec) -> Iterator[tuple[str, str]]:
    """Give all durations that are set, with their places."""
    yield from ((name, spec[name]) for name in sorted(DURATIONS) if spec.get(name))
    for at, resource in enumerate((spec.get("hooks") or {}).get("resources") or ()):
        for when in _HOOKS:
            for number, hook in enumerate(resource.get(when) or ()):
                for kind, name in _IN_HOOKS:
                    if text := (hook.get(kind) or {}).get(name):
                        yield f"hooks.resources[{at}].{when}[{number}].{kind}.{name}", text
