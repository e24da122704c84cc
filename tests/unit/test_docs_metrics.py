"""The pages of metrics and Events have what the code has, and nothing else."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

import kedge.controllers
from kedge.runtime.metrics import Metrics

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
SOURCES = ROOT / "src"
TYPES = {"NORMAL": "Normal", "WARNING": "Warning"}

Row = tuple[str, ...]


def rows(page: str) -> list[Row]:
    """Give the rows of all tables of a page: their cells, the first without its backticks."""
    found = []
    for line in page.splitlines():
        if line.startswith("| `"):
            first, *rest = (cell.strip() for cell in line[1:-1].split("|"))
            found.append((first.strip("`"), *rest))
    return found


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """Import all that is below a package."""
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(info.name)


def collectors() -> Iterator[Collector]:
    """Make all that tell numbers in the folders of controllers."""
    for module in modules(kedge.controllers):
        for value in vars(module).values():
            is_own = getattr(value, "__module__", "") == module.__name__
            if is_own and isinstance(value, type) and Collector in value.__mro__:
                yield value()


def full_name(family: Metric) -> str:
    """Give the name that is queried."""
    return f"{family.name}_total" if family.type == "counter" else family.name


def labels_of(family: Metric) -> str:
    """Give the labels, as the page writes them."""
    names = getattr(family, "_labelnames", ()) or _labels_of_samples(family)
    return ", ".join(names)


def _labels_of_samples(family: Metric) -> Iterator[str]:
    named = (name for sample in family.samples for name in sample.labels)
    return iter(dict.fromkeys(name for name in named if name != "le"))


def told(registry: CollectorRegistry) -> dict[str, tuple[str, str]]:
    """Give all metrics of a registry, with type and labels."""
    return {full_name(one): (one.type, labels_of(one)) for one in registry.collect()}


def events_of(source: str, names: dict[str, object]) -> set[tuple[str, str]]:
    """Give reason and type of each Event that a source tells; names are those of its module."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            for type_, reason in zip(node.args, node.args[1:], strict=False):
                if isinstance(type_, ast.Name) and type_.id in TYPES:
                    found.add((value_of(reason, names), TYPES[type_.id]))
    return {(reason, type_) for reason, type_ in found if reason}


def value_of(node: ast.expr, names: dict[str, object]) -> str:
    """Work out a text, or a name such as `Phase.BAD`; empty: it is known only when it is run."""
    code = compile(ast.Expression(node), "<docs>", "eval")
    try:
        value = eval(code, dict(names))
    except NameError:
        return ""
    return str(getattr(value, "value", value))


def all_events() -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for module in modules(kedge.controllers):
        assert module.__file__ is not None
        found |= events_of(Path(module.__file__).read_text("utf-8"), vars(module))
    return found


def test_every_metric_is_on_its_page_with_type_and_labels() -> None:
    metrics = Metrics()
    for one in collectors():
        metrics.registry.register(one)
    code = told(metrics.registry)
    text = (REFERENCE / "metrics.md").read_text("utf-8")
    page = {name: (type_, labels) for name, type_, labels, _ in rows(text)}
    assert len(code) > 40
    # What a system does not tell of a process is told of others.
    missing = {name for name in page.keys() - code.keys() if name.startswith("process_")}
    kept = {name: row for name, row in page.items() if name not in missing}
    # A metric that has no numbers yet does not say what labels they will have.
    known = {
        name: (type_, labels or kept.get(name, ("", ""))[1])
        for name, (type_, labels) in code.items()
    }
    assert kept == known


def test_every_event_is_on_its_page_with_its_type() -> None:
    page = rows((REFERENCE / "events.md").read_text("utf-8"))
    assert len(page) > 20
    assert {(reason, type_) for reason, type_, *_ in page} == all_events()
    assert len(page) == len({reason for reason, *_ in page})


class TestTheDetectors:
    """They would find what is missing."""

    def test_an_event_with_a_text_or_a_name(self) -> None:
        source = "self.recorder.record(x, NORMAL, 'Made', text)\nNote(WARNING, Phase.bad, why)\n"
        phases = type("Phase", (), {"bad": "Bad"})
        assert events_of(source, {"Phase": phases}) == {("Made", "Normal"), ("Bad", "Warning")}

    def test_one_that_only_passes_a_reason_on_is_none(self) -> None:
        source = (
            "self.recorder.record(x, note.type, note.reason, text)\nNote(WARNING, one.reason)\n"
        )
        assert events_of(source, {}) == set()

    def test_a_row(self) -> None:
        page = "| name | type |\n| --- | --- |\n| `a_total` | counter |\ntext\n"
        assert rows(page) == [("a_total", "counter")]
