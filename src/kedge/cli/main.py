"""The entry point of the installed command. What it runs is in app.py."""

import sys

from kedge.cli.codes import INTERRUPTED


def main() -> None:
    """Run `kedge` with the arguments of this process, and end the process."""
    try:
        if sys.argv[1:2] == ["warmup"]:
            # A pod with little memory waits for it: it does without click and all the rest.
            from kedge.cli.warmup.run import warmed_up

            if warmed_up(sys.argv[2:]):
                return
        # click is most of the start-up time: inside, so that Ctrl-C is quiet from the beginning.
        from kedge.cli.app import kedge

        kedge.main(prog_name="kedge")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
