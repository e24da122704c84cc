"""Measure backups and restores of `kedge server`, and of Velero beside it.

On a real kube-apiserver and on the embedded API, with files in S3 and in a folder. See
docs/benchmarks-engine.md.
"""

import argparse
import asyncio
import gc
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parts import machine
from parts.api.client import Refused
from parts.api.servers import Died, Missing, ours, real
from parts.engine.load import BUCKET
from parts.engine.phases import Failed
from parts.engine.plan import EMBEDDED, FULL, MANY, QUICK, REAL, VELERO
from parts.engine.report import render
from parts.engine.result import Result, as_json
from parts.engine.run import Run
from parts.keeping import keep

from tests.velero.programs import VeleroPrograms, find_velero
from tests.velero.s3 import s3_server
from tools.velero.build import VELERO as VELERO_RELEASE

FIRST_WRITES = 8
SERVERS = {REAL: real, EMBEDDED: ours}


def main() -> int:
    """Run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of a few minutes")
    parser.add_argument("--many", action="store_true", help="100,000 objects as well")
    parser.add_argument("--only", choices=[*SERVERS, VELERO], help="on one server, or Velero alone")
    asked = parser.parse_args()
    effort = QUICK if asked.quick else MANY if asked.many else FULL
    gc.set_threshold(50_000, 20, 100)  # what looks on must not be what is measured
    result = Result(facts(), effort)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        measure(result, [asked.only] if asked.only else [REAL, VELERO, EMBEDDED])
    except* KeyboardInterrupt:
        sys.stderr.write("interrupted: what was measured until then\n")
    except* (Died, Missing, Failed, Refused) as group:
        for exc in told(group):
            sys.stderr.write(f"error: {exc}\n")
        sys.exit(1)
    sys.stdout.write(render(result))
    sys.stdout.write("\n" + keep("engine", as_json(result)))
    return 0


def facts() -> dict[str, str | int]:
    """Tell what is measured on."""
    return machine.brief()


def measure(result: Result, names: list[str]) -> None:
    """Do all cases for each that takes part."""
    with tempfile.TemporaryDirectory(prefix="bench-s3-") as folder:
        for name in names:
            measure_one(result, name, Path(folder) / name)


def measure_one(result: Result, name: str, folder: Path) -> None:
    """Measure ours on one API server, or Velero on a real one, each with a fresh S3 server."""
    programs = velero_programs() if name == VELERO else None
    if name == VELERO and programs is None:
        return
    with SERVERS.get(name, real)() as target, s3_server(folder / "s3") as s3:
        s3.make_bucket(BUCKET)
        # The first write to a bucket makes the server lay out its files, which takes it a second.
        for number in range(FIRST_WRITES):
            s3.put(BUCKET, f"first/{number}", bytes(2**20))
        result.releases[name] = target.release
        run = Run(result, target, s3)
        if programs is None:
            asyncio.run(run.kedge())
        else:
            result.releases[name] = f"velero {VELERO_RELEASE} on {target.release}"
            asyncio.run(run.velero(programs, folder))


def told(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    """Go through the exceptions of a group, and of those in it."""
    for exc in group.exceptions:
        if isinstance(exc, BaseExceptionGroup):
            yield from told(exc)
        else:
            yield exc


def velero_programs() -> VeleroPrograms | None:
    """Find Velero; without it, the run goes on and says so."""
    try:
        return find_velero()
    except Missing as exc:
        sys.stderr.write(f"left out: {exc}\n")
        return None


if __name__ == "__main__":
    sys.exit(main())
