"""Run the tests again that have just failed, if they are few; many are no accident."""

import json
import subprocess
import sys
from pathlib import Path

FAILED = Path(".pytest_cache/v/cache/lastfailed")
MOST = 5


def main() -> int:
    """Give the exit code: 0 only if each of them passes now."""
    failed = sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []
    if not 0 < len(failed) <= MOST:
        sys.stdout.write(f"{len(failed)} tests failed; only 1 to {MOST} would be run again\n")
        return 1
    head = "these failed in the whole run, and are run again alone:"
    sys.stdout.write("\n  ".join([head, *failed]) + "\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *failed]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
