import pytest

from kedge.cli.app import COMMANDS
from kedge.cli.verbs import get
from tests.unit.cli.conftest import Run


def complete(kedge: Run, line: str) -> list[str]:
    """Return what bash would offer for the last word of a line."""
    words = line.split(" ")
    result = kedge(_KEDGE_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert result.exit_code == 0
    return [item.removeprefix("plain,") for item in result.stdout.split()]


@pytest.mark.parametrize(
    ("shell", "marker"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef kedge"), ("fish", "--command kedge")],
)
def test_the_script_of_each_shell_calls_back(kedge: Run, shell: str, marker: str) -> None:
    result = kedge("completion", shell, PATH="")
    assert result.exit_code == 0
    assert not result.stderr
    assert marker in result.stdout
    assert f"_KEDGE_COMPLETE={shell}_complete" in result.stdout


def test_help_has_a_line_for_each_shell(kedge: Run) -> None:
    lines = kedge("completion", "--help").stdout.splitlines()
    for shell in ("bash", "zsh", "fish"):
        assert any(line.split()[:1] == [shell] for line in lines)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("kedge cr", ["create", "cron"]),
        ("kedge ", list(COMMANDS)),
        ("kedge cron p", ["prev", "prime"]),
        ("kedge cron next --ou", ["--output"]),
        ("kedge cron next @daily -o ", ["table", "json", "yaml"]),
        ("kedge cron next --dst w", ["wall"]),
        ("kedge cron next --zone europe/amst", ["Europe/Amsterdam"]),
        ("kedge completion z", ["zsh"]),
        ("kedge nope ", list(COMMANDS)),
        ("kedge schedule un", ["unpause"]),
        ("kedge get ", list(get.entries)),
        ("kedge delete n", ["nab", "nar", "nabsl"]),
        ("kedge schedule unpause --sk", ["--skip-immediately"]),
    ],
)
def test_words_are_completed(kedge: Run, line: str, offered: list[str]) -> None:
    assert complete(kedge, line) == offered
