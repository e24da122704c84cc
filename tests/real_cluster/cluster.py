"""Start etcd, kube-apiserver and, where asked for, the controllers; stop them all."""

import contextlib
import json
import secrets
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from tests.real_cluster.certificates import Authority, Pair, service_account_keys
from tests.real_cluster.child import Child
from tests.real_cluster.ports import free_port as free_port
from tests.real_cluster.programs import Programs

READY_SECONDS = 120  # five on a quiet machine
# What a client notices: deletion, owners, and roles made of other roles.
CONTROLLERS = ("namespace", "garbagecollector", "cronjob", "job", "clusterrole-aggregation")
USERS: dict[str, tuple[str, ...]] = {"admin": ("system:masters",), "alice": ("devs",), "bob": ()}


@dataclass(frozen=True)
class Setup:
    """How a cluster is started."""

    port: int = 0
    """The API's port; 0 takes a free one."""
    controllers: tuple[str, ...] = ()
    """Names for the controller manager, e.g. CONTROLLERS; none, and it is not started."""
    flags: tuple[str, ...] = ()
    """More flags for kube-apiserver."""
    durable: bool = False
    """Let etcd wait for the disk; tests throw the data away and need not."""


@dataclass(frozen=True)
class RealCluster:
    """A running cluster. `tokens` has one bearer token for each of USERS."""

    url: str
    folder: Path
    ca: Path
    tokens: dict[str, str]
    client: Pair
    children: dict[str, Child] = field(default_factory=dict)
    ready_seconds: float = 0.0
    """From the start of etcd until /readyz said ok."""

    @property
    def kubeconfig(self) -> Path:
        """Give the file with a context per user, and `admin-certificate`; admin is current."""
        return self.folder / "kubeconfig"

    @property
    def tls(self) -> ssl.SSLContext:
        """Make a context that trusts the cluster."""
        return ssl.create_default_context(cafile=str(self.ca))

    def get(self, path: str, user: str = "admin") -> bytes:
        """Ask for a path in a user's name; raises urllib's HTTPError."""
        headers = {"Authorization": f"Bearer {self.tokens[user]}"}
        request = urllib.request.Request(self.url + path, headers=headers)
        with urllib.request.urlopen(request, context=self.tls, timeout=10) as answer:
            body: bytes = answer.read()
            return body

    def is_ready(self) -> bool:
        """Say if the API is ready, its own objects included."""
        try:
            return self.get("/readyz") == b"ok"
        except (OSError, urllib.error.URLError):
            return False


@contextlib.contextmanager
def running(programs: Programs, folder: Path, setup: Setup | None = None) -> Iterator[RealCluster]:
    """Run a cluster in an empty folder; raises child.Died if a program does not start."""
    setup = setup or Setup()
    folder.mkdir(parents=True, exist_ok=True)
    authority = Authority(folder)
    cluster = RealCluster(
        url=f"https://127.0.0.1:{setup.port or free_port()}",
        folder=folder,
        ca=authority.file,
        tokens={user: secrets.token_hex(16) for user in USERS},
        client=authority.client("admin", USERS["admin"]),
    )
    write_kubeconfig(cluster)
    with ExitStack() as stack:

        def start(program: Path, *flags: str) -> Child:
            child = Child([str(program), *flags], folder / f"{program.name}.log")
            stack.callback(child.kill)
            cluster.children[program.name] = child
            return child

        etcd_url = f"http://127.0.0.1:{free_port()}"
        flags = apiserver_flags(cluster, authority.server(), etcd_url)
        begin = perf_counter()
        start(programs.etcd, *etcd_flags(folder, etcd_url, setup))
        apiserver = start(programs.apiserver, *flags, *setup.flags)
        apiserver.wait_until(cluster.is_ready, READY_SECONDS)
        ready_seconds = perf_counter() - begin
        if setup.controllers and programs.controller_manager is not None:
            start(programs.controller_manager, *manager_flags(cluster, setup))
        yield replace(cluster, ready_seconds=ready_seconds)


def etcd_flags(folder: Path, url: str, setup: Setup) -> list[str]:
    """Give the flags of an etcd of one member."""
    peer = f"http://127.0.0.1:{free_port()}"
    flags = [
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={url}",
        f"--advertise-client-urls={url}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--log-level=warn",
    ]
    return flags if setup.durable else [*flags, "--unsafe-no-fsync"]


def apiserver_flags(cluster: RealCluster, server: Pair, etcd_url: str) -> list[str]:
    """Give the flags of kube-apiserver; it also writes its file of tokens."""
    tokens = cluster.folder / "tokens.csv"
    tokens.touch(mode=0o600)
    tokens.write_text(
        "".join(
            f'{token},{user},uid-{user},"{",".join(USERS[user])}"\n'
            for user, token in cluster.tokens.items()
        )
    )
    signing = service_account_keys(cluster.folder)
    return [
        f"--etcd-servers={etcd_url}",
        "--bind-address=127.0.0.1",
        f"--secure-port={cluster.url.rpartition(':')[2]}",
        f"--tls-cert-file={server.certificate}",
        f"--tls-private-key-file={server.key}",
        f"--cert-dir={cluster.folder}",
        f"--client-ca-file={cluster.ca}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={signing.certificate}",
        f"--service-account-signing-key-file={signing.key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--disable-admission-plugins=ServiceAccount",
    ]


def manager_flags(cluster: RealCluster, setup: Setup) -> list[str]:
    """Give the flags of kube-controller-manager."""
    return [
        f"--kubeconfig={cluster.kubeconfig}",
        f"--controllers={','.join(setup.controllers)}",
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        f"--secure-port={free_port()}",
        f"--cert-dir={cluster.folder}",
    ]


def write_kubeconfig(cluster: RealCluster) -> None:
    """Write a context for every way to log in. JSON is YAML."""
    certificate = {
        "client-certificate": str(cluster.client.certificate),
        "client-key": str(cluster.client.key),
    }
    users: dict[str, dict[str, str]] = {u: {"token": t} for u, t in cluster.tokens.items()}
    users["admin-certificate"] = certificate
    server = {"server": cluster.url, "certificate-authority": str(cluster.ca)}
    cluster.kubeconfig.touch(mode=0o600)
    cluster.kubeconfig.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "real", "cluster": server}],
                "users": [{"name": u, "user": how} for u, how in users.items()],
                "contexts": [{"name": u, "context": {"cluster": "real", "user": u}} for u in users],
                "current-context": "admin",
            },
            indent=1,
        )
    )
