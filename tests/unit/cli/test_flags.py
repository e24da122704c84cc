import ast
from typing import Any

import click
import pytest
from click.testing import CliRunner

from kedge.cli.app import App
from kedge.cli.flags import (
    FlagCommand,
    duration_option,
    list_option,
    map_option,
    read_selector,
    switch,
    tristate,
)


@click.command(cls=FlagCommand)
@click.argument("names", nargs=-1)
@switch("-p", "--paused")
@tristate("--skip")
@tristate("--spoken", takes_word=True)
@click.option("-v", "--verbose", is_flag=True)
@click.option("-o", "--output")
@list_option("--include")
@map_option("--labels")
@duration_option("--ttl")
def command(**given: Any) -> None:
    click.echo(repr(given))


class Planted(App):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command


def run(*args: str) -> Any:
    return CliRunner().invoke(Planted("kedge", {}), ["x", *args])


def read(*args: str) -> dict[str, Any]:
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    given: dict[str, Any] = ast.literal_eval(result.stdout)
    return given


@pytest.mark.parametrize(
    ("args", "skip", "names"),
    [
        ([], None, ()),
        (["--skip"], True, ()),
        (["--skip", "a"], True, ("a",)),
        (["--skip", "true"], True, ("true",)),
        (["a", "--skip"], True, ("a",)),
        (["--skip=true"], True, ()),
        (["--skip=false", "a"], False, ("a",)),
        (["--skip=False"], False, ()),
        (["--skip=0"], False, ()),
        (["--skip=T"], True, ()),
        (["--skip="], None, ()),
        (["--skip", "--skip=false"], False, ()),
        (["--", "--skip"], None, ("--skip",)),
        (["--output", "--skip", "a"], None, ("a",)),
        (["-o", "--skip"], None, ()),
        (["-o--skip", "a"], None, ("a",)),
    ],
)
def test_a_tristate_stands_alone_or_has_a_value_behind_an_equals_sign(
    args: list[str], skip: bool | None, names: tuple[str, ...]
) -> None:
    given = read(*args)
    assert (given["skip"], given["names"]) == (skip, names)


@pytest.mark.parametrize(
    ("args", "paused", "verbose", "output", "names"),
    [
        (["-p", "a"], True, False, None, ("a",)),
        (["-pv"], True, True, None, ()),
        (["-vp", "a"], True, True, None, ("a",)),
        (["-pojson"], True, False, "json", ()),
        (["-po", "json", "a"], True, False, "json", ("a",)),
        (["--paused=false"], False, False, None, ()),
        (["-p=false", "a"], False, False, None, ("a",)),
        (["-vp=true"], True, True, None, ()),
        (["-o=json", "a"], False, False, "json", ("a",)),
        (["-po=json"], True, False, "json", ()),
        (["-o=a=b"], False, False, "a=b", ()),
        (["-o=", "a"], False, False, "", ("a",)),
        ([], False, False, None, ()),
    ],
)
def test_a_switch_may_have_a_letter_and_stand_among_others(
    args: list[str], paused: bool, verbose: bool, output: str | None, names: tuple[str, ...]
) -> None:
    given = read(*args)
    assert given["paused"] is paused
    assert (given["verbose"], given["output"], given["names"]) == (verbose, output, names)


@pytest.mark.parametrize(
    ("args", "spoken", "names"),
    [
        ([], None, ()),
        (["--spoken"], True, ()),
        (["--spoken", "a"], True, ("a",)),
        (["--spoken", "true", "a"], True, ("a",)),
        (["a", "--spoken", "false"], False, ("a",)),
        (["--spoken", "False"], False, ()),
        (["--spoken", "t"], True, ("t",)),
        (["--spoken", "--", "true"], True, ("true",)),
        (["--spoken=false", "true"], False, ("true",)),
    ],
)
def test_one_that_needs_a_value_in_velero_takes_it_from_the_next_word_too(
    args: list[str], spoken: bool | None, names: tuple[str, ...]
) -> None:
    given = read(*args)
    assert (given["spoken"], given["names"]) == (spoken, names)


@pytest.mark.parametrize(
    "args", [["-p=maybe"], ["--skip=maybe"], ["--skip=yes"], ["-pz"], ["--paused=2"]]
)
def test_what_is_neither_true_nor_false_is_wrong_usage(args: list[str]) -> None:
    assert run(*args).exit_code == 2


def test_the_help_writes_the_value_of_a_switch_without_a_space() -> None:
    assert "--skip[=true|false]" in run("--help").stdout


def test_a_list_is_split_at_commas_and_the_last_one_counts_aloud() -> None:
    assert read("--include", "a, b,,c")["include"] == ["a", "b", "c"]
    assert read()["include"] == []
    result = run("--include=a", "--include=b,c")
    assert "['b', 'c']" in result.stdout
    assert result.stderr == "kedge: --include is given 2 times; the last one counts\n"


def test_a_map_may_be_quoted_and_repeated() -> None:
    given = read("--labels", 'a=b,"c=d,e=f"', "--labels", "a=g,h=", "--labels", "i=j=k")
    assert given["labels"] == {"a": "g", "c": "d,e=f", "h": "", "i": "j=k"}


@pytest.mark.parametrize("text", ["a", "=b", "a=b,c", '"a=b', " =b"])
def test_what_is_no_map_is_wrong_usage(text: str) -> None:
    result = run("--labels", text)
    assert result.exit_code == 2
    assert "key=value" in result.stderr


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("720h", "720h0m0s"),
        ("90m", "1h30m0s"),
        ("0", ""),
        ("0s", ""),
        ("", ""),
        ("1.5h", "1h30m0s"),
    ],
)
def test_a_duration_is_handed_over_as_go_writes_it(text: str, read_as: str) -> None:
    assert read("--ttl", text)["ttl"] == read_as


@pytest.mark.parametrize(
    ("text", "hint"), [("30d", "write it as 720h"), ("x", "write it as"), ("-1h", "negative")]
)
def test_what_is_no_duration_is_refused_with_a_way_out(text: str, hint: str) -> None:
    result = run("--ttl", text)
    assert result.exit_code == 2
    assert hint in result.stderr


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("a=b", {"matchLabels": {"a": "b"}}),
        ("a==b,c=d", {"matchLabels": {"a": "b", "c": "d"}}),
        ("a!=b", {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}),
        (
            "a in (c,b),!d",
            {
                "matchExpressions": [
                    {"key": "a", "operator": "In", "values": ["b", "c"]},
                    {"key": "d", "operator": "DoesNotExist"},
                ]
            },
        ),
        ("a", {"matchExpressions": [{"key": "a", "operator": "Exists"}]}),
    ],
)
def test_a_selector_becomes_an_object(text: str, selector: dict[str, Any]) -> None:
    assert read_selector(text) == selector


def test_of_two_values_for_one_label_none_is_dropped() -> None:
    assert read_selector("a=b,a=c") == {
        "matchLabels": {"a": "b"},
        "matchExpressions": [{"key": "a", "operator": "In", "values": ["c"]}],
    }


@pytest.mark.parametrize("text", ["a in", "=", "a>5", "a b"])
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        read_selector(text)
