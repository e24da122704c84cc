import pytest

from kedge.apiserver.crd.text.uri import parse


def test_the_parts_of_a_uri_are_told_apart() -> None:
    uri = parse("HTTPS://user:pw@example.com:8443/a%20b/c?q=1#not-a-fragment")
    assert uri is not None
    assert (uri.scheme, uri.user, uri.host) == ("https", "user:pw", "example.com:8443")
    assert (uri.hostname, uri.port) == ("example.com", "8443")
    assert (uri.escaped_path, uri.query) == ("/a%20b/c", "q=1#not-a-fragment")


def test_an_address_in_brackets_has_no_brackets_in_its_name() -> None:
    uri = parse("http://[::1]:80/")
    assert uri is not None
    assert (uri.hostname, uri.port) == ("::1", "80")


def test_a_path_is_escaped_where_it_was_not() -> None:
    uri = parse("/a b/ü")
    assert uri is not None
    assert uri.escaped_path == "/a%20b/%C3%BC"


@pytest.mark.parametrize("text", ["", "relative", "http://a:port", "http://[::1", "/%zz", "a\x00b"])
def test_what_is_no_request_uri_gives_nothing(text: str) -> None:
    assert parse(text) is None
