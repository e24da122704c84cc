"""An async client for any Kubernetes API: where it is, the verbs, and what goes wrong.

A name is imported when it is first used: who only asks where the cluster is needs no HTTP library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kedge.client.client import Client
    from kedge.client.errors import (
        BadAnswer,
        ClientError,
        DeadlineExceeded,
        Disconnected,
        Unreachable,
    )
    from kedge.client.exec import Command, Result, Session
    from kedge.client.requests import Deletion, Following, Request, Selection, Writing
    from kedge.client.responses import Page, Response
    from kedge.client.reviews import Decision, Question, User
    from kedge.client.settings import ClientSettings
    from kedge.client.status import StatusChange, StatusOf
    from kedge.client.watch import Watch

__all__ = [
    "BadAnswer",
    "Client",
    "ClientError",
    "ClientSettings",
    "Command",
    "DeadlineExceeded",
    "Decision",
    "Deletion",
    "Disconnected",
    "Following",
    "Page",
    "Question",
    "Request",
    "Response",
    "Result",
    "Selection",
    "Session",
    "StatusChange",
    "StatusOf",
    "Unreachable",
    "User",
    "Watch",
    "Writing",
]

_HOMES: Final = {
    "BadAnswer": "errors",
    "Client": "client",
    "ClientError": "errors",
    "ClientSettings": "settings",
    "Command": "exec",
    "DeadlineExceeded": "errors",
    "Decision": "reviews",
    "Deletion": "requests",
    "Disconnected": "errors",
    "Following": "requests",
    "Page": "responses",
    "Question": "reviews",
    "Request": "requests",
    "Response": "responses",
    "Result": "exec",
    "Selection": "requests",
    "Session": "exec",
    "StatusChange": "status",
    "StatusOf": "status",
    "Unreachable": "errors",
    "User": "reviews",
    "Watch": "watch",
    "Writing": "requests",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
