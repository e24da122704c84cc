"""Which objects a command is about: those that are named, those with labels, or all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from kedge.cli.connection import namespace
from kedge.cli.errors import Failure, Misuse, complain
from kedge.cli.flags import selector_option, switch
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.errors import NotFound
    from kedge.kube.kind import Kind, Object

PROMPT = "Are you sure you want to continue (Y/N)? "


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for."""

    names: Sequence[str] = ()
    selector: str = ""
    everything: bool = False
    everywhere: bool = False
    """In all namespaces."""

    def place(self, obj: Object) -> str:
        """Give the namespace of an object, empty where the command knows it already."""
        return str(obj["metadata"].get("namespace") or "") if self.everywhere else ""


@dataclass(slots=True)
class Found:
    """What there is of it."""

    objects: list[Object] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """One for each that is named and not there."""

    def check(self) -> None:
        """Fail if there was a problem."""
        if self.problems:
            raise Failure(*self.problems)

    def end(self, plural: str, *, on_stdout: bool = False) -> None:
        """End a command: say that there was nothing, or fail if there was a problem."""
        if not self.objects and not self.problems:
            told = f"No {plural} found"
            if on_stdout:
                write(f"{told}\n")
            else:
                complain(told, head="")
        self.check()


def look_options(callback: Any) -> Any:
    """Add NAMES, -l and -A for commands that look at objects, and hand them over as a `Wanted`."""

    @click.argument("names", nargs=-1, metavar="[NAME]...")
    @selector_option("-l", "--selector", help="Only those that match this label selector.")
    @switch("-A", "--all-namespaces", help="Those of all namespaces.")
    @wraps(callback)
    def parsed(names: Any, selector: str, all_namespaces: bool, **rest: Any) -> None:
        if names and selector:
            raise Misuse("specific names and the --selector flag can not be used together")
        if names and all_namespaces:
            raise Misuse("specific names and the --all-namespaces flag can not be used together")
        callback(wanted=Wanted(names, selector, everywhere=bool(all_namespaces)), **rest)

    return parsed


def change_options(what: str) -> Callable[[Any], Any]:
    """Add NAMES, --all and -l for commands that change objects; exactly one must be used."""

    def add(callback: Any) -> Any:
        @click.argument("names", nargs=-1, metavar="[NAME]...")
        @switch("--all", "everything", help=f"All {what}s of the namespace.")
        @selector_option("-l", "--selector", help="Those that match this label selector.")
        @wraps(callback)
        def parsed(names: Any, everything: bool, selector: str, **rest: Any) -> None:
            if [bool(names), bool(everything), bool(selector)].count(True) != 1:
                raise Misuse(
                    f"you must specify exactly one of: specific {what} name(s), the --all flag, "
                    "or the --selector flag"
                )
            callback(wanted=Wanted(names, selector, bool(everything)), **rest)

        return parsed

    return add


async def find_objects(client: Client, kind: Kind[Object], wanted: Wanted) -> Found:
    """Read the objects that are wanted; those that are named come in the order of their names."""
    from kedge.client import Selection
    from kedge.kube.errors import NotFound

    found = Found()
    place = namespace()
    try:
        if not wanted.names:
            scope = Selection(None if wanted.everywhere else place, wanted.selector)
            found.objects = [one async for one in client.list(kind, scope)]
            return found
        for name in dict.fromkeys(bare(kind, one) for one in wanted.names):
            await _add(client, kind, name, found)
    except NotFound as exc:
        raise Failure(missing(kind, exc)) from exc
    return found


async def read_one(client: Client, kind: Kind[Object], name: str) -> Object:
    """Read the object of this name; raises Failure where there is none."""
    from kedge.kube.errors import NotFound

    try:
        return await client.get(kind, name, namespace())
    except NotFound as exc:
        raise Failure(missing(kind, exc)) from exc
    except ValueError as exc:  # not a name at all
        raise Failure(str(exc)) from exc


async def _add(client: Client, kind: Kind[Object], name: str, found: Found) -> None:
    from kedge.kube.errors import NotFound

    try:
        found.objects.append(await client.get(kind, name, namespace()))
    except ValueError as exc:  # not a name at all
        found.problems.append(str(exc))
    except NotFound as exc:
        if not is_object(exc):
            raise
        found.problems.append(missing(kind, exc))


def bare(kind: Kind[Any], name: str) -> str:
    """Give the name alone of what `-o name` prints."""
    head, slash, rest = name.partition("/")
    singular = kind.name.lower()
    known = {singular, kind.plural, f"{singular}.{kind.group}", f"{kind.plural}.{kind.group}"}
    return rest if slash and head in known else name


def is_object(error: NotFound) -> bool:
    """Tell whether one object is missing, and not its whole kind."""
    return bool((error.details or {}).get("name"))


def missing(kind: Kind[Any], error: NotFound) -> str:
    """Say what is not there, and what to do."""
    if is_object(error):
        return (
            f'{error.message}\nhint: looked for in namespace "{namespace()}"; -n names another one'
        )
    return (
        f"the server does not have {kind}: install Kedge there with `kedge install`, or name"
        " another cluster with --kubecontext"
    )


def confirm() -> bool:
    """Ask until the answer is yes or no."""
    while True:
        click.echo(PROMPT, nl=False)
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if not answer:
            click.echo()
            raise Failure("there is nobody to confirm; use --confirm to go on without a question")
        if answer.strip() in ("y", "Y"):
            return True
        if answer.strip() in ("n", "N"):
            return False
