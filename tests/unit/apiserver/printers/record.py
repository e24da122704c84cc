"""Ask a real server for objects and their Tables, and write both to data/.

Usage: python -m tests.unit.apiserver.printers.record --kubeconfig FILE [NAME...]

A real server is started with `python -m tests.real_cluster --kubeconfig FILE`. Each file in cases/
is a list of cases: `kind` (group/version/Kind), `case` (what is special about it), `object`, and
perhaps `status` and `approval` (patches of these subresources), `deleted` (a finalizer keeps it),
`existing` (the name of an object that every server has), `subresource` (what is asked for), `seen`
(the kind as which it is asked for). What has no state is only created in a dry run, unless `kept`
says that the server must keep it; `trial` makes a dry run of the status, which a controller would
change. `{now-90}` stands for the time 90 seconds ago, `{now-90u}` for that with microseconds. To
the cases come, for each kind, the empty object of a bookmark.
"""

import argparse
import json
import re
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from kedge.aio.clock import SystemClock
from kedge.apiserver.kinds.table import BuiltinResource, builtin
from kedge.kube.times import format_micro_time, format_time

HERE = Path(__file__).parent
CASES, DATA = HERE / "cases", HERE / "data"
NAMESPACE = "prn-record"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PLAIN = "application/json"
HOLD = "kedge.dev/hold"
MERGE = "application/merge-patch+json"
INITIAL = (
    "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
)

Json = dict[str, Any]


@dataclass
class Server:
    """A real server, and what was made in it."""

    url: str
    tls: ssl.SSLContext
    token: str
    made: list[str] = field(default_factory=list)

    def open(self, method: str, path: str, body: Json | None = None, accept: str = PLAIN) -> Any:
        """Send a request; the answer is a stream."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept}
        headers["Content-Type"] = MERGE if method == "PATCH" else PLAIN
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            return urllib.request.urlopen(request, context=self.tls, timeout=60)
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.read().decode()}") from None

    def ask(self, *request: Any) -> Json:
        """Send a request and read the answer."""
        with self.open(*request) as answer:
            found: Json = json.load(answer)
        return found

    def bookmark(self, path: str, accept: str) -> Json:
        """Give the object of the first bookmark of a watch."""
        with self.open("GET", f"{path}?{INITIAL}", None, accept) as stream:
            for line in stream:
                event = json.loads(line)
                if event["type"] == "BOOKMARK":
                    found: Json = event["object"]
                    return found
        raise SystemExit(f"{path}: no bookmark")


def connect(kubeconfig: Path) -> Server:
    """Read where the server is."""
    config = yaml.safe_load(kubeconfig.read_text())
    cluster = config["clusters"][0]["cluster"]
    tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
    return Server(cluster["server"], tls, config["users"][0]["user"]["token"])


def filled(value: Any) -> Any:
    """Put times where a case has places for them."""
    now = SystemClock().now().replace(microsecond=0)

    def written(place: re.Match[str]) -> str:
        then = now + timedelta(seconds=int(place[1]))
        return format_micro_time(then) if place[2] else format_time(then)

    return json.loads(re.sub(r"\{now([+-]\d+)(u?)\}", written, json.dumps(value)))


def collection(resource: BuiltinResource) -> str:
    """Give the path of a resource's list."""
    root = f"/apis/{resource.group}" if resource.group else "/api"
    space = f"/namespaces/{NAMESPACE}" if resource.namespaced else ""
    return f"{root}/{resource.version}{space}/{resource.plural}"


def resource_of(kind: str) -> BuiltinResource:
    """Find a resource by group/version/Kind."""
    group, version, name = kind.split("/")
    return next(
        one
        for one in builtin().resources
        if (one.group, one.version, one.kind) == (group, version, name)
    )


def both(server: Server, *request: Any) -> Json:
    """Ask for an object and for its Table within one second, so that ages agree."""
    while True:
        before = SystemClock().now()
        obj, table = server.ask(*request, PLAIN), server.ask(*request, TABLE)
        if SystemClock().now().replace(microsecond=0) == before.replace(microsecond=0):
            return entry(obj, table, format_time(before))


