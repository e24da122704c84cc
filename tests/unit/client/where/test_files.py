from datetime import timedelta
from pathlib import Path

import pytest

from kedge.client.where.errors import ConfigError
from kedge.client.where.files import AGAIN_SECONDS, Content, Reread
from kedge.testing import FakeClock

AGAIN = timedelta(seconds=AGAIN_SECONDS)


def upper(data: list[bytes]) -> str:
    if not data[0]:
        raise ConfigError("nothing there")
    return data[0].decode().upper()


def test_a_file_is_read_again_after_a_while_only(tmp_path: Path) -> None:
    path, clock = tmp_path / "f", FakeClock()
    path.write_text("a")
    value = Reread([Content("f", path=path)], upper, clock)
    path.write_text("b")
    assert value.value() == "A"
    clock.advance(AGAIN)
    assert value.value() == "B"


def test_the_same_content_is_the_same_object(tmp_path: Path) -> None:
    path, clock = tmp_path / "f", FakeClock()
    path.write_text("abc")
    value = Reread([Content("f", path=path)], upper, clock)
    first = value.value()
    path.write_text("abc")
    clock.advance(AGAIN)
    assert value.value() is first


@pytest.mark.parametrize("content", [b"", None])
def test_the_last_good_value_stays(tmp_path: Path, content: bytes | None) -> None:
    path, clock = tmp_path / "f", FakeClock()
    path.write_text("a")
    value = Reread([Content("f", path=path)], upper, clock)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    clock.advance(AGAIN)
    assert value.value() == "A"
    path.write_text("b")
    clock.advance(AGAIN)
    assert value.value() == "B"


def test_a_swapped_link_is_followed(tmp_path: Path) -> None:
    clock = FakeClock()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "token").write_text(name)
    (tmp_path / "data").symlink_to("one")
    value = Reread([Content("t", path=tmp_path / "data" / "token")], upper, clock)
    (tmp_path / "new").symlink_to("two")
    (tmp_path / "new").rename(tmp_path / "data")
    clock.advance(AGAIN)
    assert value.value() == "TWO"


def test_a_first_reading_that_fails_is_an_error_or_a_spare(tmp_path: Path) -> None:
    content, clock = Content("the field", path=tmp_path / "no"), FakeClock()
    with pytest.raises(ConfigError, match=r"^the field: cannot read .*/no: No such file"):
        Reread([content], upper, clock)
    value = Reread([content], upper, clock, "spare")
    assert value.value() == "spare"
    (tmp_path / "no").write_text("yes")
    assert value.look()
    assert value.value() == "YES"


def test_data_go_before_a_file_and_never_change() -> None:
    content = Content.of("ca", b"data", "/no/such/file")
    value = Reread([content], upper, FakeClock())
    assert content.name == "ca-data"
    assert value.value() == "DATA"
    assert not value.look()


@pytest.mark.parametrize("path", ["/no\0where", "/dev/zero", "/"])
def test_what_is_no_file_is_refused(path: str) -> None:
    with pytest.raises(ConfigError, match=r"^f: "):
        Content("f", path=Path(path)).read()
