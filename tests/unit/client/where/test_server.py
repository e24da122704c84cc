import pytest

from kedge.client.where.errors import ConfigError
from kedge.client.where.server import parse


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://host:6443", "https://host:6443"),
        ("https://host:6443/", "https://host:6443"),
        ("https://host/k8s/clusters/c-1/", "https://host/k8s/clusters/c-1"),
        ("HTTPS://Host", "https://Host"),
        ("https://[fd00::1]:6443", "https://[fd00::1]:6443"),
        ("https://host/p?q=1#f", "https://host/p"),
        ("https://u:p@host", "https://host"),
        ("host:8080", "http://host:8080"),
        ("host", "http://host"),
        ("http://host", "http://host"),
    ],
)
def test_addresses(text: str, url: str) -> None:
    assert parse(text, "server").url == url


def test_a_user_in_the_url_is_taken_out() -> None:
    found = parse("https://m%40e:p%3Ass@host", "server")
    assert (found.username, found.password) == ("m@e", "p:ss")
    assert "ss" not in repr(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "https://",
        "ftp://host",
        "unix:///run/hunter2",
        "host/hunter2",
        "https://host:hunter2",
        "https://host:99999",
        "https://ho st",
        "https://host\nX: hunter2",
        "https://[::1",
        "://hunter2",
        "/hunter2",
    ],
)
def test_what_is_no_address_is_named_and_not_shown(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^clusters\[c\]\.server must be") as caught:
        parse(text, "clusters[c].server")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__
