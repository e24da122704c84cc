"""What a user wants to do, as authorization sees it, and the refusal in Kubernetes' words."""

from dataclasses import dataclass
from typing import Final

from kedge.apiserver.auth.users import User
from kedge.kube import errors
from kedge.kube.gotext import quote

# A refusal must not look like HTML to a browser.
HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


@dataclass(slots=True)
class Attributes:
    """One wish: a verb on a resource, or on a path that is no resource."""

    user: User
    verb: str
    namespace: str = ""
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    path: str = ""
    is_resource: bool = True


denied = errors.forbidden
"""A refusal for a reason other than the lack of a right: group, plural, name, why."""


def forbidden(attributes: Attributes, reason: str = "") -> errors.Forbidden:
    """Refuse a wish; `reason` is what the authorizer had to say."""
    text = _wish(attributes).translate(HTML)
    why = f"{text}: {reason}" if reason else text
    return denied(attributes.group, attributes.resource, attributes.name, why)


def _wish(attributes: Attributes) -> str:
    who = f"User {quote(attributes.user.name)} cannot {attributes.verb}"
    if not attributes.is_resource:
        return f"{who} path {quote(attributes.path)}"
    resource = attributes.resource
    if attributes.subresource:
        resource = f"{resource}/{attributes.subresource}"
    what = f"{who} resource {quote(resource)} in API group {quote(attributes.group)}"
    if attributes.namespace:
        return f"{what} in the namespace {quote(attributes.namespace)}"
    return f"{what} at the cluster scope"
