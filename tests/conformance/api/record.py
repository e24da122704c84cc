"""Ask a real server, write down its answers: `python -m tests.conformance.api.record [FILE...]`."""

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.conformance.api.model import Conversation, load
from tests.conformance.api.run import Answer, Target, hold
from tests.real_cluster import RealCluster, Setup, find, running
from tests.real_cluster.cluster import CONTROLLERS

RECORDED = Path(__file__).with_name("recorded")


def target_of(cluster: RealCluster) -> Target:
    """Make a target of a real cluster."""
    return Target(cluster.url, cluster.tls, dict(cluster.tokens))


def recorded(file: str) -> dict[str, list[Answer | None]]:
    """Read the recorded answers to the conversations of one file, by their id."""
    path = RECORDED / f"{file}.json"
    answers: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return answers


def write(conversations: list[Conversation], answers: dict[str, list[Answer | None]]) -> None:
    """Write the answers, a file for each file of cases."""
    RECORDED.mkdir(exist_ok=True)
    for file in sorted({one.file for one in conversations}):
        ids = [one.id for one in conversations if one.file == file]
        text = json.dumps({key: answers[key] for key in ids}, indent=1, ensure_ascii=False)
        (RECORDED / f"{file}.json").write_text(text + "\n")


def main() -> None:
    """Record all conversations, or those of the files that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="names of case files, without .yaml")
    files = parser.parse_args().files
    conversations = [one for one in load() if not files or one.file in files]
    setup = Setup(controllers=CONTROLLERS)
    with (
        tempfile.TemporaryDirectory() as folder,
        running(find(), Path(folder), setup) as cluster,
    ):
        answers = asyncio.run(hold(target_of(cluster), conversations))
    write(conversations, answers)


if __name__ == "__main__":
    main()
