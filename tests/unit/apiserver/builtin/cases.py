"""Requests with the answers of a real server, one JSON object a line: see `record`."""

import json
import re
from pathlib import Path
from typing import Any

from kedge.apiserver.resource import Object

FOLDER = Path(__file__).with_name("recorded")
SERVERS_OWN = ("uid", "creationTimestamp", "resourceVersion", "managedFields", "namespace")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
Case = dict[str, Any]
"""id, kind, and object (to create) or base and change (to update base by a merge patch), with
subresource where it is not the object itself; then the answer: code, and causes or message of a
refusal, or what came back other than it was sent; warnings. Go walks maps in no order, so that
causes about them may come in any order: any_order."""


def load(name: str) -> list[Case]:
    """Read the cases of one file."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def names() -> list[str]:
    """List the files."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def answer_of(code: int, sent: Object, body: Object, warnings: list[str]) -> Case:
    """Give what a case says of an answer."""
    answer: Case = {"code": code}
    if code >= 400:
        causes = (body.get("details") or {}).get("causes")
        if causes is None:
            answer["message"] = body["message"]
        else:
            answer["causes"] = [
                [cause.get("field", ""), cause["reason"], cause["message"]] for cause in causes
            ]
    else:
        answer["came"] = difference(plain(sent), plain(body))
    if warnings:
        answer["warnings"] = sorted(warnings)
    masked: Case = json.loads(TIME.sub("<time>", UUID.sub("<uid>", json.dumps(answer))))
    return masked


def write(name: str, lines: list[Case]) -> None:
    """Write the cases of one file."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (FOLDER / f"{name}.jsonl").write_text(text)


def plain(obj: Object) -> Object:
    """Leave out what every server fills in for itself."""
    kept = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
    metadata = obj.get("metadata") or {}
    kept["metadata"] = {key: value for key, value in metadata.items() if key not in SERVERS_OWN}
    return kept


def difference(old: Any, new: Any) -> Any:
    """Give what is new or other, by key, None for what is gone; lists of one length by place."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        old, new = (dict(zip(map(str, range(len(one))), one, strict=True)) for one in (old, new))
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    found: Object = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old or value != old[key]:
            found[key] = difference(old.get(key), value)
    return found
