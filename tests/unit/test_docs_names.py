"""The pages of annotations and of conditions have what the code has, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import kedge
import kedge.controllers
from kedge.api.crd import crds
from kedge.api.velero import labels
from tests.unit.test_docs_metrics import REFERENCE, modules, rows, value_of

QUALIFIED = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+/(?:[A-Za-z][\w.-]*)?")
OURS = ("kedge.cli.", "kedge.controllers.", "kedge.engine.", "kedge.api.", "kedge.selfservice.")
VERSION = re.compile(r"/v\d+((alpha|beta)\d+)?$")
PROVIDERS = {"velero.io/aws", "velero.io/azure", "velero.io/gcp", "kedge.dev/filesystem"}
NO_NAMES = PROVIDERS | {
    "kubernetes.io/service-account-token",  # a type of Secrets
    "kubernetes.io/hostname",  # of nodes, to spread pods by
    "kubernetes.io/metadata.name",
    "rbac.authorization.k8s.io/",
    "kedge.dev/",
    "velero.io/",
}
PLAIN = {"pscObjectHash", "component"}
"""Those without a domain."""
PLUGINS = "kedge.controllers.serverstatus.plugins"
"""Names there are those of what Velero calls plugins."""


def texts(module: ModuleType, source: str) -> Iterator[str]:
    """Give the texts of a module: those that it is written with, and its constants."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    yield from (value for value in vars(module).values() if isinstance(value, str))


def used(names: ModuleType, sources: dict[str, str]) -> Iterator[str]:
    """Give the constants of a module that another one uses."""
    users = [text for name, text in sources.items() if re.search(r"\blabels\b", text)]
    for name, value in vars(names).items():
        is_text = isinstance(value, str) and name.isupper()
        if is_text and any(re.search(rf"\b{name}\b", text) for text in users):
            yield value


def qualified(found: Iterator[str]) -> set[str]:
    """Keep what can be the name of a label or an annotation."""
    names = {one for one in found if QUALIFIED.fullmatch(one) and not VERSION.search(one)}
    return names - NO_NAMES


def names_of_the_code() -> set[str]:
    """Collect all names of labels, annotations and finalizers."""
    found: set[str] = set()
    sources = {}
    for module in modules(kedge):
        assert module.__file__ is not None
        text = Path(module.__file__).read_text("utf-8")
        if module.__name__.startswith(OURS) and module is not labels:
            sources[module.__name__] = text
            if module.__name__ != PLUGINS:
                found |= qualified(texts(module, text))
    return found | qualified(used(labels, sources)) | PLAIN


def test_every_annotation_and_label_is_on_its_page_and_no_other() -> None:
    page = [name for name, *_ in rows((REFERENCE / "annotations.md").read_text("utf-8"))]
    assert len(page) == len(set(page))
    code = names_of_the_code()
    assert len(code) > 50
    # Names that are put together are on the page with one of their kinds.
    made = {name for name in page if "-origin-n" in name or name.endswith("aggregate-to-")}
    assert sorted(set(page) - made - code) == []
    assert sorted(code - set(page)) == []


def phases_of_the_kinds() -> dict[str, set[str]]:
    """Collect the phases of each kind out of its schema."""
    found = {}
    for crd in crds():
        schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        phase = schema["properties"].get("status", {}).get("properties", {}).get("phase", {})
        if phase.get("enum"):
            found[crd["spec"]["names"]["kind"]] = {one for one in phase["enum"] if one}
    return found


KINDS = {
    "schedule": "Schedule",
    "prescaled": "PreScaledCronJob",
    "nab": "NonAdminBackup",
    "nar": "NonAdminRestore",
    "nabsl": "NonAdminBackupStorageLocation",
    "nadr": "NonAdminDownloadRequest",
}
"""By the folder of their controller."""


def conditions_of(source: str, names: dict[str, object]) -> set[tuple[str, str]]:
    """Give type and reason of the conditions that a source tells; empty: known when it is run."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("condition", "Saying") and len(node.args) >= 3:
                found.add((value_of(node.args[0], names), value_of(node.args[2], names)))
            elif node.func.id == "failed" and len(node.args) == 2:
                found.add(("Failed", value_of(node.args[0], names)))
    return {(kind, reason) for kind, reason in found if kind}


def conditions_of_the_code() -> set[tuple[str, str, str]]:
    """Collect kind, type and reason of the conditions of all controllers."""
    found = set()
    for module in modules(kedge.controllers):
        folder = module.__name__.split(".")[2]
        assert module.__file__ is not None
        if folder in KINDS:
            text = Path(module.__file__).read_text("utf-8")
            found |= {(KINDS[folder], *one) for one in conditions_of(text, vars(module))}
    return found


def test_every_phase_is_on_its_page_with_its_kinds_and_no_other() -> None:
    text = (REFERENCE / "conditions.md").read_text("utf-8")
    page: dict[str, set[str]] = {}
    for phase, kinds, *_ in rows(text.partition("## Conditions")[0]):
        for kind in kinds.split(", "):
            page.setdefault(kind, set()).add(phase)
    assert page == phases_of_the_kinds()


def test_every_condition_is_on_its_page_with_its_reasons() -> None:
    text = (REFERENCE / "conditions.md").read_text("utf-8")
    page = {
        (kind, name): set(re.findall(r"`(\w+)`", reasons))
        for name, kind, reasons, _ in rows(text.partition("## Conditions")[2])
    }
    code = conditions_of_the_code()
    assert len(code) > 25
    missing = {
        (kind, name, reason)
        for kind, name, reason in code
        if (kind, name) not in page or (reason and reason not in page[kind, name])
    }
    assert missing == set()
    assert {kind for kind, _ in page} == set(KINDS.values())


class TestTheDetectorsOfNames:
    """They would find what is missing."""

    def test_a_name_in_the_code(self) -> None:
        found = iter(["kedge.dev/new", "velero.io/v1", "velero.io/aws", "a text", "pre.velero.io/"])
        assert qualified(found) == {"kedge.dev/new", "pre.velero.io/"}

    def test_a_condition_in_the_code(self) -> None:
        source = "condition(READY, 'False', 'Odd', text)\nSaying(kind, TRUE, 'Odd', text)\n"
        assert conditions_of(source, {"READY": "Ready"}) == {("Ready", "Odd")}
