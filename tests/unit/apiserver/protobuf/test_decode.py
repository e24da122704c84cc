"""What is read from whole, strange and broken messages."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.apiserver.protobuf.decode import TOO_DEEP, read_message
from kedge.apiserver.protobuf.wire import delimited, varint
from kedge.kube.goerror import GoError

CORE = "io.k8s.api.core.v1."
CONFIG_MAP = f"{CORE}ConfigMap"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
ITEMS = 24
"""The number of a schema's `items`."""


def read(component: str, data: bytes) -> dict[str, Any]:
    """Read into an empty object."""
    return read_message(component, data, {})


@pytest.mark.parametrize(
    ("component", "data", "obj"),
    [
        pytest.param(f"{CORE}KeyToPath", b"", {}, id="nothing"),
        pytest.param(
            f"{CORE}KeyToPath", b"\x0a\x00\x18\x00", {"mode": 0}, id="a zero counts if a pointer"
        ),
        pytest.param(
            f"{CORE}KeyToPath", b"\x0a\x01a\x0a\x01b", {"key": "b"}, id="the last value counts"
        ),
        pytest.param(
            f"{CORE}KeyToPath", b"\x0a\x01a\x0a\x00", {}, id="the last value counts, even if empty"
        ),
        pytest.param(
            f"{CORE}KeyToPath", b"\xa2\x06\x02ab\x0a\x01a", {"key": "a"}, id="an unknown field"
        ),
        pytest.param(
            f"{CORE}KeyToPath", b"\x18\xff\xff\xff\xff\x0f", {"mode": -1}, id="32 bits are kept"
        ),
        pytest.param(
            CONFIG_MAP,
            delimited(1, b"\x0a\x01a") + delimited(1, b"\x12\x01b"),
            {"metadata": {"name": "a", "generateName": "b"}},
            id="messages are merged",
        ),
        pytest.param(
            CONFIG_MAP,
            delimited(2, b"\x0a\x01k") + delimited(2, b"\x12\x01v"),
            {"data": {"k": "", "": "v"}},
            id="half an entry of a map",
        ),
        pytest.param(
            f"{CORE}PodSecurityContext",
            b"\x20\x01\x22\x03\x02\xac\x02",
            {"supplementalGroups": [1, 2, 300]},
            id="numbers one by one, and many in one field",
        ),
        pytest.param(
            f"{META}ObjectMeta",
            delimited(8, b"") + delimited(9, b"\x08\x01\x10\x05"),
            {"deletionTimestamp": "1970-01-01T00:00:01Z"},
            id="times; none where there are no bytes",
        ),
        pytest.param(
            f"{CORE}EventSeries",
            delimited(2, b"\x08\x01\x10" + varint(500_992_999)),
            {"lastObservedTime": "1970-01-01T00:00:01.500992Z"},
            id="a time to the microsecond",
        ),
        pytest.param(
            f"{CORE}KeyToPath", b"\x0a\x01\xff", {"key": "\ufffd"}, id="text that is not UTF-8"
        ),
        pytest.param(
            f"{CORE}Secret",
            delimited(2, b"\x0a\x01k\x12\x02\x00\xff"),
            {"data": {"k": "AP8="}},
            id="bytes",
        ),
        pytest.param(
            "io.k8s.api.authentication.v1.UserInfo",
            delimited(4, b"\x0a\x01k" + delimited(2, b"\x0a\x01a\x0a\x00")),
            {"extra": {"k": ["a", ""]}},
            id="a list that is a message",
        ),
        pytest.param(
            SCHEMA,
            delimited(30, b"\x08\x00") + delimited(ITEMS, delimited(2, b"\x2a\x01a")),
            {"additionalProperties": False, "items": [{"type": "a"}]},
            id="schemas or something else",
        ),
    ],
)
def test_a_message_is_read_as_go_reads_it(component: str, data: bytes, obj: dict[str, Any]) -> None:
    assert read(component, data) == obj


@pytest.mark.parametrize(
    ("component", "data", "text"),
    [
        (CONFIG_MAP, b"\x08\x01", "proto: wrong wireType = 0 for field ObjectMeta"),
        (CONFIG_MAP, b"\x0a", "unexpected EOF"),
        (CONFIG_MAP, b"\x0a\x05a", "unexpected EOF"),
        (CONFIG_MAP, b"\x0c", "proto: ConfigMap: wiretype end group for non-group"),
        (CONFIG_MAP, b"\x00\x00", "proto: ConfigMap: illegal tag 0 (wire type 0)"),
        (CONFIG_MAP, delimited(1, b"\x28\x01"), "proto: wrong wireType = 0 for field UID"),
        (f"{CORE}Volume", b"\x12\x02\x08\x01", "proto: wrong wireType = 0 for field HostPath"),
        (f"{CORE}TCPSocketAction", b"\x0a\x02\x08\x07", "impossible IntOrString.Type"),
        (SCHEMA, b"\x59\x00", "unexpected EOF"),
    ],
)
def test_a_broken_message_is_told_in_the_words_of_go(
    component: str, data: bytes, text: str
) -> None:
    with pytest.raises(GoError) as caught:
        read(component, data)
    assert caught.value.text == text


def test_a_message_that_is_nested_too_deeply_is_refused() -> None:
    data = b""
    for _ in range(5000):
        data = delimited(ITEMS, delimited(1, data))
    with pytest.raises(GoError) as caught:
        read(SCHEMA, data)
    assert caught.value.text == TOO_DEEP


def test_raw_json_that_is_none_is_refused() -> None:
    with pytest.raises(GoError) as caught:
        read("io.k8s.api.apps.v1.ControllerRevision", delimited(2, delimited(1, b"{")))
    assert caught.value.text.startswith("failed to parse RawExtension bytes as JSON: ")


@given(st.binary(max_size=60), st.sampled_from([CONFIG_MAP, f"{CORE}Pod", SCHEMA]))
def test_any_bytes_are_read_or_refused(data: bytes, component: str) -> None:
    try:
        read(component, data)
    except GoError as exc:
        assert exc.text  # noqa: PT017
