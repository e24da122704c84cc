"""An async client for any Kubernetes API: where it is, the verbs, and what goes wrong."""

from kedge.client.client import Client
from kedge.client.errors import BadAnswer, ClientError, DeadlineExceeded, Disconnected, Unreachable
from kedge.client.exec import Command, Result, Session
from kedge.client.requests import Deletion, Following, Request, Selection, Writing
from kedge.client.responses import Page, Response
from kedge.client.reviews import Decision, Question, User
from kedge.client.settings import ClientSettings
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
    "Unreachable",
    "User",
    "Watch",
    "Writing",
]
