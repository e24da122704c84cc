import logging

import pytest

from kedge.client.warning import KNOWN_LIMIT, Warnings, texts


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        pytest.param(['299 - "a is old"'], ["a is old"], id="one"),
        pytest.param(['299 - "a"', '299 kube "b"'], ["a", "b"], id="two headers"),
        pytest.param(['299 - "a", 299 - "b"'], ["a", "b"], id="two in one header"),
        pytest.param([r'299 - "say \"a\" and \\b"'], [r'say "a" and \b'], id="quoted"),
        pytest.param(['199 - "misc"', "nonsense", ""], [], id="what Kubernetes does not send"),
    ],
)
def test_texts_are_read_from_headers(headers: list[str], found: list[str]) -> None:
    assert texts(headers) == found


def test_each_warning_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    warn = Warnings()
    with caplog.at_level(logging.WARNING):
        for text in ("a", "b", "a"):
            warn(text)
    assert [record.__dict__["warning"] for record in caplog.records] == ["a", "b"]


def test_what_is_remembered_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    warn = Warnings()
    with caplog.at_level(logging.WARNING):
        for number in range(KNOWN_LIMIT + 1):
            warn(str(number))
        warn("0")
    assert len(caplog.records) == KNOWN_LIMIT + 2
