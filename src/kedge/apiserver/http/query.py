"""Query parameters, read and checked as kube-apiserver does."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import parse_qs

from kedge.kube.durations import duration_problem
from kedge.kube.errors import BadRequest, invalid
from kedge.kube.fielderror import FieldError, forbidden, not_supported, required
from kedge.kube.gotext import quote
from kedge.kube.metadata import validate_manager

META = "meta.k8s.io"
EXACT, NOT_OLDER = "Exact", "NotOlderThan"
VALIDATIONS = ("", "Ignore", "Strict", "Warn")
APPLY = "application/apply-patch+yaml"
KEPT = 512
"""Characters of parameters that are read once: those of a client are mostly the same."""
_BROKEN = re.compile(r";|%(?![0-9A-Fa-f]{2})")
"""What Go does not take in a parameter: it leaves the whole parameter out."""
_INTEGER = re.compile(r"[+-]?[0-9]+")


def _read(text: str) -> Mapping[str, list[str]]:
    if ";" in text or "%" in text:
        text = "&".join(pair for pair in text.split("&") if _BROKEN.search(pair) is None)
    return parse_qs(text, keep_blank_values=True) if text else {}


_kept = lru_cache(maxsize=512)(_read)


class Query:
    """The parameters of one request."""

    __slots__ = ("values",)

    def __init__(self, text: str) -> None:
        """Read the part behind the question mark."""
        read = _kept if len(text) <= KEPT else _read
        self.values: Mapping[str, list[str]] = read(text) if text else {}

    def text(self, name: str) -> str:
        """Give the first value, or nothing."""
        values = self.values.get(name)
        return values[0] if values else ""

    def flag(self, name: str) -> bool | None:
        """Give a boolean as Go's query decoder takes it: anything but false and 0 is true."""
        values = self.values.get(name)
        if not values:
            return None
        return values[0].lower() not in {"false", "0"}

    def number(self, name: str) -> int | None:
        """Give a whole number."""
        values = self.values.get(name)
        if not values:
            return None
        if _INTEGER.fullmatch(values[0]) is None:
            problem = f"strconv.ParseInt: parsing {quote(values[0])}: invalid syntax"
            raise BadRequest(problem)
        value = int(values[0])
        if not -(2**63) <= value < 2**63:
            raise BadRequest(f"strconv.ParseInt: parsing {quote(values[0])}: value out of range")
        return value


def check_timeout(query: Query) -> None:
    """Refuse a timeout that is no duration of Go's; raises BadRequest. Watches do not ask."""
    text = query.text("timeout")
    problem = duration_problem(text) if text else ""
    if problem:
        raise BadRequest(f"invalid timeout specified in the request URL - {problem}")


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options of create, update and patch."""

    dry_run: bool = False
    manager: str = ""
    validation: str = "Warn"
    force: bool | None = None


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Options of list, watch and delete collection."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    token: str = ""
    revision: str = ""
    match: str = ""
    bookmarks: bool = False
    initial_events: bool | None = None
    timeout_seconds: int | None = None


PLAIN = WriteOptions()


def write_options(query: Query, kind: str, media: str = "") -> WriteOptions:
    """Check the options of a write; `kind` is CreateOptions, UpdateOptions or PatchOptions."""
    if not query.values and media != APPLY:
        return PLAIN
    manager, validation = query.text("fieldManager"), query.text("fieldValidation")
    force = query.flag("force") if kind == "PatchOptions" else None
    errors: list[FieldError] = []
    if media == APPLY and not manager:
        errors.append(required("fieldManager", "is required for apply patch"))
    if media != APPLY and force is not None:
        errors.append(forbidden("force", "may not be specified for non-apply patch"))
    errors += validate_manager(manager, "fieldManager")
    dry_run = query.values.get("dryRun", [])
    errors += check_dry_run(dry_run)
    if validation not in VALIDATIONS:
        errors.append(not_supported("fieldValidation", validation, VALIDATIONS))
    if errors:
        raise invalid(META, kind, "", errors)
    return WriteOptions(bool(dry_run), manager, validation or "Warn", force)


def check_dry_run(values: list[str]) -> list[FieldError]:
    """Give what is wrong with the values of dryRun."""
    if all(value == "All" for value in values):
        return []
    return [not_supported("dryRun", values, ("All",))]


def list_options(query: Query, watch: bool) -> ListOptions:
    """Check the options of a list or a watch."""
    if not query.values:
        return EVERYTHING
    options = ListOptions(
        labels=query.text("labelSelector"),
        fields=query.text("fieldSelector"),
        limit=query.number("limit") or 0,
        token=query.text("continue"),
        revision=query.text("resourceVersion"),
        match=query.text("resourceVersionMatch"),
        bookmarks=bool(query.flag("allowWatchBookmarks")),
        initial_events=query.flag("sendInitialEvents"),
        timeout_seconds=query.number("timeoutSeconds"),
    )
    if watch and query.flag("watch") and _asks_for_state(options):
        options = replace(options, initial_events=True, match=NOT_OLDER)
    errors = _watch_errors(options) if watch else _list_errors(options)
    if errors:
        raise invalid(META, "ListOptions", "", errors)
    return options


EVERYTHING = ListOptions()


def _asks_for_state(options: ListOptions) -> bool:
    """Whether a watch asks for the state first in the old way; checked is the new one."""
    return options.initial_events is None and not options.match and options.revision in {"", "0"}


def _list_errors(options: ListOptions) -> list[FieldError]:
    errors = []
    path, match = "resourceVersionMatch", options.match
    if match:
        if not options.revision:
            errors.append(
                forbidden(path, f"{path} is forbidden unless resourceVersion is provided")
            )
        if options.token:
            errors.append(forbidden(path, f"{path} is forbidden when continue is provided"))
        if match not in {EXACT, NOT_OLDER}:
            errors.append(not_supported(path, match, (EXACT, NOT_OLDER, "")))
        if match == EXACT and options.revision == "0":
            errors.append(forbidden(path, f'{path} "exact" is forbidden for resourceVersion "0"'))
    if options.initial_events is not None:
        errors.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(options: ListOptions) -> list[FieldError]:
    errors = []
    path, match = "resourceVersionMatch", options.match
    if options.initial_events is not None and match != NOT_OLDER:
        detail = f"sendInitialEvents requires setting resourceVersionMatch to {NOT_OLDER}"
        errors.append(forbidden(path, detail))
    if match:
        if options.initial_events is None:
            detail = f"{path} is forbidden for watch unless sendInitialEvents is provided"
            errors.append(forbidden(path, detail))
        if match != NOT_OLDER:
            errors.append(not_supported(path, match, (NOT_OLDER,)))
        if options.token:
            errors.append(forbidden(path, f"{path} is forbidden when continue is provided"))
    return errors
