import io
import json
import logging
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from kedge.cli.logs import JSON, LEVELS, MASK, TEXT, configure
from kedge.runtime.context import reconciling

logger = logging.getLogger("kedge.tests.logs")

JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Give the logging of the test run back to it."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    logging.captureWarnings(False)
    for handler in list(root.handlers):
        root.removeHandler(handler)
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)


def lines(form: str, level: str = "debug") -> io.StringIO:
    stream = io.StringIO()
    configure(form, level, stream)
    return stream


def one(stream: io.StringIO) -> str:
    text = stream.getvalue()
    assert text.endswith("\n")
    # As every tool that reads logs might split it.
    assert len(text.splitlines()) == 1
    return text[:-1]


def json_of(stream: io.StringIO) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(one(stream))
    return found


def test_text_is_time_level_logger_message_and_pairs() -> None:
    stream = lines(TEXT)
    logger.info("reconciled", extra={"took_seconds": 0.5, "object": "sea/boat", "why": "it is due"})
    when, rest = one(stream).split(" ", 1)
    assert datetime.fromisoformat(when).tzinfo == UTC
    assert rest == (
        'INFO    kedge.tests.logs reconciled took_seconds=0.5 object=sea/boat why="it is due"'
    )


def test_json_has_head_message_and_facts() -> None:
    stream = lines(JSON)
    logger.warning("it failed", extra={"count": 3, "names": ["a", "b"], "none": None, "yes": True})
    line = json_of(stream)
    assert datetime.fromisoformat(line.pop("ts")).tzinfo == UTC
    assert line == {
        "level": "warning",
        "logger": "kedge.tests.logs",
        "msg": "it failed",
        "count": 3,
        "names": ["a", "b"],
        "none": None,
        "yes": True,
    }


@pytest.mark.parametrize("form", [TEXT, JSON])
def test_what_is_worked_on_is_in_every_line(form: str) -> None:
    stream = lines(form)
    with reconciling("boats", "sea/boat") as work:
        logger.info("m")
    text = one(stream)
    assert "boats" in text
    assert "sea/boat" in text
    assert work.reconcile_id in text


def fail(text: str) -> None:
    raise ValueError(text)


HOSTILE = [
    "two\nlines",
    "carriage\rreturn",
    "nul\x00",
    "escape\x1b[31mred",
    "next line\x85here",
    "line separator\u2028here",
    "paragraph\u2029here",
    "vertical\x0btab and form\x0cfeed",
    "file\x1cseparator",
    "turned \u202ebackwards",
    "half a \ud800pair",
]


@pytest.mark.parametrize("form", [TEXT, JSON])
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_nothing_breaks_a_line(form: str, text: str) -> None:
    stream = lines(form)
    logger.info(text, extra={"fact": text, text: "key"})
    line = one(stream)
    assert line.isprintable()
    line.encode()


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_json_gives_back_what_was_told(text: str) -> None:
    stream = lines(JSON)
    logger.info("m", extra={"fact": text})
    assert json_of(stream)["fact"] == text


def test_a_value_can_not_pretend_to_be_a_pair() -> None:
    stream = lines(TEXT)
    logger.info("m", extra={"a": 'x" b=y', "c": "", "d": "back\\slash", "e": "k=v", "f": "it's"})
    _, pairs = one(stream).split(" m ", 1)
    assert pairs == r"""a="x\" b=y" c="" d="back\\slash" e="k=v" f="it's" """.strip()


@pytest.mark.parametrize("form", [TEXT, JSON])
def test_an_exception_is_one_field(form: str) -> None:
    stream = lines(form)
    try:
        fail("of two\nlines")
    except ValueError:
        logger.exception("it failed", extra={"object": "sea/boat"})
    line = one(stream)
    assert "Traceback" in line
    assert "ValueError: of two" in line
    if form == JSON:
        exception = json.loads(line)["exception"]
        assert exception.startswith("Traceback (most recent call last):\n")


def test_an_exception_that_is_not_there_is_not_told() -> None:
    stream = lines(JSON)
    logger.error("m", exc_info=True)  # noqa: LOG014 - somebody does it
    assert "exception" not in json_of(stream)


