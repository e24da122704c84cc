import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.backup import BackupSpec
from kedge.engine.backup.items import Meta
from kedge.engine.backup.namespaces import NamespaceFilter, Namespaces, namespaces_of
from kedge.engine.backup.spaces import is_asked_for
from kedge.engine.includes import Includes
from kedge.kube.selectors import parse_labels

EXISTING = ("app-1", "app-2", "db", "default", "kube-system")


def resolved(included: list[str], excluded: list[str]) -> Namespaces:
    return NamespaceFilter(Includes.of(included, excluded)).resolve(EXISTING)


@pytest.mark.parametrize(
    ("included", "excluded", "inside", "listed"),
    [
        ([], [], EXISTING, None),
        (["*"], [], EXISTING, None),
        (["*"], ["kube-*"], EXISTING[:4], None),
        ([], ["db"], ("app-1", "app-2", "default", "kube-system"), None),
        (["db"], [], ("db",), ["db"]),
        (["db", "gone"], [], ("db",), ["db", "gone"]),
        (["app-*"], [], ("app-1", "app-2"), ["app-1", "app-2"]),
        (["app-?", "db"], ["app-2"], ("app-1", "db"), ["app-1", "db"]),
        (["app-[2-9]"], [], ("app-2",), ["app-2"]),
        (["app-*"], ["*-1"], ("app-2",), ["app-2"]),
        (["db"], ["app-*"], ("db",), ["db"]),
        (["none-*"], [], (), []),
        (["none-*"], ["db"], (), []),
        ([""], [], (), []),
        (["", "db"], [], ("db",), ["db"]),
    ],
)
def test_namespaces_that_are_included(
    included: list[str], excluded: list[str], inside: tuple[str, ...], listed: list[str] | None
) -> None:
    found = resolved(included, excluded)
    assert tuple(name for name in EXISTING if found.has(name)) == inside
    assert found.listed == listed


@pytest.mark.parametrize(
    ("included", "excluded", "expected"),
    [([], [], True), (["*"], [], True), ([], ["x"], False), (["db"], [], False),
     (["none-*"], [], False)],
)  # fmt: skip
def test_everything_is_all_namespaces(
    included: list[str], excluded: list[str], expected: bool
) -> None:
    assert resolved(included, excluded).everything is expected


def test_names_that_are_not_there_are_missing_and_patterns_are_not() -> None:
    assert resolved(["db", "gone", "*x*", "app-*", ""], []).missing(EXISTING) == ["", "gone"]
    assert resolved(["*"], []).missing(EXISTING) == []


@pytest.mark.parametrize("pattern", ["a**", "a[", "{a,b}*", "a[]*"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="wildcard pattern contains"):
        resolved([pattern, "db*"], [])
    spec = BackupSpec(included_namespaces=[pattern, "db*"])
    assert namespaces_of(spec, EXISTING) == frozenset()


def test_namespaces_of_a_spec() -> None:
    spec = msgspec.convert({"includedNamespaces": ["app-*"]}, BackupSpec)
    assert namespaces_of(spec, EXISTING) == {"app-1", "app-2"}
    assert namespaces_of(BackupSpec(), EXISTING) == set(EXISTING)


NAMES = st.text("abc", min_size=1, max_size=3)
PATTERNS = st.lists(st.one_of(NAMES, st.text("abc*?", min_size=1, max_size=3)), max_size=3)


def model_match(pattern: str, name: str) -> bool:
    """Match character by character, without regular expressions."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(model_match(pattern[1:], name[at:]) for at in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and model_match(pattern[1:], name[1:])


@given(PATTERNS, PATTERNS, st.lists(NAMES, max_size=5, unique=True))
def test_namespaces_are_those_that_a_small_model_chooses(
    included: list[str], excluded: list[str], existing: list[str]
) -> None:
    spec = BackupSpec(included_namespaces=included, excluded_namespaces=excluded)
    is_bad = any("**" in pattern for pattern in included + excluded)
    takes_all = not included or "*" in included
    is_expanded = not takes_all and any({"*", "?"} & {*name} for name in included + excluded)
    expected = set()
    for name in existing:
        is_in = takes_all or any(model_match(pattern, name) for pattern in included)
        if is_in and not any(model_match(pattern, name) for pattern in excluded):
            expected.add(name)
    assert namespaces_of(spec, existing) == (set() if is_bad and is_expanded else expected)


@pytest.mark.parametrize(
    ("labels", "phase", "included", "selector", "expected"),
    [
        ({}, "Active", [], "", True),
        ({}, "Terminating", [], "", False),
        ({"a": "b"}, "Terminating", [], "a=b", False),
        ({"a": "b"}, "Active", [], "a=b", True),
        ({}, "Active", [], "a=b", False),
        ({}, "Active", ["db"], "a=b", True),
        ({}, "Active", ["other"], "a=b", False),
        ({"a": "b"}, "Active", ["other"], "a=b", True),
        ({}, "Active", ["other"], "", False),
    ],
)
def test_namespaces_that_are_saved_for_themselves(
    labels: dict[str, str], phase: str, included: list[str], selector: str, expected: bool
) -> None:
    selectors = (parse_labels(selector),) if selector else ()
    meta = Meta("db", "", labels)
    assert is_asked_for(meta, phase, resolved(included, []), selectors) is expected
