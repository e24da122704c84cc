"""`parse` and any text: a schedule or a CronError, soon, and the same verdict as the oracle's."""

import re
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kedge.cron import CronError, parse
from tests.cron_oracle.reading import read
from tests.cron_oracle.refused import Refused
from tests.cron_oracle.settings import examples

TOKENS = [
    *"*?-/, 0123456789+_.:#@=LW\t\n\x00\x1c\x85\u00a0\u2003\u0663\u00b2\uff11\ud800",
    *("TZ=", "CRON_TZ=", "UTC ", "Europe/Amsterdam ", "../", "@every ", "@daily", "@hourly", "1h"),
    *("jan", "FEB", "Mon", "sun", "59", "60", "23", "24", "31", "32", "12", "13", "* * * * *"),
    *("9" * 25, "9223372036854775807", "-1", "+1", "*/", "1-", "1_0", "0x5", "1e1", "\u00b5s"),
]
cron_like = st.lists(st.sampled_from(TOKENS), max_size=14).map("".join)
five_fields = st.lists(
    st.lists(st.sampled_from([*TOKENS[:36], "jan", "5-9", "*/2"]), min_size=1, max_size=4).map(
        "".join
    ),
    min_size=4,
    max_size=6,
).map(" ".join)
HUGE = {
    "stars": "*" * 10**6,
    "a list of ones": "1," * 500_000,
    "a list of ones in five fields": "1," * 500_000 + " * * * *",
    "a list of stars in five fields": "*," * 500_000 + " * * * *",
    "commas": "," * 10**6 + " * * * *",
    "spaces": " " * 10**6,
    "digits": "9" * 10**6 + " * * * *",
    "zeros": "0" * 10**6 + " * * * *",
    "a long step": "*/" + "1" * 10**6 + " * * * *",
    "hyphens": "1" + "-1" * 500_000 + " * * * *",
    "slashes": "1" + "/1" * 500_000 + " * * * *",
    "fields": "* " * 500_000,
    "a long zone": "TZ=" + "A" * 10**6 + " * * * * *",
    "a zone and nothing": "TZ=" + "A" * 10**6,
    "folders of a zone": "CRON_TZ=" + "a/" * 500_000 + " * * * * *",
    "zones": "TZ=UTC " * 140_000,
    "a long period": "@every " + "1" * 10**6 + "h",
    "a long sum of periods": "@every " + "1h" * 500_000,
    "a long fraction": "@every 1." + "1" * 10**6 + "s1",
    "an unknown descriptor": "@" + "a" * 10**6,
    "letters": "a" * 10**6,
    "NUL": "\x00" * 10**6,
    "emoji": "\U0001f600" * 250_000 + " * * * *",
}


def refusal(text: str) -> CronError | None:
    """Give the error `parse` raises, if it raises one; let anything but CronError out."""
    try:
        parse(text)
    except CronError as error:
        return error
    return None


def accepted(text: str) -> bool:
    """Tell whether `parse` takes a text, and check the error if it does not."""
    error = refusal(text)
    if error is None:
        return True
    assert isinstance(error, ValueError)
    assert isinstance(error.field, str)
    assert isinstance(error.piece, str)
    assert error.field
    assert str(error)
    return False


@examples(200)
@given(text=st.text(st.characters(), max_size=60))
@example(text="\ud800 * * * *")
@example(text="\x00")
@example(text="TZ=\x00 * * * * *")
@example(text="TZ=../../etc/passwd * * * * *")
@example(text="TZ=/etc/localtime * * * * *")
@example(text="TZ=Europe * * * * *")
@example(text="TZ=\ud800 * * * * *")
@example(text="TZ=Europe/Amsterdam\n * * * * *")
def test_any_text_is_a_schedule_or_a_cron_error(text: str) -> None:
    accepted(text)


@examples(300)
@given(text=st.one_of(cron_like, five_fields))
def test_text_like_cron_is_accepted_exactly_when_the_original_accepts_it(text: str) -> None:
    try:
        read(text)
    except Refused:
        expected = False
    else:
        expected = True
    assert accepted(text) == expected


def test_texts_of_a_megabyte_are_refused_soon() -> None:
    """Soon is so many calls, whatever the machine: a text that is not even read needs a few."""
    for name, text in HUGE.items():
        calls = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            is_accepted = accepted(text)
        finally:
            sys.setprofile(None)
        assert not is_accepted, name
        assert calls < 100, name


@pytest.mark.parametrize("name", HUGE)
def test_the_error_for_a_megabyte_is_short_enough_to_read(name: str) -> None:
    with pytest.raises(CronError) as caught:
        parse(HUGE[name])
    assert len(str(caught.value)) < 1000


def test_a_zone_that_is_not_there_is_a_cron_error() -> None:
    for zone in ("Nowhere/Land", "../UTC", "/etc/localtime", "Europe", "\x00", "\ud800", "utc"):
        with pytest.raises(CronError, match=re.escape(zone) if zone.isalpha() else None):
            parse("* * * * *", zone=zone)
