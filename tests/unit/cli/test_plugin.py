"""What is different where kubectl calls: the option for the context, and the name."""

import contextvars

import click
import pytest
from click.testing import CliRunner

from kedge.cli.connection import context_options
from kedge.cli.doctor.finding import warn
from kedge.cli.nab.create import create
from kedge.cli.nab.describe import description
from kedge.cli.output import say, write
from kedge.cli.plugin import answer, translated
from kedge.cli.program import CONNECTION, as_called, called_by_kubectl, program


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["backup", "get", "--context", "a"], ["backup", "get", "--kubecontext", "a"]),
        (["--context=a", "backup"], ["--kubecontext=a", "backup"]),
        (["--kubecontext", "a", "-n", "x"], ["--kubecontext", "a", "-n", "x"]),
        (["create", "--", "--context", "a"], ["create", "--", "--context", "a"]),
        (["--contexts"], ["--contexts"]),
        ([], []),
    ],
)
def test_the_context_is_named_as_kubectl_does_it(given: list[str], meant: list[str]) -> None:
    assert list(translated(given)) == meant


def test_commands_in_texts_are_written_as_they_are_to_be_typed() -> None:
    def told() -> str:
        called_by_kubectl()
        return as_called("use `kedge backup get`, see 'kedge --help'; kedge-data and `kedge.dev`")

    assert as_called("use `kedge backup get`") == "use `kedge backup get`"
    assert contextvars.copy_context().run(told) == (
        "use `kubectl kedge backup get`, see 'kubectl kedge --help'; kedge-data and `kedge.dev`"
    )
    assert program() == "kedge"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "`kedge nab delete b --force` gives it up",
            "`kedge nab delete b --force -n shop` gives it up",
        ),
        ("mend it: `kubectl edit nab b`", "mend it: `kubectl edit nab b -n shop`"),
        ("`kedge install`, or `kedge nab`", "`kedge install`, or `kedge nab`"),
        ("`kubectl logs deployment/kedge -n velero`",) * 2,
        ("what `somebody else` writes",) * 2,
    ],
)
def test_a_namespace_that_was_named_is_named_again(text: str, told: str) -> None:
    assert as_called(text) == text
    with click.Context(click.Command("x")) as context:
        context.meta[f"{CONNECTION}namespace"] = "shop"
        assert as_called(text) == told
        assert as_called(told) == told

        def by_kubectl() -> str:
            called_by_kubectl()
            return as_called(text)

        found = contextvars.copy_context().run(by_kubectl)
        assert found == told.replace("`kedge", "`kubectl kedge")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "`kedge nab delete b`",
            "`kedge nab delete b --kubecontext far --kubeconfig 'my config'`",
        ),
        (
            "`kubectl edit nab b -n shop`",
            "`kubectl edit nab b -n shop --context far --kubeconfig 'my config'`",
        ),
        ("`kedge install`",) * 2,
    ],
)
def test_a_cluster_that_was_named_is_named_again(text: str, told: str) -> None:
    """A command that deletes must not be typed for a namesake on another cluster."""

    @click.command
    @context_options
    def command() -> None:
        write(as_called(text))

    runner = CliRunner()
    assert runner.invoke(command, []).stdout == text
    named = ["--kubeconfig", "my config", "--kubecontext", "far"]
    assert runner.invoke(command, named).stdout == told


def test_what_is_said_on_stdout_names_commands_as_they_are_to_be_typed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    backup = {
        "metadata": {"name": "b", "namespace": "shop", "annotations": {"a": "`kedge up`"}},
        "status": {"phase": "Created", "veleroBackup": {"status": {"phase": "Completed"}}},
    }

    def told() -> None:
        called_by_kubectl()
        say("Run `kedge backup describe b` for more details.\n")
        write(f"{description(backup)}\n")
        write(f"{warn('server', 'old', 'update it: `kedge install`').fix}\n")

    contextvars.copy_context().run(told)
    shown = capsys.readouterr().out
    assert "Run `kubectl kedge backup describe b`" in shown
    assert "restore it with `kubectl kedge nar create --from-backup b`" in shown
    assert "update it: `kubectl kedge install`" in shown
    assert "a=`kedge up`" in shown  # what others have written stays as it is


def test_help_names_commands_as_they_are_to_be_typed() -> None:
    # A command remembers its option for help: with the names that ours have.
    context = click.Context(create, help_option_names=["-h", "--help"])

    def told() -> str:
        called_by_kubectl()
        return create.get_help(context)

    assert "`kubectl kedge nab policy`" in contextvars.copy_context().run(told)
    shown = create.get_help(context)
    assert "`kedge nab policy`" in " ".join(shown.split())


def test_words_are_offered_as_kubectl_reads_them() -> None:
    assert list(answer(["cron", "pre"])) == ["prev\tList the past runs, the latest first.", ":4"]
    assert list(answer(["schedule", "get", "-o", "y"])) == ["yaml", ":4"]
    assert list(answer(["apiserver", "--token-file", ""])) == [":0"]
