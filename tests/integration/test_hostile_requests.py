"""Paths, queries, headers and HTTP that nobody sends in good faith: answers as Kubernetes gives."""

from itertools import repeat

import pytest

from tests.integration.hostile import CONFIGS, config
from tests.integration.hostile import wire as wire
from tests.integration.wire import Wire, answer_of, received

NO_RESOURCE = "the server could not find the requested resource"
NO_PAGE = "404 page not found"
NO_METHOD = "the server does not allow this method on the requested resource"
LONG = "a" * 70_000


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        (f"{CONFIGS}/%00", 404, 'configmaps "\\x00" not found'),
        (f"{CONFIGS}/a%00b", 404, 'configmaps "a\\x00b" not found'),
        (f"{CONFIGS}/..", 400, "Name parameter invalid: \"..\": may not be '..'"),
        (f"{CONFIGS}/%2e%2e", 400, "Name parameter invalid: \"..\": may not be '..'"),
        (f"{CONFIGS}/a%2Fb", 404, NO_RESOURCE),
        (f"{CONFIGS}/x/y/z/w", 404, NO_RESOURCE),
        (f"{CONFIGS}/a+b", 404, 'configmaps "a+b" not found'),
        (f"{CONFIGS}/a%25b", 400, "Name parameter invalid: \"a%b\": may not contain '%'"),
        (f"{CONFIGS}/{LONG}", 404, f'configmaps "{LONG}" not found'),
        ("/api/v1/namespaces/..%2f..%2fetc/configmaps", 404, NO_RESOURCE),
        ("/api/v1/../../etc/passwd", 404, NO_RESOURCE),
        ("/api/v1//namespaces", 404, NO_RESOURCE),
        ("/api/v1/namespaces/default/./configmaps", 404, NO_RESOURCE),
        ("//api/v1/namespaces", 404, NO_PAGE),
        ("/./api", 404, NO_PAGE),
        ("/api;x=y/v1", 404, NO_PAGE),
        ("/apis/%00/v1/x", 404, NO_PAGE),
        ("/healthz/%00", 404, NO_PAGE),
        ("/%", 400, "400 Bad Request"),
        (f"{CONFIGS}/%zz", 400, "400 Bad Request"),
        (f"{CONFIGS}/a b", 400, "400 Bad Request"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) and value.startswith("/") else "",
)
def test_a_path(wire: Wire, path: str, code: int, message: str) -> None:
    answer = wire.ask("GET", path)
    assert (answer.code, answer.message) == (code, message)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v1/namespaces/%00/configmaps", "ConfigMapList"),
        ("/api/v1/namespaces/%ff%fe/configmaps", "ConfigMapList"),
        ("/apis/apps%2Fv1/deployments", "DeploymentList"),
        ("/%61pi/v1/namespaces/default", "Namespace"),
        (f"{CONFIGS}/", "ConfigMapList"),
        (f"http://elsewhere{CONFIGS}", "ConfigMapList"),
    ],
)
def test_a_path_that_is_only_odd(wire: Wire, path: str, kind: str) -> None:
    answer = wire.ask("GET", path)
    assert (answer.code, answer.object["kind"]) == (200, kind)


@pytest.mark.parametrize("name", ["%ff", "%c3%28", "%ed%a0%80"])
def test_a_name_that_is_no_utf8_is_not_there(wire: Wire, name: str) -> None:
    assert wire.ask("GET", f"{CONFIGS}/{name}").code == 404


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("fieldSelector=%00", "invalid selector: '\x00'; can't understand '\x00'"),
        ("limit=%00", 'strconv.ParseInt: parsing "\\x00": invalid syntax'),
        (f"limit={'9' * 20}", f'strconv.ParseInt: parsing "{"9" * 20}": value out of range'),
        (
            "continue=%ff%00",
            "invalid continue token: continue key is not valid: "
            "illegal base64 data at input byte 0",
        ),
        (
            f"continue={'A' * 5000}",
            "invalid continue token: continue key is not valid: invalid character '\\x00' "
            "looking for beginning of value",
        ),
        (
            "resourceVersion=%00",
            'invalid resource version: resourceVersion: Invalid value: "\\x00": '
            'strconv.ParseUint: parsing "\\x00": invalid syntax',
        ),
    ],
    ids=lambda value: value[:20],
)
def test_a_query_that_means_nothing(wire: Wire, query: str, message: str) -> None:
    answer = wire.ask("GET", f"{CONFIGS}?{query}")
    assert (answer.code, answer.message) == (400, message)


@pytest.mark.parametrize(
    "query",
    [
        "limit=1;2",
        "%zz=1",
        "labelSelector=%zz",
        "fieldSelector=metadata.name%3D%00",
        "labelSelector=" + "a%3Db," * 5000 + "c",
        "x=" + "y" * 900_000,
        "&".join(f"a{number}=1" for number in range(5000)),
    ],
    ids=lambda value: value[:25],
)
def test_a_query_that_is_only_odd(wire: Wire, query: str) -> None:
    assert wire.ask("GET", f"{CONFIGS}?{query}").code == 200


