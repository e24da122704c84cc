"""Ask a real server for the answers: `python -m tests.unit.apiserver.builtin.record [FILE...]`.

A case is written by hand as far as what is sent; this fills in what comes back.
"""

import argparse
import json
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from kedge.apiserver.resource import Object
from kedge.kube.patch.merge import merge
from tests.real_cluster import RealCluster, find, running
from tests.unit.apiserver.builtin import cases
from tests.unit.apiserver.builtin.cases import Case
from tests.unit.apiserver.builtin.pipeline import CLUSTER_WIDE, KINDS, Answer, api_version, plural

ANSWER = ("code", "causes", "message", "came", "warnings")
DRY = "?dryRun=All&fieldValidation=Ignore"


class Recorder:
    """Sends requests that leave nothing behind, but for what an update needs to be there."""

    def __init__(self, cluster: RealCluster) -> None:
        self.cluster = cluster

    def ask(self, method: str, path: str, body: Object | None = None) -> Answer:
        """Send one request."""
        headers = {
            "Authorization": f"Bearer {self.cluster.tokens['admin']}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        url = self.cluster.url + path
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.cluster.tls, timeout=30) as reply:
                return reply.status, json.loads(reply.read()), _warnings(reply.headers)
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read()), _warnings(refused.headers)

    def path(self, kind: str, name: str = "", subresource: str = "") -> str:
        """Give the path of a kind or an object."""
        root = f"/apis/{api_version(kind)}" if KINDS[kind][0] else "/api/v1"
        space = "" if kind in CLUSTER_WIDE else "/namespaces/default"
        parts = [part for part in (plural(kind), name, subresource) if part]
        return "/".join([root + space, *parts])

    def answer(self, case: Case) -> Case:
        """Give the answer to one case."""
        kind = case["kind"]
        typed = {"apiVersion": api_version(kind), "kind": KINDS[kind][2]}
        if "object" in case:
            sent = case["object"]
            code, body, warnings = self.ask("POST", self.path(kind) + DRY, {**typed, **sent})
            return cases.answer_of(code, sent, body, warnings)
        name = case["base"]["metadata"]["name"]
        code, body, _ = self.ask("POST", self.path(kind), {**typed, **case["base"]})
        if code != 201:
            raise AssertionError(body)
        try:
            live = self.ask("GET", self.path(kind, name))[1]
            del live["metadata"]["managedFields"]
            sent = merge(live, case["change"])
            path = self.path(kind, name, case.get("subresource", ""))
            code, body, warnings = self.ask("PUT", path + DRY, sent)
            return cases.answer_of(code, sent, body, warnings)
        finally:
            now = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
            self.ask("DELETE", self.path(kind, name), now)
            code, left, _ = self.ask("GET", self.path(kind, name))
            if code == 200 and left["metadata"].get("finalizers"):
                left["metadata"]["finalizers"] = []
                self.ask("PUT", self.path(kind, name), left)


def _warnings(headers: Any) -> list[str]:
    """Give the texts of Warning headers: `299 - "text"`."""
    return [json.loads(text.split(" ", 2)[2]) for text in headers.get_all("Warning") or ()]


def main() -> None:
    """Record all cases, or those of the files that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="names of files, without .jsonl")
    with tempfile.TemporaryDirectory() as folder, running(find(), Path(folder)) as cluster:
        recorder = Recorder(cluster)
        for name in parser.parse_args().files or cases.names():
            cases.write(name, [_recorded(recorder, case) for case in cases.load(name)])


def _recorded(recorder: Recorder, case: Case) -> Case:
    answer = recorder.answer(case)
    if case.get("any_order") and "causes" in answer:
        answer["causes"].sort()
    return {key: value for key, value in case.items() if key not in ANSWER} | answer


if __name__ == "__main__":
    main()