def entry(obj: Json, table: Json, now: str) -> Json:
    """Keep what a test compares."""
    (row,) = table["rows"]
    for name in ("managedFields", "uid", "resourceVersion"):
        obj["metadata"].pop(name, None)
    found = {"now": now, "object": obj, "cells": row["cells"]}
    if "conditions" in row:
        found["conditions"] = row["conditions"]
    return found


def recorded(server: Server, case: Json, number: int) -> Json:
    """Bring about what a case says, and look at it."""
    case = filled(case)
    path = collection(resource_of(case["kind"]))
    status = case.get("status")
    if "existing" in case:
        place = f"{path}/{case['existing']}"
        if status is None:
            return both(server, "GET", place, None)
        return both(server, "PATCH", f"{place}/status?dryRun=All", {"status": status})
    obj = case.get("object") or {}
    name = obj.setdefault("metadata", {}).setdefault("name", f"prn-{number}")
    if case.get("deleted"):
        obj["metadata"].setdefault("finalizers", []).append(HOLD)
    elif not case.keys() & {"status", "approval", "subresource", "seen", "kept"}:
        return both(server, "POST", f"{path}?dryRun=All", obj)
    server.ask("POST", path, obj)
    server.made.append(f"{path}/{name}")
    if case.get("trial"):
        return both(server, "PATCH", f"{path}/{name}/status?dryRun=All", {"status": status})
    for subresource in ("approval", "status"):
        if subresource in case:
            body = {"status": case[subresource]}
            server.ask("PATCH", f"{path}/{name}/{subresource}", body)
    if case.get("deleted"):
        server.ask("DELETE", f"{path}/{name}")
    seen = collection(resource_of(case.get("seen") or case["kind"]))
    return both(server, "GET", f"{seen}/{name}{case.get('subresource', '')}", None)


def file_entries(server: Server, cases: list[Json]) -> Iterator[Json]:
    """Record the cases of a file, and a bookmark for each of their kinds."""
    for number, case in enumerate(cases):
        yield {"kind": case["kind"], "case": case["case"], **recorded(server, case, number)}
        clean(server)
    for kind in dict.fromkeys(case["kind"] for case in cases):
        resource = resource_of(kind)
        if "watch" in resource.verbs:
            now = format_time(SystemClock().now())
            obj, table = (server.bookmark(collection(resource), a) for a in (PLAIN, TABLE))
            yield {"kind": kind, "case": "bookmark", **entry(obj, table, now)}


def clean(server: Server) -> None:
    """Remove what was made; only now, for deleted objects are held until here."""
    for path in server.made:
        server.ask("PATCH", path, {"metadata": {"finalizers": None}})
        try:
            server.ask("DELETE", f"{path}?gracePeriodSeconds=0")
        except SystemExit:  # it was waiting for that finalizer
            continue
    server.made.clear()


def record(server: Server, source: Path) -> None:
    """Record one file of cases."""
    cases = yaml.safe_load(source.read_text())
    lines = [json.dumps(one) + "\n" for one in file_entries(server, cases)]
    (DATA / f"{source.stem}.jsonl").write_text("".join(lines))
    sys.stdout.write(f"{source.stem}: {len(lines)}\n")


def main() -> None:
    """Record all files, or those that are named."""
    parser = argparse.ArgumentParser(description="Record Tables of a real server.")
    parser.add_argument("--kubeconfig", type=Path, required=True, help="of a real server")
    parser.add_argument("names", nargs="*", help="files in cases/ without .yaml; all if none")
    asked = parser.parse_args()
    server = connect(asked.kubeconfig)
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    try:
        for source in sorted(CASES.glob("*.yaml")):
            if not asked.names or source.stem in asked.names:
                record(server, source)
    finally:
        clean(server)
        server.ask("DELETE", f"/api/v1/namespaces/{NAMESPACE}")


if __name__ == "__main__":
    main()
