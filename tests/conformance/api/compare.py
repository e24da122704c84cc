"""Where two answers differ: a line for each place."""

from collections.abc import Iterator
from typing import Any

from tests.conformance.api.model import Conversation, Step
from tests.conformance.api.run import Answer

SHOWN = 300


def differences(
    conversation: Conversation, expected: list[Answer | None], found: list[Answer | None]
) -> dict[str, list[str]]:
    """Compare two records of a conversation; the result has lines by step (`3 GET /path`)."""
    titles = [step.title for step in _in_order(conversation.steps)]
    result: dict[str, list[str]] = {}
    if len(expected) != len(found) or len(found) != len(titles):
        return {"-": [f"recorded {len(expected)} answers to {len(titles)} steps: record anew"]}
    for number, (title, one, other) in enumerate(zip(titles, expected, found, strict=True)):
        lines = list(_differ("", one, other))
        if lines:
            result[f"{number} {title}"] = lines
    return result


def _in_order(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The steps in the order of their answers: a watch answers after the steps within it."""
    for step in steps:
        yield from _in_order(step.steps)
        yield step


def _differ(path: str, expected: Any, found: Any) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted(expected.keys() | found.keys()):
            where = f"{path}.{name}"
            if name not in found:
                yield f"{where}: missing {_shown(expected[name])}"
            elif name not in expected:
                yield f"{where}: not expected {_shown(found[name])}"
            else:
                yield from _differ(where, expected[name], found[name])
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from _differ(f"{path}[{index}]", one, other)
    elif expected != found:
        yield f"{path}: expected {_shown(expected)}, found {_shown(found)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."
