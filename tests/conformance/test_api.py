"""Our answers beside those of a real kube-apiserver 1.34, recorded, and live where one is."""

import asyncio
import ssl
from pathlib import Path

import pytest

from kedge.testing import cluster
from tests.conformance.api.compare import differences
from tests.conformance.api.known import known
from tests.conformance.api.model import Conversation, load
from tests.conformance.api.record import recorded, target_of
from tests.conformance.api.run import Answer, Target, hold
from tests.real_cluster import RealCluster

CONVERSATIONS = load()
LEAST, MOST_KNOWN, TRIES = 200, 20, 3
TOKENS = {"alice": "alice-token", "bob": "bob-token"}
USERS = 'alice-token,alice,uid-alice,"devs"\nbob-token,bob,uid-bob,""\n'

Answers = dict[str, list[Answer | None]]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What the embedded server says."""
    tokens = tmp_path_factory.mktemp("users") / "tokens.csv"
    tokens.write_text(USERS)
    return asyncio.run(_ask_ours(tokens))


async def _ask_ours(tokens: Path) -> Answers:
    async with cluster(token_file=tokens) as kube:
        tls = ssl.create_default_context(cafile=str(kube.ca))
        return await hold(Target(kube.url, tls, {"admin": kube.token, **TOKENS}), CONVERSATIONS)


def test_there_are_enough_requests() -> None:
    assert sum(len(one.steps) for one in CONVERSATIONS) >= LEAST


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda one: one.id)
def test_our_answers_are_those_of_a_real_server(conversation: Conversation, ours: Answers) -> None:
    expected = recorded(conversation.file)[conversation.id]
    found = differences(conversation, expected, ours[conversation.id])
    allowed = {step for (name, step) in known() if name == conversation.id}
    surprising = {
        step: lines for step, lines in found.items() if int(step.partition(" ")[0]) not in allowed
    }
    assert not surprising, "\n".join(
        f"{step}\n  " + "\n  ".join(lines) for step, lines in surprising.items()
    )


def test_the_list_of_differences_is_true_and_short(ours: Answers) -> None:
    still = set()
    for one in CONVERSATIONS:
        found = differences(one, recorded(one.file)[one.id], ours[one.id])
        still |= {(one.id, int(step.partition(" ")[0])) for step in found}
    assert set(known()) == still
    assert len(still) <= MOST_KNOWN


@pytest.mark.slow
def test_the_recording_is_what_a_real_server_says(real_cluster: RealCluster) -> None:
    # A real server's caches lag behind its writes: what differs is asked again before it counts.
    left = CONVERSATIONS
    for again in range(TRIES):
        live = asyncio.run(hold(target_of(real_cluster), left, again))
        wrong = {one.id: differences(one, recorded(one.file)[one.id], live[one.id]) for one in left}
        left = [one for one in left if wrong[one.id]]
        if not left:
            return
    assert not left, {one.id: wrong[one.id] for one in left}
