"""What is different where kubectl calls: the option for the context, and the name."""

import contextvars

import pytest

from kedge.cli.plugin import answer, translated
from kedge.cli.program import as_called, called_by_kubectl, program


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


def test_words_are_offered_as_kubectl_reads_them() -> None:
    assert list(answer(["cron", "pre"])) == ["prev\tList the past runs, the latest first.", ":4"]
    assert list(answer(["schedule", "get", "-o", "y"])) == ["yaml", ":4"]
    assert list(answer(["apiserver", "--token-file", ""])) == [":0"]
