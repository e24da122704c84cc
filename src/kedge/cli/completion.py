"""`kedge completion`: the script that lets a shell complete our commands."""

import click

from kedge.cli.output import write

HELP = """Print a script for your shell's TAB.

SHELL is bash, zsh or fish. Load the script where your shell starts:

\b
  bash   echo 'eval "$(kedge completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(kedge completion zsh)"' >> ~/.zshrc
  fish   kedge completion fish > ~/.config/fish/completions/kedge.fish
"""


@click.command(help=HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for your shell's TAB."""
    from click.shell_completion import ShellComplete, get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    script = found(ctx.find_root().command, {}, "kedge", "_KEDGE_COMPLETE")
    # The base class's source: bash's own starts bash to ask its version, which an image may lack.
    write(ShellComplete.source(script))
