"""The entry points for kubectl: `kubectl kedge ...`, and what its TAB offers."""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from kedge.cli.codes import INTERRUPTED

CONTEXT: Final = "--context"
"""What kubectl calls `--kubecontext`."""
OURS: Final = "--kubecontext"
NO_FILES, FILES = ":4", ":0"
"""What kubectl is told after the words: whether names of files may follow."""


def main() -> None:
    """Run as `kubectl kedge` with the arguments of this process, and end the process."""
    try:
        from kedge.cli.app import kedge
        from kedge.cli.program import PLUGIN, called_by_kubectl

        called_by_kubectl()
        kedge.main(args=list(translated(sys.argv[1:])), prog_name=PLUGIN)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def complete() -> None:
    """Print what may stand in the place of the last argument, as kubectl reads it."""
    try:
        for line in answer(sys.argv[1:] or [""]):
            sys.stdout.write(f"{line}\n")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def answer(args: Sequence[str]) -> Iterator[str]:
    """Give the words to offer, a line each, and at last what kubectl is to do with them."""
    from click.shell_completion import ShellComplete

    from kedge.cli.app import kedge
    from kedge.cli.completions.shells import completions
    from kedge.cli.program import PLUGIN

    *before, incomplete = args
    shell = ShellComplete(kedge, {}, PLUGIN, "")
    found = completions(shell, list(translated(before)), incomplete)
    for one in found:
        if one.type == "plain":
            yield f"{one.value}\t{one.help}" if one.help else str(one.value)
    yield FILES if any(one.type != "plain" for one in found) else NO_FILES


def translated(args: Sequence[str]) -> Iterator[str]:
    """Give the arguments with the option for the context as we call it."""
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            yield arg
            yield from rest
        elif arg == CONTEXT or arg.startswith(f"{CONTEXT}="):
            yield OURS + arg.removeprefix(CONTEXT)
        else:
            yield arg
