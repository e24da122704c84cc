"""Run the tests again that have just failed, if they are few; many are no accident."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CACHE = Path(".pytest_cache/v")
FAILED = CACHE / "cache/lastfailed"
END = CACHE / "kedge/end"
TESTS_FAILED = 1
"""How pytest ends if it ran all tests and some failed; otherwise some may never have run."""
MOST = 5


def main() -> int:
    """Give the exit code: 0 only if each of them passes now."""
    end, failed = _read(END), sorted(_read(FAILED) or ())
    if end != TESTS_FAILED:
        sys.stdout.write(f"the run did not come to its end ({end}); nothing is run again\n")
        return 1
    if not 0 < len(failed) <= MOST:
        sys.stdout.write(f"{len(failed)} tests failed; only 1 to {MOST} would be run again\n")
        return 1
    head = "these failed in the whole run, and are run again alone:"
    sys.stdout.write("\n  ".join([head, *failed]) + "\n")
    sys.stdout.flush()
    # With pytest's cache: what passes now is no longer among the failed ones of a later run.
    command = [sys.executable, "-m", "pytest", *failed]
    return subprocess.run(command, check=False).returncode


def _read(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
