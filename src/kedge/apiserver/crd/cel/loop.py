"""Loops: what macros do with every item of a list, or every key of a map."""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.cel.value import CelError, CostError, no_such_overload

Frame = list[Any]
"""The variables, and at the end how many more steps loops may take."""
Run = Callable[[Frame], Any]
Steps = Callable[[Frame], Any]

TOO_MUCH = "operation cancelled: actual cost limit exceeded"
MAX_STEPS = 1_000_000  # what cel-go's limit for one call allows at the very most


def _count(frame: Frame) -> None:
    frame[-1] -= 1
    if frame[-1] < 0:
        raise CostError(TOO_MUCH)


def boolean(value: Any) -> bool:
    """Give a boolean as it is. Raises CelError for anything else."""
    if value.__class__ is not bool:
        raise no_such_overload()
    return bool(value)


def singles(over: Run, place: int) -> Steps:
    """Make an iteration over items, or the keys of a map."""

    def steps(frame: Frame) -> Any:
        held = over(frame)
        if held.__class__ is not list and held.__class__ is not dict:
            raise no_such_overload()
        for item in held:
            _count(frame)
            frame[place] = item
            yield frame

    return steps


def pairs(over: Run, place: int) -> Steps:
    """Make an iteration over positions and items, or over keys and values."""

    def steps(frame: Frame) -> Any:
        held = over(frame)
        if held.__class__ is not list and held.__class__ is not dict:
            raise no_such_overload()
        for key, item in held.items() if held.__class__ is dict else enumerate(held):
            _count(frame)
            frame[place], frame[place + 1] = key, item
            yield frame

    return steps


def _quantifier(stop: bool) -> Callable[[Steps, list[Run]], Run]:
    """Make all (stops at false) or exists (stops at true): what decides wins over errors."""

    def make(steps: Steps, parts: list[Run]) -> Run:
        predicate = parts[0]

        def run(frame: Frame) -> bool:
            error: CelError | None = None
            for _ in steps(frame):
                try:
                    if boolean(predicate(frame)) is stop:
                        return stop
                except CelError as exc:
                    error = error or exc
            if error is not None:
                raise error
            return not stop

        return run

    return make


def _exists_one(steps: Steps, parts: list[Run]) -> Run:
    predicate = parts[0]
    return lambda frame: sum(boolean(predicate(frame)) for _ in steps(frame)) == 1


def _listing(steps: Steps, parts: list[Run]) -> Run:
    item = parts[0]
    if len(parts) == 1:
        return lambda frame: [item(frame) for _ in steps(frame)]
    predicate = parts[1]
    return lambda frame: [item(frame) for _ in steps(frame) if boolean(predicate(frame))]


def _mapping(steps: Steps, parts: list[Run]) -> Run:
    key, value, *rest = parts

    def run(frame: Frame) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for _ in steps(frame):
            if not rest or boolean(rest[0](frame)):
                _insert(found, key(frame), value(frame))
        return found

    return run


def _entries(steps: Steps, parts: list[Run]) -> Run:
    entry, *rest = parts

    def run(frame: Frame) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for _ in steps(frame):
            if not rest or boolean(rest[0](frame)):
                for key, value in entry(frame).items():
                    _insert(found, key, value)
        return found

    return run


def _insert(found: dict[Any, Any], key: Any, value: Any) -> None:
    if key in found:
        raise CelError(f"insert failed: key {key} already exists")
    found[key] = value


LOOPS: dict[str, Callable[[Steps, list[Run]], Run]] = {
    "all": _quantifier(stop=False),
    "exists": _quantifier(stop=True),
    "exists_one": _exists_one,
    "map": _listing,
    "transformMap": _mapping,
    "transformMapEntry": _entries,
}
