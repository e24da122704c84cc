"""Names of other objects inside an object are checked, and refused, like those in a path."""

from kedge.kube.errors import BadRequest
from kedge.kube.gotext import quote
from kedge.kube.names import path_segment


def check_name(name: str) -> None:
    """Raise BadRequest where nothing can have this name."""
    if not name:
        raise BadRequest("Name parameter required.")
    if problems := path_segment(name):
        raise BadRequest(f"Name parameter invalid: {quote(name)}: {';'.join(problems)}")


def check_namespace(namespace: str) -> None:
    """Raise BadRequest where a namespace is missing."""
    if not namespace:
        raise BadRequest("Namespace parameter required.")
