"""What may be asked of the logs of a pod."""

from kedge.apiserver.builtin.fields import NEGATIVE, Errors
from kedge.apiserver.resource import Object
from kedge.kube.errors import BadRequest, invalid

POSITIVE = "must be greater than 0"
LISTS = ("initContainers", "containers", "ephemeralContainers")


def check_options(name: str, numbers: dict[str, int | None], since: str) -> None:
    """Check tailLines, limitBytes and sinceSeconds; `since` is sinceTime. Raises Invalid."""
    errors = Errors()
    lines, limit = numbers.get("tailLines"), numbers.get("limitBytes")
    seconds = numbers.get("sinceSeconds")
    if lines is not None and lines < 0:
        errors.invalid("tailLines", lines, NEGATIVE)
    if limit is not None and limit < 1:
        errors.invalid("limitBytes", limit, POSITIVE)
    if seconds is not None and since:
        errors.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified")
    elif seconds is not None and seconds < 1:
        errors.invalid("sinceSeconds", seconds, POSITIVE)
    if errors:
        raise invalid("", "PodLogOptions", name, errors)


def check_container(pod: Object, container: str) -> None:
    """Check that a container is named, or that there is only one. Raises BadRequest."""
    name, names = pod["metadata"]["name"], {kind: _names(pod, kind) for kind in LISTS}
    if container:
        if not any(container in one for one in names.values()):
            raise BadRequest(f"container {container} is not valid for pod {name}")
        return
    if len(names["containers"]) == 1:
        return
    text = f"a container name must be specified for pod {name}"
    if names["containers"]:
        text += f", choose one of: [{' '.join(names['containers'])}]"
        if names["initContainers"]:
            text += f" or one of the init containers: [{' '.join(names['initContainers'])}]"
    raise BadRequest(text)


def _names(pod: Object, kind: str) -> list[str]:
    return [one.get("name", "") for one in pod["spec"].get(kind) or ()]
