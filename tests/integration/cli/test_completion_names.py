"""TAB offers names from the server: in-process, in a real bash, and behind a real kubectl."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from tests.integration.cli.session import Session, session
from tests.integration.clients.kubectls import found

KUBECTLS = list(found().values())
BUCKET = {"spec": {"provider": "aws", "objectStorage": {"bucket": "b"}}}


@pytest.fixture(scope="module")
def place() -> Iterator[Session]:
    """Give a cluster with something in it."""
    with session() as running:
        running.namespace("shop")
        running.create("nightly")
        running.create("nightly-shop")
        running.create("weekly")
        running.put(BACKUP, "first")
        running.put(BACKUP_STORAGE_LOCATION, "default", **BUCKET)
        running.create("elsewhere", "shop")
        yield running


def offered(place: Session, line: str, **env: str) -> list[str]:
    """Return what bash would be offered for the last word of a line."""
    words = line.split(" ")
    env |= {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    result = place.kedge(_KEDGE_COMPLETE="bash_complete", **env)
    assert (result.exit_code, result.stderr) == (0, "")
    return [item.removeprefix("plain,") for item in result.stdout.split()]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("kedge schedule describe ", ["nightly", "nightly-shop", "weekly"]),
        ("kedge schedule describe nightly-", ["nightly-shop"]),
        ("kedge schedules pause nightly ", ["nightly-shop", "weekly"]),
        ("kedge get schedules w", ["weekly"]),
        ("kedge schedule describe -n shop ", ["elsewhere"]),
        ("kedge -n shop schedule describe ", ["elsewhere"]),
        ("kedge backup logs ", ["first"]),
        ("kedge describe backups f", ["first"]),
        ("kedge restore create --from-backup ", ["first"]),
        ("kedge restore create back --from-schedule w", ["weekly"]),
        ("kedge backup create --storage-location d", ["default"]),
        ("kedge backup-location set ", ["default"]),
        ("kedge backup get -n s", ["shop"]),
        ("kedge backup create --include-namespaces velero,s", ["velero,shop"]),
        ("kedge backup get --kubecontext ", ["kedge"]),
        ("kedge restore describe ", []),
        ("kedge schedule create n", []),
        ("kedge nab get ", []),
        ("kedge pscj describe ", []),
        ("kedge schedule get -o j", ["json"]),
    ],
)
def test_names_are_offered(place: Session, line: str, names: list[str]) -> None:
    assert offered(place, line) == names


def test_without_a_cluster_nothing_is_offered_and_nothing_said(
    place: Session, tmp_path: Path
) -> None:
    absent = str(tmp_path / "absent")
    for line in ("kedge backup logs ", "kedge backup get -n ", "kedge backup get --kubecontext "):
        assert offered(place, line, KUBECONFIG=absent, HOME=str(tmp_path)) == []


def test_loading_the_http_library_is_left_out(place: Session) -> None:
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: sys.stderr.write(str('aiohttp' in sys.modules)))\n"
        "from kedge.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "KUBECONFIG": str(place.kube.kubeconfig),
            "_KEDGE_COMPLETE": "bash_complete",
            "COMP_WORDS": "kedge backup logs ",
            "COMP_CWORD": "3",
        },
    )
    assert (done.stdout, done.stderr) == ("plain,first\n", "False")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Give a folder with the programs that the package installs."""
    for name, where in (
        ("kedge", "main:main"),
        ("kubectl-kedge", "plugin:main"),
        ("kubectl_complete-kedge", "plugin:complete"),
    ):
        module, function = where.split(":")
        script = tmp_path / name
        script.write_text(
            f"#!{sys.executable}\nfrom kedge.cli.{module} import {function}\n{function}()\n"
        )
        script.chmod(0o755)
    return tmp_path


def run(place: Session, programs: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program beside those."""
    env = {
        **os.environ,
        "KUBECONFIG": str(place.kube.kubeconfig),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes(place: Session, programs: Path) -> None:
    script = """
eval "$(kedge completion bash)"
COMP_WORDS=(kedge schedule describe night); COMP_CWORD=3
_kedge_completion kedge
printf '%s\\n' "${COMPREPLY[@]}"
"""
    done = run(place, programs, "bash", "-c", script)
    assert (done.stdout, done.stderr) == ("nightly\nnightly-shop\n", "")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_the_script_is_one_that_zsh_reads(place: Session, programs: Path) -> None:
    done = run(place, programs, "zsh", "-c", "kedge completion zsh | zsh -n")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
def test_a_real_fish_completes(place: Session, programs: Path) -> None:
    script = "kedge completion fish | source; complete -C 'kedge schedule describe week'"
    done = run(place, programs, "fish", "-c", script)
    assert done.stdout.split() == ["weekly"]


@pytest.mark.parametrize(
    ("shell", "line"), [("zsh", "plain\nweekly\n_\n"), ("fish", "plain,weekly\n")]
)
def test_other_shells_are_answered_as_they_ask(place: Session, shell: str, line: str) -> None:
    words = "kedge schedule describe week" if shell == "zsh" else "kedge schedule describe "
    env = {"COMP_WORDS": words, "COMP_CWORD": "3" if shell == "zsh" else "week"}
    result = place.kedge(_KEDGE_COMPLETE=f"{shell}_complete", **env)
    assert (result.exit_code, result.stdout) == (0, line)


needs_kubectl = pytest.mark.skipif(not KUBECTLS, reason="no kubectl is installed")


@needs_kubectl
def test_kubectl_runs_the_plugin_and_names_it(place: Session, programs: Path) -> None:
    kubectl = str(KUBECTLS[-1])
    listed = run(place, programs, kubectl, "kedge", "schedule", "get", "-o", "name")
    assert listed.stdout.split()[-1] == "schedule.velero.io/weekly"
    there = run(
        place, programs, kubectl, "kedge", "schedule", "get", "--context", "kedge", "-n", "shop"
    )
    assert "elsewhere" in there.stdout
    lost = run(place, programs, kubectl, "kedge", "backup", "get", "--context=nope")
    assert lost.returncode == 1
    assert "context 'nope' does not exist; there are: kedge" in lost.stderr
    wrong = run(place, programs, kubectl, "kedge", "nope")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "kedge: no such command 'nope' (see 'kubectl kedge --help')\n"
    usage = run(place, programs, kubectl, "kedge", "backup", "logs", "--help").stdout
    assert usage.startswith("Usage: kubectl kedge backup logs ")
    status = run(place, programs, kubectl, "kedge", "status", "-n", "shop")
    assert "do: kubectl kedge " in status.stdout


@needs_kubectl
def test_kubectl_completes_behind_the_plugin(place: Session, programs: Path) -> None:
    kubectl = str(KUBECTLS[-1])
    done = run(place, programs, kubectl, "__complete", "kedge", "schedule", "describe", "night")
    assert done.stdout == "nightly\nnightly-shop\n:4\n"
    words = run(place, programs, kubectl, "__complete", "kedge", "backup", "lo")
    assert words.stdout == "logs\tPrint the log of a backup.\n:4\n"
