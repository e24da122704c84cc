"""The reference pages name every command, variable and public name."""

import ast
import inspect
import re
from collections.abc import Iterable
from pathlib import Path

import click
import pytest

import kedge.cron
from kedge.cli.app import kedge as app
from tests.e2e.pages.blocks import page_of
from tests.unit.cli.conftest import NOW
from tools.reference.commands import commands
from tools.reference.pages import stale

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def page(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def sections(text: str) -> dict[str, str]:
    """Return the texts under headings that hold a command in backticks."""
    parts = re.split(r"^##+ `(kedge[^`]*)`$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def words_for(parameter: click.Parameter, context: click.Context) -> list[str]:
    if isinstance(parameter, click.Argument):
        return [parameter.make_metavar(context).strip("[].")]
    return [*parameter.opts, *parameter.secondary_opts]


def mentions(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def missing_from_cli_page(root: click.Command, text: str) -> list[str]:
    """List the commands, options and arguments that a page does not have."""
    found, missing = sections(text), []
    known: dict[int, str] = {}
    common = [one.opts for one in app.params]
    for context in commands(click.Context(root, info_name="kedge", **root.context_settings)):
        path = context.command_path
        if path not in found:
            missing.append(path)
            continue
        # One that has two names is told of once, and the other name points there.
        first = known.setdefault(id(context.command), path)
        if first != path and f"The same as `{first}`" in found[path]:
            continue
        if f"(settings.md#{path.replace(' ', '-')})" in found[path]:
            continue  # there they are written by a program
        for parameter in context.command.params:
            # What all commands take that speak to a cluster is told of at the first one.
            is_common = path != "kedge" and parameter.opts in common
            for word in [] if is_common else words_for(parameter, context):
                if not mentions(found[path], word):
                    missing.append(f"{path} {word}")
    return missing


def missing_names(names: Iterable[str], text: str) -> list[str]:
    """List the names that a page does not have in backticks."""
    code = " ".join(re.findall(r"`+([^`]+)`+", text))
    return [name for name in names if not mentions(code, name)]


def public_names() -> list[str]:
    """List what `kedge.cron` exports, and the public members of what it returns."""
    names = list(kedge.cron.__all__)
    for owner in (kedge.cron.Schedule, kedge.cron.Plan):
        names += [name for name, _ in inspect.getmembers(owner) if not name.startswith("_")]
    return names


def variables(source: str) -> set[str]:
    """List the environment variables that a source reads; `?` is one it does not name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Subscript(value=owner, slice=key) if _is_environ(owner):
                found |= _texts(key)
            case ast.Call(func=ast.Attribute(value=owner), args=[key, *_]) if _is_environ(owner):
                found |= _texts(key)
            case ast.Call(
                func=ast.Attribute(attr="getenv") | ast.Name(id="getenv"), args=[key, *_]
            ):
                found |= _texts(key)
            case ast.Compare(left=key, comparators=[owner]) if _is_environ(owner):
                found |= _texts(key)
            case ast.keyword(arg="envvar" | "auto_envvar_prefix", value=key):
                found |= _texts(key)
    return found


def option_variables() -> set[str]:
    """List the environment variables that stand for options."""
    found: set[str] = set()
    for context in commands(click.Context(app, info_name="kedge", **app.context_settings)):
        for parameter in context.command.params:
            names = parameter.envvar or ()
            found |= {names} if isinstance(names, str) else set(names)
    return found


def _is_environ(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="environ" | "environb") | ast.Name(id="environ" | "environb"):
            return True
    return False


def _texts(node: ast.expr) -> set[str]:
    texts = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
    return {text for text in texts if isinstance(text, str)} or {"?"}


ENDLESS = {"completion", "apiserver", "up", "server", "version", "doctor"}
"""Commands whose output is a script, comes while they run, or is another on each machine."""


def examples(text: str) -> list[str]:
    """List the commands of a page's sessions."""
    blocks = [block for block in page_of(text).blocks if block.language == "console"]
    return [command for block in blocks for command, _ in block.commands()]


def test_every_command_option_and_argument_is_in_the_reference() -> None:
    assert missing_from_cli_page(app, page("cli.md")) == []


def test_the_parts_that_come_from_the_code_are_as_the_code_is() -> None:
    behind = [path.name for path in stale()]
    assert not behind, f"{', '.join(behind)}: `python -m tools.reference` writes them anew"


def test_every_public_name_of_cron_is_in_the_reference() -> None:
    assert missing_names(public_names(), page("cron.md")) == []


def test_every_environment_variable_is_in_the_reference() -> None:
    read = {name for source in SOURCES for name in variables(source.read_text("utf-8"))}
    assert {"NO_COLOR", "KEDGE_DEBUG"} <= read
    # A name that is put together when it runs is found among the options.
    read = (read - {"?"}) | option_variables()
    assert "KEDGE_LOG_LEVEL" in read
    assert missing_names(sorted(read), page("environment.md") + page("settings.md")) == []


def test_the_reference_has_an_example_of_every_command() -> None:
    shown = examples(page("cli.md"))
    for context in commands(click.Context(app, info_name="kedge", **app.context_settings)):
        if not isinstance(context.command, click.Group) and context.info_name not in ENDLESS:
            assert any(line.startswith(context.command_path) for line in shown)


def test_the_reference_names_the_time_of_its_examples() -> None:
    assert f"{NOW:%Y-%m-%dT%H:%M:%SZ}" in page("cli.md")


class TestTheDetectorsCatchAnOmission:
    """A test that finds nothing must be one that could."""

    def test_a_command_without_a_heading(self) -> None:
        text = page("cli.md").replace("## `kedge cron prev`", "## kedge cron prev")
        assert missing_from_cli_page(app, text) == ["kedge cron prev"]

    def test_an_option_without_a_word(self) -> None:
        text = page("cli.md").replace("--before", "--after")
        assert missing_from_cli_page(app, text) == ["kedge cron prev --before"]

    def test_an_option_that_is_only_the_start_of_a_longer_word(self) -> None:
        @click.command()
        @click.option("--out")
        @click.argument("thing")
        def command() -> None: ...

        text = "## `kedge`\n\nTakes `--output` and `THINGS`.\n"
        assert missing_from_cli_page(command, text) == ["kedge --out", "kedge THING"]

    def test_the_second_name_of_a_switch(self) -> None:
        text = page("cli.md").replace("--no-picture", "")
        assert missing_from_cli_page(app, text) == ["kedge cron explain --no-picture"]

    def test_a_public_name_that_is_not_in_backticks(self) -> None:
        text = "`next(after)` and prev, and\n```python\nschedule.between(a, b)\n```\n"
        assert missing_names(["next", "prev", "between"], text) == ["prev"]

    @pytest.mark.parametrize(
        ("source", "names"),
        [
            ("os.environ['A']", {"A"}),
            ("os.environ.get('A', 'b')", {"A", }),
            ("environ.get('A')", {"A"}),
            ("os.getenv('A')", {"A"}),
            ("getenv('A')", {"A"}),
            ("'A' in os.environ", {"A"}),
            ("click.option('--x', envvar='A')", {"A"}),
            ("click.option('--x', envvar=['A', 'B'])", {"A", "B"}),
            ("os.environ[name]", {"?"}),
            ("settings.get('A')", set()),
        ],
    )  # fmt: skip
    def test_a_variable_that_is_read(self, source: str, names: set[str]) -> None:
        assert variables(source) == names

    def test_a_variable_that_the_page_lacks(self) -> None:
        text = page("environment.md").replace("`NO_COLOR`", "NO_COLOR")
        assert "NO_COLOR" in missing_names(["KEDGE_DEBUG", "NO_COLOR"], text)
