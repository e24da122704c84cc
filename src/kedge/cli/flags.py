"""Flags as Velero's users know them: `--x` or `--x=false`, lists, maps, durations, selectors."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from kedge.cli.lazy import LazyGroup

TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})
WORDS = frozenset({"true", "false"})
"""What is taken for a value where a name could stand as well."""
Decorator = Callable[[Any], Any]
OR = re.compile(r"\s+or\s+")


if TYPE_CHECKING:
    _Type = click.ParamType[bool | None]
else:
    _Type = click.ParamType  # older versions of click can not be asked for what it gives


class _Truth(_Type):
    """True or false as Go reads them; nothing at all is as good as no flag."""

    name = "true|false"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> bool | None:
        """Read a value, or refuse it."""
        if isinstance(value, bool):
            return value
        if value not in TRUE | FALSE | {""}:
            self.fail(f"{value!r} is neither true nor false", param, ctx)
        return value in TRUE if value else None


class Switch(click.Option):
    """An option that means true where it stands alone, and takes `=true` or `=false`.

    What follows it is no value: `--paused nightly` is a switch and a name. Only one that
    `takes_word`, as it may not stand alone in Velero, takes `true` or `false` from there.
    """

    def __init__(self, *args: Any, takes_word: bool = False, **attrs: Any) -> None:
        attrs.setdefault("type", _Truth())
        attrs.setdefault("metavar", "[=true|false]")
        super().__init__(*args, **attrs)
        self.takes_word = takes_word

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Write the value as it is to be written: without a space."""
        record = super().get_help_record(ctx)
        return record and (record[0].replace(" [=", "[="), record[1])


class FlagCommand(click.Command):
    """A command that may have switches."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with `true` put behind each switch that stands alone."""
        return super().parse_args(ctx, list(completed(self.get_params(ctx), args)))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, with other commands as they are to be typed here."""
        from copy import copy

        from kedge.cli.program import as_called

        shown = copy(self)
        shown.help = as_called(self.help or "")
        click.Command.format_help_text(shown, ctx, formatter)


class FlagGroup(LazyGroup):
    """A group that may have switches."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with `true` put behind each switch that stands alone."""
        return super().parse_args(ctx, list(completed(self.get_params(ctx), args, before=True)))


def completed(
    params: Sequence[click.Parameter], args: Sequence[str], *, before: bool = False
) -> Iterator[str]:
    """Give the arguments with the value of each switch written out, and `-o=x` as `-o x`.

    With `before`, only those in front of the first argument that is no option: the rest is for
    the command that it names.
    """
    options = {name: one for one in params if isinstance(one, click.Option) for name in one.opts}
    rest = deque(args)
    while rest:
        arg = rest.popleft()
        if arg == "--" or (before and not arg.startswith("-")):
            yield arg
            yield from rest
            return
        if arg in options:
            yield arg
            yield from _value(options[arg], rest)
        elif (plain := options.get(arg.partition("=")[0])) is not None and plain.is_flag:
            yield _plain(plain, arg)
        elif arg[:1] == "-" and arg[:2] != "--" and arg[:2] in options:
            yield from _cluster(options, arg, rest)
        else:
            yield arg


def _plain(option: click.Option, arg: str) -> str:
    """Give `--x` for `--x=true`, and `--no-x` for `--x=false`, of an option that has both."""
    name, _, value = arg.partition("=")
    if value in TRUE:
        return name
    return option.secondary_opts[0] if value in FALSE and option.secondary_opts else arg


def _value(option: click.Option, rest: deque[str]) -> Iterator[str]:
    if isinstance(option, Switch):
        spoken = option.takes_word and rest and rest[0].lower() in WORDS
        yield rest.popleft() if spoken else "true"
    elif not option.is_flag and not option.count:
        yield from _next(rest)


def _next(rest: deque[str]) -> Iterator[str]:
    if rest:
        yield rest.popleft()


def _cluster(options: dict[str, click.Option], arg: str, rest: deque[str]) -> Iterator[str]:
    """Take `-Aofoo` apart as click would, and `-Ao=foo` as Velero and kubectl do."""
    for place, letter in enumerate(arg[1:], start=1):
        option = options.get(f"-{letter}")
        if option is None:
            yield f"-{arg[place:]}"
            return
        if arg[place + 1 : place + 2] == "=" and not option.is_flag:
            yield from (f"-{letter}", arg[place + 2 :])
            return
        if isinstance(option, Switch):
            yield from (f"-{letter}", "true")
        elif option.is_flag or option.count:
            yield f"-{letter}"
        else:
            yield f"-{letter}"
            yield from (arg[place + 1 :],) if arg[place + 1 :] else _next(rest)
            return


def switch(*names: str, **attrs: Any) -> Decorator:
    """Make an option that is on or off."""
    attrs.setdefault("default", False)
    return click.option(*names, cls=Switch, **attrs)


