"""A proxy that makes faults on purpose, between any Kubernetes client and any API server.

>>> import asyncio
>>> from kedge.kube.errors import Conflict
>>> from kedge.testing import cluster, faults
>>> CONFIGS = "/api/v1/namespaces/default/configmaps"
>>> async def names() -> list[str]:
...     async with cluster() as kube, faults.proxy(kube) as proxy, proxy.client() as client:
...         proxy.inject(faults.DoneBut(faults.conflict()), faults.matches(write=True), times=1)
...         try:
...             await client.create(CONFIGS, {"metadata": {"name": "done-all-the-same"}})
...         except Conflict:
...             found = await client.get(CONFIGS)
...         return [one["metadata"]["name"] for one in found["items"]]
>>> asyncio.run(names())
['done-all-the-same']

A fault meets requests by what they are and by count, never by time or chance. Each is an async
callable of a Call and of a function that forwards it, so that a test can bring its own. The proxy
runs in the event loop of the test; it passes all verbs and streams watches, and takes no upgrades
(exec, attach, port-forward). Answers come uncompressed.
"""

from kedge.testing.faults.answer import Answer, Cut, Forward, answer_status, answer_with
from kedge.testing.faults.bodies import GarbageAnswer, GarbageBody, TruncateBody, WrongLength
from kedge.testing.faults.call import Call
from kedge.testing.faults.cuts import (
    CutBody,
    DoneBut,
    LoseAnswer,
    LoseRequest,
    Refuse,
    SendTwice,
)
from kedge.testing.faults.events import (
    CutEvent,
    DuplicateEvent,
    EndWatch,
    ErrorEvent,
    InsertLine,
)
from kedge.testing.faults.hold import Hold
from kedge.testing.faults.past import Past
from kedge.testing.faults.relay import Proxy, proxy
from kedge.testing.faults.replies import (
    Reply,
    already_exists,
    bare,
    conflict,
    expired,
    failure,
    not_found,
    too_many_requests,
)
from kedge.testing.faults.request import Matcher, Request
from kedge.testing.faults.restart import Restartable, restartable
from kedge.testing.faults.rules import Fault, Injection, every, matches
from kedge.testing.faults.stalls import (
    AnswerFirst,
    EventFirst,
    Slow,
    Split,
    StallAnswer,
    StallRequest,
)
from kedge.testing.faults.stops import Gate, Side, Stop

__all__ = [
    "Answer",
    "AnswerFirst",
    "Call",
    "Cut",
    "CutBody",
    "CutEvent",
    "DoneBut",
    "DuplicateEvent",
    "EndWatch",
    "ErrorEvent",
    "EventFirst",
    "Fault",
    "Forward",
    "GarbageAnswer",
    "GarbageBody",
    "Gate",
    "Hold",
    "Injection",
    "InsertLine",
    "LoseAnswer",
    "LoseRequest",
    "Matcher",
    "Past",
    "Proxy",
    "Refuse",
    "Reply",
    "Request",
    "Restartable",
    "SendTwice",
    "Side",
    "Slow",
    "Split",
    "StallAnswer",
    "StallRequest",
    "Stop",
    "TruncateBody",
    "WrongLength",
    "already_exists",
    "answer_status",
    "answer_with",
    "bare",
    "conflict",
    "every",
    "expired",
    "failure",
    "matches",
    "not_found",
    "proxy",
    "restartable",
    "too_many_requests",
]
