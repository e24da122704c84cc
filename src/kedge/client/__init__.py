"""An async client for any Kubernetes API: where it is, the verbs, and what goes wrong."""

from kedge.client.client import Client
from kedge.client.errors import BadAnswer, ClientError, DeadlineExceeded, Disconnected, Unreachable
from kedge.client.requests import Deletion, Following, Request, Selection, Writing
from kedge.client.responses import Page, Response
from kedge.client.settings import ClientSettings
from kedge.client.watch import Watch

__all__ = [
    "BadAnswer",
    "Client",
    "ClientError",
    "ClientSettings",
    "DeadlineExceeded",
    "Deletion",
    "Disconnected",
    "Following",
    "Page",
    "Request",
    "Response",
    "Selection",
    "Unreachable",
    "Watch",
    "Writing",
]
