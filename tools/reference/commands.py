"""What the page of the command line lacks: commands, and flags that no table by hand has."""

import re
from collections.abc import Iterator
from itertools import pairwise

import click

from kedge.cli.app import kedge
from tools.reference.flags import context_of, flags_table, options_of

SECTION = re.compile(r"^##+ `(?P<path>kedge[^`]*)`$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
MADE = re.compile(r"\n*^<!-- made: options -->\n(?:.*\n)*?<!-- made end -->\n*", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^\| option \|", re.MULTILINE)
OPTIONS = "options"


def commands(context: click.Context | None = None) -> Iterator[click.Context]:
    """Give a command and all that are below it, in the order of the help."""
    context = context or click.Context(kedge, info_name="kedge", **kedge.context_settings)
    yield context
    group = context.command
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            inner = group.get_command(context, name)
            assert inner is not None
            yield from commands(click.Context(inner, parent=context, info_name=name))


def completed(text: str) -> str:
    """Add what is lacking: sections at the end, flags at the end of their section."""
    found = {one["path"] for one in SECTION.finditer(text)}
    for context in commands():
        if context.command_path not in found:
            text = f"{text.rstrip()}\n\n{_section(context)}"
    starts = [one.start() for one in SECTION.finditer(text)] + [len(text)]
    parts = [text[: starts[0]]]
    for start, end in pairwise(starts):
        parts.append(_with_flags(text[start:end]))
    return "".join(parts).rstrip() + "\n"


def _section(context: click.Context) -> str:
    usage = " ".join(context.command.collect_usage_pieces(context))
    told = context.command.help or context.command.get_short_help_str()
    text = "\n\n".join(" ".join(part.split()) for part in told.replace("\b", "").split("\n\n"))
    return f"## `{context.command_path}`\n\n`{context.command_path} {usage}`\n\n{text}\n"


def _with_flags(section: str) -> str:
    """Put flags into a table at the end of a section: all, or those that a table by hand lacks."""
    path = SECTION.match(section)
    assert path is not None
    by_hand = MADE.sub("\n\n", section).rstrip()
    if "The same as `" in by_hand or f"(settings.md#{path['path'].replace(' ', '-')})" in by_hand:
        return f"{by_hand}\n\n" if by_hand != section.rstrip() else section
    has_table = TABLE.search(by_hand) is not None
    lacking = unnamed(path["path"], by_hand if has_table else "")
    if not lacking:
        return section if MADE.search(section) is None else f"{by_hand}\n\n"
    table = flags_table(context_of(path["path"]), lacking)
    return f"{by_hand}\n\n<!-- made: {OPTIONS} -->\n\n{table}\n<!-- made end -->\n\n"


def unnamed(path: str, text: str) -> list[click.Option]:
    """List the options of a command that a text does not name in backticks.

    Those of all commands that speak to a cluster are told of at `kedge`.
    """
    root = context_of("kedge")
    common = [one.opts for one in options_of(root)] if path != "kedge" else []
    own = [one for one in options_of(context_of(path)) if one.opts not in common]
    code = " ".join(CODE.findall(FENCED.sub("", text)))
    return [one for one in own if not all(_mentions(code, name) for name in one.opts)]


def _mentions(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None
