"""A whole cluster with people in it: they have the shipped roles and nothing else."""

import base64
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge.api.crd import crds
from kedge.cli.install.tenants import policy_roles, tenant_roles
from kedge.kube.kind import Object
from kedge.testing.client import Client
from tests.integration.apiserver_process import running as embedded
from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.kubectls import found
from tests.real_cluster import RealCluster
from tests.velero.kedge_server import kedge_server
from tests.velero.s3 import S3Server, s3_server

HOME = "velero"
SHOP, OFFICE, RIVAL = "shop", "office", "rival"
ALICE, BOB = "alice", "bob"
ROLES = {
    (SHOP, ALICE): "edit",
    (OFFICE, ALICE): "admin",
    (SHOP, BOB): "view",
    (RIVAL, BOB): "edit",
}
"""Who is bound to which of the cluster's own roles, and where."""
ADMINS, OURS = "admins", "ours"
"""Buckets: that of the administrator, and that of the people of the shop."""
RBAC = "rbac.authorization.k8s.io"
LONG = 120.0


@dataclass(frozen=True)
class Person:
    """Somebody with a token."""

    name: str
    url: str
    token: str
    ca: bytes
    kubectl: Kubectl

    def client(self) -> Client:
        """Make a client, which the caller closes."""
        tls = ssl.create_default_context(cadata=self.ca.decode())
        return Client(self.url, self.token, tls)

    def kedge(self, *words: str) -> str:
        """Run a command of ours, which must succeed; give what it printed."""
        config = str(self.kubectl.kubeconfig)
        env = {**os.environ, "HOME": str(self.kubectl.home), "KUBECONFIG": config}
        command = [sys.executable, "-m", "kedge", *words, "--namespace", self.kubectl.namespace]
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=LONG, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@dataclass(frozen=True)
class Estate:
    """The cluster, its administrator, and its people by their names."""

    name: str
    admin: Kubectl
    people: dict[str, Person]
    s3: S3Server


@contextmanager
def estate(
    kind: str, request: pytest.FixtureRequest, folders: pytest.TempPathFactory
) -> Iterator[Estate]:
    """Have a cluster of a kind with all in it, and our server at work."""
    programs = found()
    if not programs:
        pytest.skip("no kubectl on PATH or in the cache folder")
    version, program = list(programs.items())[-1]
    folder = folders.mktemp("tenancy")
    with ExitStack() as stack:
        if kind == "real":
            real: RealCluster = request.getfixturevalue("real_cluster")
            config, tokens = real.kubeconfig, real.tokens
        else:
            tokens = {name: f"token-of-{name}" for name in (ALICE, BOB)}
            lines = "".join(f'{token},{name},uid-{name},""\n' for name, token in tokens.items())
            file = folder / "tokens.csv"
            file.write_text(lines)
            server = stack.enter_context(embedded(folder / "data", f"--token-file={file}"))
            config = server.kubeconfig
        s3 = stack.enter_context(s3_server(folder / "s3"))
        for bucket in (ADMINS, OURS):
            s3.make_bucket(bucket)
        admin = Kubectl(version, program, config, HOME, folder)
        stack.callback(_clear, admin)
        _prepare(admin, s3)
        stack.enter_context(kedge_server(config, folder / "kedge"))
        people = {name: _person(name, tokens[name], config, admin) for name in (ALICE, BOB)}
        yield Estate(kind, admin, people, s3)


def _prepare(admin: Kubectl, s3: S3Server) -> None:
    """Put in what an administrator does: kinds, roles, people, and the server's own bucket."""
    file = _file(admin.home, "crds.json", crds())
    admin.ok("create", "-f", file)
    admin.ok("wait", "--for=condition=Established", "--timeout=60s", "-f", file)
    spaces = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in (HOME, SHOP, OFFICE, RIVAL)
    ]
    roles = [*tenant_roles(), *policy_roles(HOME)]
    bindings = [_binding(*place, role) for place, role in ROLES.items()]
    location = {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": "default", "namespace": HOME},
        "spec": {
            "provider": "aws",
            "default": True,
            "objectStorage": {"bucket": ADMINS},
            "config": s3.config,
            "credential": {"name": "cloud-credentials", "key": "cloud"},
        },
    }
    keys = secret("cloud-credentials", HOME, s3)
    everything = [*spaces, *roles, *bindings, keys, location]
    replace(admin, namespace="").ok("create", "-f", _file(admin.home, "all.json", everything))


def _clear(admin: Kubectl) -> None:
    """Take all away again: a real cluster is there for other tests, too."""
    for file in ("all.json", "crds.json"):
        words = ("delete", "--ignore-not-found", "--wait=false", "-f", str(admin.home / file))
        replace(admin, namespace="").run(*words)


def secret(name: str, namespace: str, s3: S3Server) -> Object:
    """Write a Secret with the credentials of the object storage."""
    data = {"cloud": base64.b64encode(s3.credentials.encode()).decode()}
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data}


def _binding(namespace: str, person: str, role: str) -> Object:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": f"{person}-{role}", "namespace": namespace},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": person}],
    }


def _person(name: str, token: str, admins: Path, admin: Kubectl) -> Person:
    """Write a kubeconfig for somebody, which has a token and no more."""
    known: Any = yaml.safe_load(admins.read_text())
    cluster = known["clusters"][0]["cluster"]
    if "certificate-authority" in cluster:
        path = admins.parent / cluster.pop("certificate-authority")
        cluster["certificate-authority-data"] = base64.b64encode(path.read_bytes()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    path = admin.home / f"{name}.kubeconfig"
    path.touch(mode=0o600)
    path.write_text(json.dumps(config))
    ca = base64.b64decode(cluster["certificate-authority-data"])
    kubectl = Kubectl(admin.version, admin.program, path, SHOP, admin.home)
    return Person(name, cluster["server"], token, ca, kubectl)


def _file(folder: Path, name: str, objects: list[Object]) -> str:
    path = folder / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(path)
