import sys
from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner, Result

from kedge import __version__
from kedge.cli.app import App, kedge
from kedge.cli.main import main
from tests.unit.cli.conftest import Run


def failing(error: BaseException) -> App:
    """Make a `kedge` with one command, `fail`, that raises an error."""

    @click.command()
    def fail() -> None:
        raise error

    class Planted(App):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            return fail

    return Planted("kedge", {})


def outcome(error: BaseException, **env: str | None) -> Result:
    return CliRunner().invoke(failing(error), ["fail"], env=env)


def test_version_is_one_line(kedge: Run) -> None:
    result = kedge("--version")
    assert (result.exit_code, result.stdout) == (0, f"kedge {__version__}\n")


@pytest.mark.parametrize("args", [(), ("-h",), ("--help",)])
def test_help_lists_the_commands(kedge: Run, args: tuple[str, ...]) -> None:
    result = kedge(*args)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: kedge [OPTIONS] COMMAND")
    assert "  cron " in result.stdout
    assert not result.stderr


def test_a_group_alone_prints_its_help(kedge: Run) -> None:
    result = kedge("cron")
    assert result.exit_code == 0
    assert result.stdout == kedge("cron", "--help").stdout
    assert "  prime " in result.stdout


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["nope"], "no such command 'nope' (see 'kedge --help')"),
        (["backu"], "no such command 'backu'. Did you mean 'backup'? (see 'kedge --help')"),
        (
            ["nonadminbackup", "descri"],
            "no such command 'descri'. Did you mean 'describe'?"
            " (see 'kedge nonadminbackup --help')",
        ),
        (
            ["schedu"],
            "no such command 'schedu'. Did you mean 'schedule'? (see 'kedge --help')",
        ),
        (
            ["na"],
            "no such command 'na'. Did you mean 'nar' or 'nab'? (see 'kedge --help')",
        ),
        (["--nope"], "no such option '--nope' (see 'kedge --help')"),
        (["cron", "next"], "missing argument 'EXPR' (see 'kedge cron next --help')"),
        (
            ["completion"],
            "missing argument 'SHELL'. Choose from: bash, zsh, fish"
            " (see 'kedge completion --help')",
        ),
        (
            ["cron", "check", "-1 * * * *"],
            "no such option '-1' (see 'kedge cron check --help')",
        ),
        (
            ["cron", "next", "0", "8", "*", "*", "1"],
            "put the expression in quotes: got unexpected extra arguments (8 * * 1)"
            " (see 'kedge cron next --help')",
        ),
        (
            ["cron", "next", "@daily", "-o", "xml"],
            "invalid value for '-o' / '--output': 'xml' is not one of 'table', 'json', 'yaml'"
            " (see 'kedge cron next --help')",
        ),
    ],
)
def test_wrong_usage_is_one_line_with_a_hint_and_exit_code_2(
    kedge: Run, args: list[str], line: str
) -> None:
    result = kedge(*args)
    assert result.exit_code == 2
    assert result.stderr == f"kedge: {line}\n"
    assert not result.stdout


def test_a_failure_is_one_line_and_exit_code_1() -> None:
    result = outcome(click.ClickException("the thing\nis broken"))
    assert (result.exit_code, result.stderr) == (1, "kedge: the thing\\nis broken\n")


def test_a_fault_of_ours_is_one_line_without_a_traceback() -> None:
    result = outcome(ZeroDivisionError("by zero"), KEDGE_DEBUG=None)
    assert result.exit_code == 1
    assert result.stderr == (
        "kedge: internal error: ZeroDivisionError: by zero (KEDGE_DEBUG=1 shows where)\n"
    )


def test_a_fault_of_ours_shows_its_traceback_when_asked() -> None:
    result = outcome(ZeroDivisionError("by zero"), KEDGE_DEBUG="1")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("kedge: internal error: ZeroDivisionError")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (OverflowError("date value out of range"), "a time is outside the years 1 to 9999"),
    ],
)
def test_what_the_machine_refuses_is_told_in_words(error: Exception, line: str) -> None:
    result = outcome(error)
    assert (result.exit_code, result.stderr) == (1, f"kedge: {line}\n")


def test_an_endless_message_is_cut() -> None:
    result = outcome(click.ClickException("x" * 100_000))
    assert len(result.stderr) < 600
    assert result.stderr.endswith("xxx...\n")


def test_ctrl_c_exits_with_130_and_no_words() -> None:
    result = outcome(KeyboardInterrupt())
    assert (result.exit_code, result.stderr.strip()) == (130, "")


def test_ctrl_c_before_click_is_loaded_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "kedge.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "kedge.cli.app")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 130


def walk(visit: Callable[[click.Context], None], context: click.Context) -> None:
    visit(context)
    command = context.command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            walk(visit, click.Context(inner, parent=context, info_name=name))


def test_every_help_is_plain_ascii() -> None:
    seen = []

    def visit(context: click.Context) -> None:
        seen.append(context.command_path)
        assert context.get_help().isascii(), context.command_path

    walk(visit, click.Context(kedge, info_name="kedge", **kedge.context_settings))
    assert "kedge cron prime" in seen
