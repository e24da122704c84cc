"""`kedge warmup` as the process that a pod waits for: what it imports, how it ends."""

import os
import signal
import subprocess
import sys
import sysconfig
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

KEDGE = str(Path(sysconfig.get_path("scripts")) / "kedge")
MEGABYTES = 25
HEAVY = {"click", "asyncio", "msgspec", "aiohttp", "yaml", "dataclasses", "logging"}
"""What other commands import, and a pod has no time and no memory for."""
LISTED = """
import sys
from kedge.cli.main import main
try:
    main()
finally:
    print(*sys.modules)
"""


def job(minutes_ago: int) -> str:
    """Name a Job as a CronJob does that started it so long ago."""
    minute = int(time.clock_gettime(time.CLOCK_REALTIME)) // 60
    return f"autogen-report-{minute - minutes_ago}"


def environment(name: str = "") -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "KEDGE_JOB_NAME"}
    return kept | ({"KEDGE_JOB_NAME": name} if name else {})


def run(*args: str, name: str = "") -> subprocess.CompletedProcess[str]:
    command = [KEDGE, "warmup", *args]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment(name), timeout=120, check=False
    )


def test_a_run_that_is_past_is_told_and_the_pod_goes_on() -> None:
    done = run("--lead", "10m", name="autogen-report-29000000")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("late by ")
    assert done.stdout.endswith(
        " for the run at 2025-02-19T21:30:00Z (job autogen-report-29000000)\n"
    )


def test_it_ends_at_the_run_and_not_before() -> None:
    """The run is at the next full second, which no CronJob could ask for."""
    done = run("--schedule", "@every 1s", name="by-hand")
    ended = datetime.fromtimestamp(time.clock_gettime(time.CLOCK_REALTIME), UTC)
    first, last = done.stdout.splitlines()
    assert first.startswith("warming up for the run at ")
    stamp = last.removeprefix("the run at ").removesuffix(" starts")
    assert ended >= datetime.fromisoformat(stamp)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "args",
    [("--lead", "2h"), ("--schedule", "0 0 1 1 *", "--lead", "2h", "--job-name", "by-hand")],
)
def test_sigterm_ends_it_cleanly_and_is_no_success(args: tuple[str, ...]) -> None:
    command = [KEDGE, "warmup", *args]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(job(0))
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("warming up for the run at ")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 143
        assert process.stdout.read() == "stopped by SIGTERM before the run\n"
        assert process.stderr.read() == ""


def test_ctrl_c_ends_it_quietly() -> None:
    command = [KEDGE, "warmup", "--lead", "2h"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(job(0))
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert (process.stdout.read(), process.stderr.read()) == ("", "")


def test_a_closed_output_does_not_fail_the_pod() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [KEDGE, "warmup", "--lead", "1m", "--job-name", "a-29000000"],
        stdout=theirs,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("args", [("--lead", "1m"), ("--lead", "1m", "--schedule", "nonsense")])
def test_what_can_not_be_is_a_line_that_names_it(args: tuple[str, ...]) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(("kedge: invalid KEDGE_JOB_NAME: ", "kedge: invalid --schedule"))


def test_help_is_that_of_all_commands() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: kedge warmup [OPTIONS]\n")


@pytest.mark.parametrize(
    "args",
    [
        ("--lead", "1m", "--job-name", "a-29000000"),
        ("--lead", "0", "--schedule", "* * * * *", "--job-name", "by-hand"),
        ("--schedule", "0 8 * * 1-5", "--zone", "Europe/Amsterdam", "--job-name", "a-29000000"),
    ],
)
def test_it_imports_nothing_that_it_does_not_need(args: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", LISTED, "warmup", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    modules = set(done.stdout.splitlines()[-1].split())
    assert "kedge.cli.warmup.run" in modules
    assert not modules & HEAVY


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells what is used")
@pytest.mark.parametrize(
    "args",
    [
        ("--lead", "2h"),
        ("--lead", "2h", "--schedule", "0 0 1 1 *", "--zone", "Asia/Tokyo", "--job-name", "x"),
    ],
)
def test_it_takes_little_memory(args: tuple[str, ...]) -> None:
    command = [KEDGE, "warmup", *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(job(0))) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"warming up")
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.terminate()
    facts = dict(line.split(":", 1) for line in status.splitlines())
    assert int(facts["VmHWM"].split()[0]) < MEGABYTES * 1024
