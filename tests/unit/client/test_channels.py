from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.client import channels
from kedge.client.channels import Message
from kedge.client.errors import BadAnswer
from kedge.kube import errors


@given(st.integers(0, 255), st.binary(max_size=50))
def test_what_is_packed_is_unpacked(channel: int, data: bytes) -> None:
    assert channels.unpack(channels.pack(channel, data)) == Message(channel, data)


def test_a_message_without_a_byte_has_no_channel() -> None:
    assert channels.unpack(b"") == Message(None, b"")


def test_the_bytes_on_the_wire() -> None:
    assert channels.pack(channels.STDIN, b"x") == b"\x00x"
    assert channels.end_of_input() == b"\xff\x00"
    assert channels.size(80, 24) == b'\x04{"Width":80,"Height":24}'


@given(st.binary(max_size=10), st.integers(0, 3))
def test_input_is_cut_into_pieces_and_nothing_is_lost(data: bytes, times: int) -> None:
    whole = data + b"x" * channels.PIECE * times
    messages = channels.inputs(whole)
    assert all(message[0] == channels.STDIN for message in messages)
    assert all(1 < len(message) <= channels.PIECE + 1 for message in messages)
    assert b"".join(message[1:] for message in messages) == whole


@pytest.mark.parametrize(("columns", "rows"), [(0, 1), (1, 0), (-1, 5), (65536, 1), (1, 65536)])
def test_a_terminal_that_can_not_be(columns: int, rows: int) -> None:
    with pytest.raises(ValueError, match="a terminal of"):
        channels.size(columns, rows)


def ended(causes: Any, reason: str = "NonZeroExitCode") -> bytes:
    return msgspec.json.encode(
        {
            "status": "Failure",
            "reason": reason,
            "message": "command terminated with non-zero exit code",
            "details": {"causes": causes},
        }
    )


def test_success_is_code_zero() -> None:
    assert channels.exit_code(b'{"metadata":{},"status":"Success"}') == 0


@pytest.mark.parametrize("code", [1, 2, 126, 127, 137, 255, -1])
def test_the_exit_code_is_a_cause(code: int) -> None:
    causes = [{"reason": "Other", "message": "9"}, {"reason": "ExitCode", "message": str(code)}]
    assert channels.exit_code(ended(causes)) == code


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (errors.internal_error("no such program").status, errors.InternalError),
        (errors.Forbidden("no").status, errors.Forbidden),
        ({"status": "Failure", "message": "x"}, errors.UnknownError),
        ({}, errors.UnknownError),
        ({"status": "Failure", "code": "x", "details": [], "message": 4}, errors.UnknownError),
    ],
)
def test_a_command_that_could_not_be_run_is_an_error_of_the_server(
    status: dict[str, Any], kind: type[Exception]
) -> None:
    with pytest.raises(kind) as raised:
        channels.exit_code(msgspec.json.encode(status))
    assert type(raised.value) is kind


@pytest.mark.parametrize(
    "causes",
    [
        None,
        [],
        {},
        "x",
        [3],
        [{"reason": "ExitCode"}],
        [{"reason": "ExitCode", "message": "many"}],
        [{"reason": "ExitCode", "message": "٣"}],
        [{"reason": "ExitCode", "message": "-"}],
        [{"reason": "ExitCode", "message": "--1"}],
    ],
)
def test_a_failure_that_does_not_tell_its_code_is_a_bad_answer(causes: Any) -> None:
    with pytest.raises(BadAnswer, match="without an exit code"):
        channels.exit_code(ended(causes))


@pytest.mark.parametrize("data", [b"x", b"[]", b"null", b"\xff", b"{", b'{"a":' * 100_000])
def test_an_end_that_can_not_be_read_is_a_bad_answer(data: bytes) -> None:
    with pytest.raises(BadAnswer, match="can not be read"):
        channels.exit_code(data)
