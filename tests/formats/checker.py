"""Judge the files of a backup by Velero's layout alone, with the standard library alone.

Written without a look at how Kedge writes them, so that a mistake in one is not a mistake in both.
"""

import gzip
import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from typing import Any

FORMAT = "1.1.0"
FINAL = {"Completed", "PartiallyFailed", "Failed"}
SPLIT = re.compile(
    r"resources/(?P<resource>[^/]+)/(?:(?P<version>[^/]+)-preferredversion/)?"
    r"(?:cluster|namespaces/(?P<namespace>[^/]+))/(?P<name>[^/]+)\.json"
)
ARRAYS = ("podvolumebackups", "volumesnapshots", "itemoperations", "volumeinfo")
SNAPSHOT_METHODS = {"NativeSnapshot", "PodVolumeBackup", "CSISnapshot", ""}


def check_backup(files: Mapping[str, bytes]) -> list[str]:
    """Tell what is wrong with a finished backup, whose files are given by key below the prefix."""
    names = {key.split("/")[1] for key in files if key.startswith("backups/")}
    if len(names) != 1:
        return [f"there is not one backup: {sorted(names)}"]
    name = names.pop()
    mine = {key: data for key, data in files.items() if key.startswith(f"backups/{name}/")}
    return list(_problems(name, mine))


def _problems(name: str, files: Mapping[str, bytes]) -> Iterator[str]:
    top = f"backups/{name}/"
    known = {f"{top}velero-backup.json", f"{top}{name}.tar.gz", f"{top}{name}-logs.gz"}
    known |= {f"{top}{name}-results.gz", f"{top}{name}-resource-list.json.gz"}
    known |= {f"{top}{name}-{part}.json.gz" for part in ARRAYS}
    for key in sorted(known - files.keys()):
        yield f"{key} is missing"
    for key in sorted(files.keys() - known):
        yield f"{key} should not be there"
    if known - files.keys():
        return
    yield from check_metadata(name, files[f"{top}velero-backup.json"])
    yield from _check_log(files[f"{top}{name}-logs.gz"])
    yield from check_results(files[f"{top}{name}-results.gz"])
    for part in ARRAYS:
        yield from _check_array(part, files[f"{top}{name}-{part}.json.gz"])
    items, problems = read_tarball(files[f"{top}{name}.tar.gz"])
    yield from problems
    yield from _check_list(files[f"{top}{name}-resource-list.json.gz"], items)
    yield from _check_counts(json.loads(files[f"{top}velero-backup.json"]), items)
    yield from _check_results_count(
        json.loads(files[f"{top}velero-backup.json"]), files[f"{top}{name}-results.gz"]
    )


def check_metadata(name: str, data: bytes) -> Iterator[str]:
    """Tell what is wrong with velero-backup.json."""
    try:
        backup = json.loads(data)
    except ValueError as exc:
        yield f"velero-backup.json is not JSON: {exc}"
        return
    if (backup.get("kind"), backup.get("apiVersion")) != ("Backup", "velero.io/v1"):
        yield "velero-backup.json has another kind or apiVersion"
    if backup["metadata"]["name"] != name:
        yield f"velero-backup.json is of {backup['metadata']['name']}, not of {name}"
    if not data.startswith(b'{\n  "'):
        yield "velero-backup.json is not indented by two spaces"
    status = backup.get("status", {})
    if status.get("phase") not in FINAL:
        yield f"velero-backup.json has the phase {status.get('phase')}"
    if status.get("formatVersion") != FORMAT:
        yield f"formatVersion is {status.get('formatVersion')}"
    for field in ("startTimestamp", "completionTimestamp", "expiration"):
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", status.get(field) or ""):
            yield f"status.{field} is {status.get(field)}"


def _check_log(data: bytes) -> Iterator[str]:
    try:
        text = gzip.decompress(data).decode()
    except (OSError, EOFError, ValueError) as exc:
        yield f"the log is no gzip text: {exc}"
        return
    for line in text.splitlines():
        if not re.match(r'time="[^"]+" level=(info|warning|error|debug) msg=', line):
            yield f"a line of the log is none of logrus: {line[:80]}"


def check_results(data: bytes) -> Iterator[str]:
    """Tell what is wrong with a file of results."""
    results = _json(data)
    if not isinstance(results, dict) or set(results) != {"errors", "warnings"}:
        yield "the results have not errors and warnings, and nothing else"
        return
    for kind, parts in results.items():
        if set(parts) - {"velero", "cluster", "namespaces"}:
            yield f"the {kind} have other parts: {sorted(parts)}"
        for part, texts in parts.items():
            if not texts:
                yield f"the empty part {part} of the {kind} should be left out"
            lists = texts.values() if part == "namespaces" else [texts]
            for one in lists:
                if not isinstance(one, list) or not all(isinstance(text, str) for text in one):
                    yield f"{part} of the {kind} is no list of texts"


