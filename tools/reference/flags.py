"""Tables of the flags of a command, from the command itself."""

import re
from collections.abc import Iterator
from typing import Any

import click

from kedge.cli.app import kedge
from tools.reference.markdown import code, table

HEAD = ("option", "default", "variable", "meaning")
WORD = re.compile(r"(?<![\w`/.])(--[a-z][\w-]*|[a-z]+\.(?:dev|io)/[\w-]+)")
DEFAULT = re.compile(r"\s*\[default(?P<when> [^:\]]+)?: (?P<value>[^\]]+)\]")


def context_of(path: str) -> click.Context:
    """Find a command by its words, such as `kedge backup get`."""
    context = click.Context(kedge, info_name="kedge", **kedge.context_settings)
    for name in path.split()[1:]:
        group = context.command
        assert isinstance(group, click.Group), path
        found = group.get_command(context, name)
        assert found is not None, path
        context = click.Context(found, parent=context, info_name=name)
    return context


def options_of(context: click.Context) -> list[click.Option]:
    """List the options of a command that are not of all commands."""
    params = context.command.params
    return [one for one in params if isinstance(one, click.Option) and not one.hidden]


def flags_of(path: str) -> str:
    """Write the table of all flags of a command."""
    context = context_of(path)
    return table(HEAD, _rows(context, options_of(context)))


def flags_table(context: click.Context, options: list[click.Option]) -> str:
    """Write the table of some flags; variables have a column where there are any."""
    if any(option.envvar for option in options):
        return table(HEAD, _rows(context, options))
    rows = ((names, default, text) for names, default, _, text in _rows(context, options))
    return table((HEAD[0], HEAD[1], HEAD[3]), rows)


def _rows(
    context: click.Context, options: list[click.Option]
) -> Iterator[tuple[str, str, str, str]]:
    for option in options:
        names, default = _names(option, context), _default(option, context)
        yield names, default, _variables(option), _text(option)


def _names(option: click.Option, context: click.Context) -> str:
    value = "" if option.is_flag or option.count else option.make_metavar(context)
    names = [*option.opts, *option.secondary_opts]
    if not value:
        return ", ".join(map(code, names))
    joined = value if value.startswith("[=") else f" {value}"
    return ", ".join([*map(code, names[:-1]), code(f"{names[-1]}{joined}")])


def _default(option: click.Option, context: click.Context) -> str:
    told = DEFAULT.search(option.help or "")
    if told:
        return told["value"] + (f", {told['when'].strip()}" if told["when"] else "")
    if isinstance(option.show_default, str):
        return option.show_default
    if option.required:
        return "required"
    value: Any = option.get_default(context)
    if value is None or value is False or value in ("", ()) or _is_unset(value):
        return ""
    if value is True:
        return "on"
    return code(str(value))


def _is_unset(value: object) -> bool:
    return type(value).__name__ == "Sentinel" or repr(value).startswith("Sentinel")


def _variables(option: click.Option) -> str:
    names = option.envvar or ()
    return ", ".join(map(code, [names] if isinstance(names, str) else names))


def _text(option: click.Option) -> str:
    """Give what the help says; what is written as it stands is marked so."""
    text = DEFAULT.sub("", option.help or "").strip()
    return WORD.sub(r"`\1`", text)
