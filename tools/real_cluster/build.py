"""Build a real Kubernetes API server, its controllers, kubectl and etcd from Go modules.

Beside them a stand-in for a kubelet, which runs commands and reads logs for the API server.

Usage: build.py [--kubectl 1.31.14]...

The programs go to the user's cache folder, kedge/real-cluster/VERSION/, and what is there with
the right version is left as it is. A first build takes about ten minutes on two cores, most of
it for kube-apiserver; go.mod and go.sum pin every module. An older kubectl asked for with
--kubectl goes to the folder of its own version; its modules are not pinned.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent
KUBERNETES = "1.34.4"
KUBELET = "kubelet-stub"
ETCD = "3.6.5"  # what Kubernetes 1.34 is released with
# A program learns its release from these variables; client-go's is what kubectl tells servers.
VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


@dataclass(frozen=True)
class Program:
    """One program: what to compile, and how it tells its version."""

    name: str
    module: Path
    package: str
    version: str
    ask: tuple[str, ...] = ("--version",)

    def ldflags(self) -> str:
        """Give the linker's flags: no debug tables, and the release for Kubernetes' programs."""
        flags = ["-s", "-w"]
        if self.package.startswith("k8s.io/"):
            major, minor, _ = self.version.split(".")
            known = {"gitVersion": f"v{self.version}", "gitMajor": major, "gitMinor": minor}
            known["gitTreeState"] = "clean"
            flags += [f"-X {p}.{k}={v}" for p in VERSION_PACKAGES for k, v in known.items()]
        elif self.package.startswith("./"):
            flags.append(f"-X main.version={self.version}")
        return " ".join(flags)

    def is_built(self, folder: Path) -> bool:
        """Say if the folder has this program in this version."""
        path = folder / self.name
        if not os.access(path, os.X_OK):
            return False
        told = subprocess.run([path, *self.ask], capture_output=True, text=True, check=False)
        return re.search(rf"\bv?{re.escape(self.version)}\b", told.stdout) is not None


def kubernetes_program(name: str, module: Path, version: str) -> Program:
    """Name one of Kubernetes' own programs."""
    ask = ("version", "--client") if name == "kubectl" else ("--version",)
    return Program(name, module, f"k8s.io/kubernetes/cmd/{name}", version, ask)


def programs() -> list[Program]:
    """List what a cluster for the tests is made of, the quickest to build first."""
    names = ("kubectl", "kube-apiserver", "kube-controller-manager")
    module = SOURCES / "kubernetes"
    theirs = [kubernetes_program(name, module, KUBERNETES) for name in names]
    # Last, as it is made of what the others are made of.
    stub = Program(KUBELET, module, "./kubelet", kubelet_version(module / "kubelet"))
    return [Program("etcd", SOURCES / "etcd", ".", ETCD), *theirs, stub]


def kubelet_version(folder: Path) -> str:
    """Name what the stand-in for a kubelet is built from, so that a change is built anew."""
    sources = b"".join(path.read_bytes() for path in sorted(folder.glob("*.go")))
    return f"{KUBERNETES}-{hashlib.sha256(sources).hexdigest()[:12]}"


def cache_folder(version: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Give the folder that holds the programs of one Kubernetes release."""
    base = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "kedge" / "real-cluster" / version


def build(program: Program, folder: Path) -> None:
    """Compile one program into the folder, unless it is there already."""
    if program.is_built(folder):
        say(f"{program.name} {program.version} is built already")
        return
    say(f"building {program.name} {program.version}")
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{program.name}.part"  # a half-written program must not look like one
    flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", program.ldflags()]
    go("build", *flags, "-o", str(part), program.package, cwd=program.module)
    part.replace(folder / program.name)


def build_other_kubectl(version: str) -> None:
    """Compile kubectl of another release, from a module made for it on the spot."""
    if not re.fullmatch(r"1\.\d+\.\d+", version):
        raise SystemExit(f"error: --kubectl {version}: expected a release such as 1.31.14")
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder)
        kubectl = kubernetes_program("kubectl", module, version)
        if not kubectl.is_built(cache_folder(version)):
            write_module(module, version)
        build(kubectl, cache_folder(version))


def write_module(module: Path, version: str) -> None:
    """Write a module that requires the release and, beside it, its staging modules."""
    told = go("mod", "download", "-json", f"k8s.io/kubernetes@v{version}", cwd=module)
    theirs = Path(json.loads(told)["GoMod"]).read_text()
    staging = re.findall(r"^\s+(k8s\.io/[a-z-]+) v0\.0\.0(?!-)", theirs, re.MULTILINE)
    language = re.findall(r"^(?:go|godebug) .*$", theirs, re.MULTILINE)
    lines = ["module kedge.local/realcluster/kubectl", *language]
    lines.append(f"require k8s.io/kubernetes v{version}")
    lines += [f"replace {s} => {s} v0.{version.partition('.')[2]}" for s in staging]
    (module / "go.mod").write_text("\n".join(lines) + "\n")
    (module / "programs.go").write_text(
        '//go:build programs\n\npackage programs\n\nimport _ "k8s.io/kubernetes/cmd/kubectl"\n'
    )
    go("mod", "tidy", cwd=module)


def go(*args: str, cwd: Path) -> str:
    """Run the go command; its own words tell what went wrong."""
    environ = {**os.environ, "CGO_ENABLED": "0"}
    done = subprocess.run(
        ["go", *args], cwd=cwd, env=environ, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"error: go {args[0]} failed, see above")
    return done.stdout


def say(text: str) -> None:
    """Tell the user."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Build what is missing."""
    parser = argparse.ArgumentParser(description="Build a real cluster for the tests.")
    parser.add_argument(
        "--kubectl", metavar="VERSION", action="append", default=[], help="an older kubectl as well"
    )
    asked = parser.parse_args()
    folder = cache_folder(KUBERNETES)
    missing = [p for p in programs() if not p.is_built(folder)]
    if (missing or asked.kubectl) and shutil.which("go") is None:
        names = ", ".join(p.name for p in missing) or "kubectl"
        raise SystemExit(f"error: {names} must be built: install Go 1.24 or newer (https://go.dev)")
    for program in programs():
        build(program, folder)
    for version in asked.kubectl:
        build_other_kubectl(version)
    say(f"real cluster in {folder}")


if __name__ == "__main__":
    main()