def _check_array(part: str, data: bytes) -> Iterator[str]:
    value = _json(data)
    if value is not None and not isinstance(value, list):
        yield f"{part} is no array"
        return
    for info in value or []:
        if part == "volumeinfo" and info.get("backupMethod", "") not in SNAPSHOT_METHODS:
            yield f"volumeinfo has the method {info.get('backupMethod')}"
        if not isinstance(info, dict):
            yield f"{part} has something that is no object"


def read_tarball(data: bytes) -> tuple[dict[tuple[str, str, str], Any], list[str]]:
    """Give the objects of an archive by resource, namespace and name, and what is wrong with it."""
    plain: dict[tuple[str, str, str], bytes] = {}
    preferred: dict[tuple[str, str, str], tuple[str, bytes]] = {}
    problems: list[str] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as tar:
            members = [(member, tar.extractfile(member)) for member in tar]
            version = None
            for member, file in members:
                body = file.read() if file else b""
                problems += _check_member(member)
                if member.name == "metadata/version":
                    version = body
                elif (found := SPLIT.fullmatch(member.name)) is None:
                    problems.append(f"{member.name} is no path of the layout")
                else:
                    place = (found["resource"], found["namespace"] or "", found["name"])
                    if found["version"]:
                        preferred[place] = (found["version"], body)
                    else:
                        plain[place] = body
    except (tarfile.TarError, OSError, EOFError) as exc:
        return {}, [f"the archive is no gzip tar: {exc}"]
    if version != f"{FORMAT}\n".encode():
        problems.append(f"metadata/version is {version!r}")
    if len({member.name for member, _ in members}) != len(members):
        problems.append("a name is there twice")
    problems += _check_pairs(plain, preferred)
    items = {}
    for place, body in plain.items():
        items[place], found_problems = _item(place, body)
        problems += found_problems
    return items, problems


def _check_member(member: tarfile.TarInfo) -> Iterator[str]:
    if member.type != tarfile.REGTYPE:
        yield f"{member.name} is no regular file"
    if member.mode != 0o755:
        yield f"{member.name} has the mode {member.mode:o}"
    if member.name.startswith("/") or ".." in member.name.split("/"):
        yield f"{member.name} leads out"


def _check_pairs(
    plain: Mapping[tuple[str, str, str], bytes],
    preferred: Mapping[tuple[str, str, str], tuple[str, bytes]],
) -> Iterator[str]:
    for place in sorted(plain.keys() ^ preferred.keys()):
        yield f"{place} is there once only"
    for place in plain.keys() & preferred.keys():
        version, body = preferred[place]
        if body != plain[place]:
            yield f"the two files of {place} differ"
        told = json.loads(body).get("apiVersion", "").rpartition("/")[2]
        if told != version:
            yield f"{place} is in the folder of {version}, and of {told}"


def _item(place: tuple[str, str, str], body: bytes) -> tuple[Any, list[str]]:
    try:
        obj = json.loads(body)
    except ValueError as exc:
        return {}, [f"{place} is not JSON: {exc}"]
    problems = []
    resource, namespace, name = place
    metadata = obj.get("metadata", {})
    if (metadata.get("namespace", ""), metadata.get("name")) != (namespace, name):
        problems.append(f"{place} holds {metadata.get('namespace')}/{metadata.get('name')}")
    group = obj.get("apiVersion", "").rpartition("/")[0]
    if resource.partition(".")[2] != group:
        problems.append(f"{place} is of the group {group}")
    if not obj.get("kind"):
        problems.append(f"{place} has no kind")
    if b"\n" in body or body != body.strip() or b'": ' in body.split(b'"data"')[0][:200]:
        problems.append(f"{place} is not compact")
    return obj, problems


def _check_list(data: bytes, items: Mapping[tuple[str, str, str], Any]) -> Iterator[str]:
    wanted: dict[str, list[str]] = {}
    for (_, namespace, name), obj in items.items():
        entry = f"{namespace}/{name}" if namespace else name
        wanted.setdefault(f"{obj.get('apiVersion')}/{obj.get('kind')}", []).append(entry)
    listed = _json(data) or {}
    for key in sorted(wanted.keys() | listed.keys()):
        if listed.get(key) != sorted(wanted.get(key, [])):
            yield f"the resource list has other objects of {key}: {listed.get(key)}"


def _check_counts(backup: Any, items: Mapping[tuple[str, str, str], Any]) -> Iterator[str]:
    progress = backup.get("status", {}).get("progress", {})
    told = (progress.get("totalItems", 0), progress.get("itemsBackedUp", 0))
    if told != (len(items), len(items)):
        yield f"the progress tells {told} of {len(items)} items"


def _check_results_count(backup: Any, data: bytes) -> Iterator[str]:
    results = _json(data)
    status = backup.get("status", {})
    for kind in ("errors", "warnings"):
        parts = results[kind]
        count = len(parts.get("velero", [])) + len(parts.get("cluster", []))
        count += sum(map(len, parts.get("namespaces", {}).values()))
        if status.get(kind, 0) != count:
            yield f"the status tells {status.get(kind, 0)} {kind}, the results {count}"


def _json(data: bytes) -> Any:
    return json.loads(gzip.decompress(data))