@pytest.mark.parametrize("query", ["labelSelector=%ff", "labelSelector=a%3D%ff"])
def test_a_selector_that_is_no_utf8(wire: Wire, query: str) -> None:
    answer = wire.ask("GET", f"{CONFIGS}?{query}")
    assert answer.code == 400
    assert answer.message.startswith("unable to parse requirement: ")


@pytest.mark.parametrize(
    "field",
    [
        "X-Long: " + "a" * 70_000,
        "Accept: application/json" + ",a/b;q=0.5" * 60_000,
        "User-Agent: " + "a" * 500_000,
        'If-None-Match: "a"' + ',"b"' * 100_000,
    ],
    ids=lambda value: value[:12],
)
def test_a_long_header(wire: Wire, field: str) -> None:
    assert wire.ask("GET", "/version", headers=[field]).code == 200


def test_many_headers(wire: Wire) -> None:
    assert wire.ask("GET", "/version", headers=[f"X-{n}: a" for n in range(5000)]).code == 200


@pytest.mark.parametrize("line", ["GET /version?{} HTTP/1.1", "GET /version HTTP/1.1\r\nX: {}"])
def test_more_than_a_mebibyte_before_the_body_is_refused(wire: Wire, line: str) -> None:
    answer = answer_of(wire.exchange(wire.head(line.format("a" * 2_000_000))))
    assert (answer.code, answer.message) == (431, "431 Request Header Fields Too Large")


@pytest.mark.parametrize(
    "data",
    [
        b"HELLO\r\n\r\n",
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET /version HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET /version HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
        b"GET /version HTTP/1.1\r\nHost: a\r\nnocolon\r\n\r\n",
        b"GET /version HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n",
        b"POST /version HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /version HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST /version HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    ],
)
def test_what_is_no_http(wire: Wire, data: bytes) -> None:
    answer = answer_of(wire.exchange(data))
    assert answer.code == 400
    assert answer.message.startswith("400 Bad Request")


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PROPFIND"])
def test_a_method_that_means_nothing(wire: Wire, method: str) -> None:
    answer = wire.ask(method, CONFIGS)
    assert (answer.code, answer.message) == (405, NO_METHOD)


def test_requests_that_do_not_wait_for_each_other_are_answered_in_order(wire: Wire) -> None:
    heads = [wire.head(f"GET {path} HTTP/1.1") for path in ("/healthz", f"{CONFIGS}/nobody")]
    heads.append(wire.head("GET /healthz HTTP/1.1", ["Connection: close"]))
    data = wire.exchange(b"".join(heads))
    codes = [int(part.split()[1]) for part in data.split(b"HTTP/")[1:]]
    assert codes == [200, 404, 200]


def test_a_thousand_requests_at_once_on_one_connection(wire: Wire) -> None:
    heads = [wire.head("GET /healthz HTTP/1.1")] * 999
    heads.append(wire.head("GET /healthz HTTP/1.1", ["Connection: close"]))
    data = wire.exchange(b"".join(heads))
    assert data.count(b"HTTP/1.1 200 OK") == 1000


def test_an_upgrade_to_nothing_known_is_a_plain_request(wire: Wire) -> None:
    headers = ["Connection: Upgrade", "Upgrade: tea"]
    head = wire.head("GET /healthz HTTP/1.1", headers)
    with wire.connected() as connection:
        connection.sendall(head)
        assert b"200 OK" in connection.recv(4096)


def test_a_client_that_asks_first_is_told_to_go_on(wire: Wire) -> None:
    body = config("polite")
    fields = ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    head = wire.head(
        f"POST {CONFIGS}?dryRun=All HTTP/1.1",
        [*fields, "Expect: 100-continue", "Connection: close"],
    )
    with wire.connected() as connection:
        connection.sendall(head)
        assert connection.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert answer_of(received(connection)).code == 201


def test_a_packed_body_is_not_unpacked(wire: Wire) -> None:
    fields = ["Content-Type: application/json", "Content-Encoding: gzip"]
    answer = wire.ask("POST", f"{CONFIGS}?dryRun=All", config("plain"), fields)
    assert answer.code == 201


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("Authorization: Bearer \xff\xfe", 401),
        ("Authorization: Bearer " + "a.b." * 100_000, 401),
        ("Accept: \xff", 406),
        ("Impersonate-User: \xff", 403),
        ("Impersonate-Extra-\xff: a", 400),
    ],
    ids=lambda value: str(value)[:18],
)
def test_a_header_that_is_no_text(wire: Wire, field: str, code: int) -> None:
    token = Wire(wire.url, wire.tls) if field.startswith("Authorization") else wire
    assert token.ask("GET", CONFIGS, headers=[field]).code == code


def test_a_content_type_that_takes_long_to_read(wire: Wire) -> None:
    odd = "Content-Type: a/b" + " " * 60_000 + "x"
    assert wire.ask("POST", CONFIGS, b"{}", [odd]).code == 415


def test_as_many_groups_as_fit(wire: Wire) -> None:
    groups = [f"Impersonate-Group: {group}" for group in repeat("g", 15_000)]
    assert wire.ask("GET", CONFIGS, headers=["Impersonate-User: eve", *groups]).code == 403
