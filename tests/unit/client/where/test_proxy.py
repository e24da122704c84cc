import pytest

from kedge.client.where import proxy
from kedge.client.where.errors import ConfigError

P = "http://proxy:3128"


def through(server: str, no_proxy: str) -> bool:
    environ = {"HTTPS_PROXY": P, "HTTP_PROXY": P, "NO_PROXY": no_proxy}
    return proxy.from_environment(server, environ) is not None


@pytest.mark.parametrize(
    ("server", "environ", "found"),
    [
        ("https://h", {"HTTPS_PROXY": P}, P),
        ("https://h", {"https_proxy": P}, P),
        ("https://h", {"HTTPS_PROXY": "", "https_proxy": P}, P),
        ("https://h", {"HTTP_PROXY": P}, None),
        ("http://h", {"HTTP_PROXY": P}, P),
        ("http://h", {"HTTPS_PROXY": P}, None),
        ("https://h", {"HTTPS_PROXY": "proxy:3128"}, P),
        ("https://h", {"HTTPS_PROXY": "https://u:p@proxy"}, "https://u:p@proxy"),
        ("https://h", {"ALL_PROXY": P}, None),
        ("https://h", {}, None),
    ],
)
def test_the_variable_depends_on_the_server(
    server: str, environ: dict[str, str], found: str | None
) -> None:
    assert proxy.from_environment(server, environ) == found


@pytest.mark.parametrize(
    "server",
    ["https://localhost", "https://LOCALHOST:1", "https://127.1.2.3", "https://[::1]:6443"],
)
def test_this_machine_is_never_behind_a_proxy(server: str) -> None:
    assert not through(server, "")


@pytest.mark.parametrize(
    ("server", "no_proxy", "is_through"),
    [
        ("https://a.example.org", "example.org", False),
        ("https://example.org", "example.org", False),
        ("https://badexample.org", "example.org", True),
        ("https://example.org", ".example.org", True),
        ("https://a.example.org", ".example.org", False),
        ("https://a.example.org", "*.example.org", False),
        ("https://example.org", "*.example.org", True),
        ("https://A.EXAMPLE.org", " Example.ORG ", False),
        ("https://example.org:6443", "example.org:6443", False),
        ("https://example.org:6443", "example.org:443", True),
        ("https://example.org", "example.org:443", False),
        ("http://example.org", "example.org:443", True),
        ("https://10.1.2.3", "10.0.0.0/8", False),
        ("https://11.1.2.3", "10.0.0.0/8", True),
        ("https://10.1.2.3", "10.1.2.3", False),
        ("https://10.1.2.3:6443", "10.1.2.3:6443", False),
        ("https://10.1.2.3:6443", "10.1.2.3:443", True),
        ("https://[fd00::1]:6443", "fd00::/8", False),
        ("https://[fd00::1]:6443", "fd00::1", False),
        ("https://[fd00::1]:6443", "[fd00::1]:6443", False),
        ("https://[fd00::1]:6443", "[fd00::1]:1", True),
        ("https://[fd00::1]:6443", "fe80::/16", True),
        ("https://10.1.2.3", "3", True),
        ("https://x", "*", False),
        ("https://x", "a, *", False),
        ("https://x", ",,:80, ,/8", True),
        ("https://bücher.example", "xn--bcher-kva.example", False),
        ("https://xn--bcher-kva.example", "bücher.example", False),
    ],
)
def test_exceptions(server: str, no_proxy: str, is_through: bool) -> None:
    assert through(server, no_proxy) is is_through


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("socks5://u:hunter2@proxy:1080", "socks5 proxies are not supported; use http or https"),
        ("socks5h://proxy", "socks5h proxies are not supported"),
        ("ftp://u:hunter2@proxy", "must be the URL of a proxy"),
        ("http://", "must be the URL of a proxy"),
        ("hunter2", "must be the URL of a proxy"),
        ("http://proxy:hunter2", "must be the URL of a proxy"),
        ("http://[proxy", "must be the URL of a proxy"),
    ],
)
def test_what_cannot_be_used_is_named(url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^proxy-url:? {message}") as caught:
        proxy.checked(url, "proxy-url")
    assert "hunter2" not in str(caught.value)


def test_a_bad_variable_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^https_proxy: socks5 proxies"):
        proxy.from_environment("https://h", {"https_proxy": "socks5://p"})


def test_a_bad_variable_that_is_not_used_is_no_error() -> None:
    environ = {"HTTPS_PROXY": "socks5://p", "NO_PROXY": "h"}
    assert proxy.from_environment("https://h", environ) is None


def test_a_request_cannot_set_the_proxy_of_a_cgi_program() -> None:
    environ = {"HTTP_PROXY": P, "REQUEST_METHOD": "GET"}
    with pytest.raises(ConfigError, match=r"^HTTP_PROXY is not used in a CGI program"):
        proxy.from_environment("http://h", environ)