def tristate(*names: str, **attrs: Any) -> Decorator:
    """Make an option that is on, off or not given."""
    return click.option(*names, cls=Switch, default=None, **attrs)


def list_option(*names: str, **attrs: Any) -> Decorator:
    """Make an option that takes a list; given twice, the last one counts, as with Velero."""
    attrs.setdefault("metavar", "A,B,...")
    return click.option(*names, multiple=True, callback=_read_list, **attrs)


def include_option(*names: str, **attrs: Any) -> Decorator:
    """Make an option that takes a list of what to include.

    One that is given and empty, as by a variable that is not set, names nothing: left out, it
    would mean everything. Velero hands it over as one empty name, too.
    """
    attrs.setdefault("metavar", "A,B,...")
    return click.option(*names, multiple=True, callback=_read_includes, **attrs)


def map_option(*names: str, **attrs: Any) -> Decorator:
    """Make an option that takes keys with values; given twice, both count."""
    return click.option(*names, multiple=True, callback=_read_map, metavar="K=V,...", **attrs)


def duration_option(*names: str, **attrs: Any) -> Decorator:
    """Make an option that takes a duration, and hands it over as Go writes it."""
    return click.option(*names, callback=_read_duration, metavar="DURATION", **attrs)


def selector_option(*names: str, **attrs: Any) -> Decorator:
    """Make an option that takes a label selector, checked before it is used."""
    return click.option(*names, callback=_read_selector, metavar="SELECTOR", **attrs)


def _read_list(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> list[str]:
    if len(given) > 1:
        from kedge.cli.errors import complain

        complain(f"{param.opts[-1]} is given {len(given)} times; the last one counts")
    return split(given[-1]) if given else []


def _read_includes(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> list[str]:
    found = _read_list(ctx, param, given)
    return [""] if given and not found else found


def split(text: str) -> list[str]:
    """Split a list at its commas."""
    return [one.strip() for one in text.split(",") if one.strip()]


def _read_map(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    import csv

    found: dict[str, str] = {}
    for text in given:
        try:
            pairs = next(csv.reader([text], strict=True), [])
        except csv.Error as exc:
            raise click.BadParameter(f"{text!r} is not key=value,key=value: {exc}") from exc
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if not equals or not key.strip():
                raise click.BadParameter(f"{pair!r} is not key=value; write key=value,key=value")
            found[key.strip()] = value
    return found


def _read_duration(ctx: click.Context, param: click.Parameter, given: str | None) -> str:
    """Give "" for a duration that is not given or zero: both leave it to the server."""
    from kedge.kube.durations import ZERO, DurationError, format_duration, parse_duration

    if not given:
        return ""
    try:
        duration = parse_duration(given)
    except DurationError as exc:
        days = re.fullmatch(r"([0-9]{1,6})d", given)
        hint = f"{int(days[1]) * 24}h" if days else "720h or 1h30m"
        raise click.BadParameter(f"{given!r} is not a duration; write it as {hint}") from exc
    if duration < ZERO:
        raise click.BadParameter(f"{given!r} is negative; write it as 720h or 1h30m")
    return format_duration(duration) if duration else ""


def _read_selector(ctx: click.Context, param: click.Parameter, given: str | None) -> str:
    if given:
        read_selector(given)
    return given or ""


def read_selector(text: str) -> dict[str, Any]:
    """Read a label selector into an object with matchLabels and matchExpressions."""
    from kedge.kube.requirements import SelectorError
    from kedge.kube.selectors import parse_labels

    try:
        requirements = parse_labels(text).requirements
    except SelectorError as exc:
        raise click.BadParameter(f"{text!r} is not a label selector: {exc}") from exc
    labels: dict[str, str] = {}
    expressions = []
    for one in requirements:
        if one.operator in ("=", "==") and one.key not in labels:
            labels[one.key] = one.values[0]
        else:
            expressions.append(_expression(one.key, one.operator, one.values))
    found: dict[str, Any] = {"matchLabels": labels} if labels else {}
    return found | ({"matchExpressions": expressions} if expressions else {})


_OPERATORS = {
    "=": "In",
    "==": "In",
    "in": "In",
    "!=": "NotIn",
    "notin": "NotIn",
    "exists": "Exists",
    "!": "DoesNotExist",
}


def _expression(key: str, operator: str, values: tuple[str, ...]) -> dict[str, Any]:
    if operator not in _OPERATORS:
        sign = {"gt": ">", "lt": "<"}.get(operator, operator)
        raise click.BadParameter(f"{sign!r} can not be used here; use =, !=, in, notin or a key")
    found: dict[str, Any] = {"key": key, "operator": _OPERATORS[operator]}
    return found | ({"values": sorted(values)} if values else {})
