"""Run a real cluster in the foreground and say how to reach it, until it is interrupted."""

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.real_cluster.cluster import CONTROLLERS, RealCluster, Setup, running
from tests.real_cluster.programs import Missing, find


def main() -> int:
    """Start it, tell, wait for SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m tests.real_cluster", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--kubeconfig", type=Path, help="where to write a kubeconfig as well")
    parser.add_argument("--env", type=Path, help="where to write the url and the tokens as well")
    parser.add_argument(
        "--controllers", default=",".join(CONTROLLERS), help="of the controller manager, or ''"
    )
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    controllers = tuple(filter(None, asked.controllers.split(",")))
    try:
        with (
            tempfile.TemporaryDirectory(prefix="real-cluster-") as folder,
            running(find(), Path(folder), Setup(asked.port, controllers)) as cluster,
        ):
            tell(cluster, asked.kubeconfig, asked.env)
            signal.pause()
    except Missing as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def tell(cluster: RealCluster, kubeconfig: Path | None, env: Path | None) -> None:
    """Print where the cluster is and how to log in; write the files that were asked for."""
    lines = [f"URL={cluster.url}", f"CA={cluster.ca}", f"FOLDER={cluster.folder}"]
    lines += [f"{user.upper()}_TOKEN={token}" for user, token in cluster.tokens.items()]
    text = "\n".join(lines) + "\n"
    if kubeconfig:
        shutil.copyfile(cluster.kubeconfig, kubeconfig)
    if env:
        env.write_text(text)
    sys.stdout.write(f"{text}KUBECONFIG={kubeconfig or cluster.kubeconfig}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