def test_a_stack_is_one_field() -> None:
    stream = lines(JSON)
    logger.info("m", stack_info=True)
    assert json_of(stream)["stack"].startswith("Stack (most recent call last)")


@pytest.mark.parametrize("form", [TEXT, JSON])
@pytest.mark.parametrize(
    "key",
    ["token", "bearer_token", "password", "secret", "clientSecret", "Authorization", "private_key"],
)
def test_a_fact_that_is_secret_by_its_name_is_not_written(form: str, key: str) -> None:
    stream = lines(form)
    logger.info("m", extra={key: "hunter2", "outer": {key: "hunter2", "list": [{key: "hunter2"}]}})
    line = one(stream)
    assert "hunter2" not in line
    assert MASK in line


@pytest.mark.parametrize("form", [TEXT, JSON])
@pytest.mark.parametrize(
    "secret",
    [
        "Bearer abcdefgh12345678",
        "authorization: basic dXNlcjpwYXNz",
        JWT,
        PEM,
        PEM[:40],
        "https://user:abcdefgh12345678@host/",
    ],
)
def test_what_looks_like_a_login_is_not_written_wherever_it_is(form: str, secret: str) -> None:
    stream = lines(form)
    try:
        fail(f"it was {secret}")
    except ValueError:
        logger.exception("it was %s", secret, extra={"fact": secret, "facts": [secret]})
    line = one(stream)
    for part in ("abcdefgh12345678", "dXNlcjpwYXNz", "MIIEow", JWT.split(".")[1]):
        assert part not in line


@pytest.mark.parametrize(
    "text",
    ["the bearer of news", "basic rules", "https://host:6443/path", "a@b.c", "eyJ", "token bucket"],
)
def test_plain_words_stay(text: str) -> None:
    stream = lines(JSON)
    logger.info("m", extra={"fact": text})
    assert json_of(stream)["fact"] == text


def test_facts_do_not_hide_the_head() -> None:
    stream = lines(JSON)
    logger.info("m", extra={"level": 3, "ts": 4, "logger": "x"})
    line = json_of(stream)
    assert (line["level"], line["logger"], line["msg"]) == ("info", "kedge.tests.logs", "m")
    assert (line["level_"], line["ts_"], line["logger_"]) == (3, 4, "x")


@pytest.mark.parametrize("form", [TEXT, JSON])
def test_facts_of_any_type_are_written(form: str) -> None:
    class Odd:
        def __str__(self) -> str:
            return "odd one"

    stream = lines(form)
    odd = {
        "thing": Odd(),
        "when": datetime(2030, 1, 1, tzinfo=UTC),
        "nan": float("nan"),
        "inf": float("inf"),
        "bytes": b"\xff",
        "map": {1: Odd()},
        "set": {Odd()},
        "error": ValueError("bad"),
    }
    logger.info("m", extra=odd)
    line = one(stream)
    assert "odd one" in line
    assert "2030-01-01T00:00:00+00:00" in line
    assert "bad" in line
    if form == JSON:
        json.loads(line, parse_constant=lambda name: pytest.fail(name))


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_shows_itself_and_what_is_above(level: str) -> None:
    stream = lines(JSON, level)
    for name in LEVELS:
        getattr(logger, name)("m")
    shown = [json.loads(line)["level"] for line in stream.getvalue().splitlines()]
    assert shown == list(LEVELS)[list(LEVELS).index(level) :]


def test_configured_again_it_writes_once() -> None:
    lines(TEXT)
    stream = lines(JSON)
    logger.info("m")
    assert json_of(stream)["msg"] == "m"


def test_warnings_of_libraries_are_logged() -> None:
    stream = lines(JSON)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert "DeprecationWarning: old" in json_of(stream)["msg"]


@pytest.mark.parametrize(
    ("form", "level", "named"),
    [
        ("yaml", "info", "log format must be one of text, json, and is 'yaml'"),
        ("text", "loud", "log level must be one of debug, info, warning, error, and is 'loud'"),
        ("text", "INFO", "log level"),
    ],
)
def test_what_there_is_not_is_refused_by_name(form: str, level: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        configure(form, level)
