from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kedge.runtime.correlate import (
    COMBINED,
    MESSAGE_BYTES,
    Correlator,
    Happening,
    Memory,
    Subject,
    Telling,
    cut,
)

START = datetime(2030, 1, 1, tzinfo=UTC)
POD = Subject("v1", "Pod", "sea", "boat", "u")


class Source:
    """Tells of things, in virtual time."""

    def __init__(self) -> None:
        self.correlator = Correlator()
        self.elapsed = 0.0
        self._count = 0

    def wait(self, seconds: float) -> None:
        self.elapsed += seconds

    def tell(
        self, message: str = "m", reason: str = "R", type_: str = "Normal", subject: Subject = POD
    ) -> Telling | None:
        self._count += 1
        at = START + timedelta(seconds=self.elapsed)
        name = f"{subject.name}.{self._count}"
        happening = Happening(subject, type_, reason, message, at, self.elapsed, name)
        return self.correlator.correlate(happening)


def summary(telling: Telling | None) -> tuple[str, int, str] | None:
    if telling is None:
        return None
    return telling.name, telling.count, telling.happening.message


def test_the_first_of_its_kind_is_a_new_object() -> None:
    source = Source()
    telling = source.tell()
    assert summary(telling) == ("boat.1", 1, "m")
    assert telling is not None
    assert telling.first == START


def test_equal_events_are_one_object_that_counts() -> None:
    source = Source()
    source.tell()
    source.wait(5)
    second = source.tell()
    assert summary(second) == ("boat.1", 2, "m")
    assert second is not None
    assert (second.first, second.happening.at) == (START, START + timedelta(seconds=5))
    assert summary(source.tell()) == ("boat.1", 3, "m")


@pytest.mark.parametrize(
    "other",
    [
        {"message": "n"},
        {"reason": "S"},
        {"type_": "Warning"},
        {"subject": replace(POD, name="ship")},
        {"subject": replace(POD, uid="v")},
        {"subject": replace(POD, namespace="lake")},
        {"subject": replace(POD, kind="Boat")},
        {"subject": replace(POD, api_version="v2")},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_differs_is_another_object(other: dict[str, str]) -> None:
    source = Source()
    source.tell()
    telling = source.tell(**other)  # type: ignore[arg-type]
    assert telling is not None
    assert telling.count == 1


def test_the_version_of_the_subject_makes_no_difference() -> None:
    correlator = Correlator()
    one = Happening(POD, "Normal", "R", "m", START, 0.0, "boat.1", version="1")
    correlator.correlate(one)
    again = correlator.correlate(replace(one, version="2", name="boat.2"))
    assert summary(again) == ("boat.1", 2, "m")


def test_nine_messages_are_told_one_by_one_and_the_tenth_is_combined() -> None:
    source = Source()
    told = [summary(source.tell(f"m{n}")) for n in range(1, 13)]
    assert told[:9] == [(f"boat.{n}", 1, f"m{n}") for n in range(1, 10)]
    assert told[9:] == [
        ("boat.10", 1, f"{COMBINED}m10"),
        ("boat.10", 2, f"{COMBINED}m11"),
        ("boat.10", 3, f"{COMBINED}m12"),
    ]


def test_a_known_message_is_counted_by_itself_even_then() -> None:
    source = Source()
    for n in range(1, 12):
        source.tell(f"m{n}")
    assert summary(source.tell("m1")) == ("boat.1", 2, "m1")


def test_different_reasons_are_not_similar() -> None:
    source = Source()
    for n in range(1, 10):
        source.tell(f"m{n}", reason="R")
    assert summary(source.tell("m10", reason="S")) == ("boat.10", 1, "m10")


def test_after_ten_minutes_of_silence_messages_are_told_one_by_one_again() -> None:
    source = Source()
    for n in range(1, 11):
        source.tell(f"m{n}")
    source.wait(600)
    assert summary(source.tell("m11")) == ("boat.10", 2, f"{COMBINED}m11")
    source.wait(600.001)
    assert summary(source.tell("m12")) == ("boat.12", 1, "m12")


def test_a_combined_message_is_cut_too() -> None:
    source = Source()
    for n in range(9):
        source.tell(f"m{n}")
    telling = source.tell("x" * MESSAGE_BYTES)
    assert telling is not None
    assert len(telling.happening.message) == MESSAGE_BYTES
    assert telling.happening.message.startswith(COMBINED)


def test_twenty_five_pass_at_once_and_one_each_five_minutes() -> None:
    source = Source()
    told = [source.tell() for _ in range(30)]
    assert [telling is not None for telling in told] == [True] * 25 + [False] * 5
    source.wait(299)
    assert source.tell() is None
    source.wait(1.001)
    telling = source.tell()
    assert summary(telling) == ("boat.1", 32, "m")
    assert source.tell() is None


def test_a_long_rest_fills_the_burst_and_no_more() -> None:
    source = Source()
    for _ in range(30):
        source.tell()
    source.wait(300 * 1000)
    assert sum(source.tell() is not None for _ in range(50)) == 25


def test_warnings_pass_though_there_were_too_many_normal_ones() -> None:
    source = Source()
    for _ in range(30):
        source.tell()
    assert source.tell(type_="Warning") is not None
    assert source.tell(subject=replace(POD, name="ship")) is not None
    assert source.tell(reason="S") is None


def test_memory_is_bounded_and_keeps_what_was_used_last() -> None:
    memory: Memory[str, int] = Memory(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c"), len(memory)) == (1, None, 3, 2)


def test_what_was_forgotten_is_told_anew() -> None:
    source = Source()
    source.correlator = Correlator(remembered=10)
    source.tell()
    for n in range(10):
        source.tell(subject=replace(POD, name=f"n{n}"))
    telling = source.tell()
    assert telling is not None
    assert telling.count == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("short", "short"),
        ("x" * 1024, "x" * 1024),
        ("x" * 1025, "x" * 1024),
        ("x" * 1023 + "é", "x" * 1023),
        ("x" * 1022 + "é", "x" * 1022 + "é"),
        ("😀" * 300, "😀" * 256),
        ("a\ud800b", "a?b"),
        ("", ""),
    ],
)
def test_a_message_is_cut_between_characters(text: str, kept: str) -> None:
    assert cut(text) == kept
