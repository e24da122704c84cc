"""Rules for probes and lifecycle hooks, which share their handlers."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.surroundings import Surroundings
from kedge.apiserver.resource import Object
from kedge.kube import formats

COUNTS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)
PROBE_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
HOOK_HANDLERS = ("exec", "httpGet", "tcpSocket", "sleep")


def check_probes(errors: Errors, path: str, container: Object, around: Surroundings) -> None:
    """Check the probes of a container."""
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        where = f"{path}.{name}"
        _check_probe(errors, where, probe, around)
        if name == "readinessProbe":
            grace = probe.get("terminationGracePeriodSeconds")
            if grace is not None:
                what = "must not be set for readinessProbes"
                errors.invalid(f"{where}.terminationGracePeriodSeconds", grace, what)
        elif probe.get("successThreshold", 0) != 1:
            threshold = probe.get("successThreshold", 0)
            errors.invalid(f"{where}.successThreshold", threshold, "must be 1")


def _check_probe(errors: Errors, path: str, probe: Object, around: Surroundings) -> None:
    _check_handler(errors, path, probe, PROBE_HANDLERS, around)
    fields.non_negatives(errors, path, probe, COUNTS)
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        errors.invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0")


def check_lifecycle(errors: Errors, path: str, lifecycle: Object, around: Surroundings) -> None:
    """Check the hooks of a container."""
    for name in ("postStart", "preStop"):
        if name in lifecycle:
            _check_handler(errors, f"{path}.{name}", lifecycle[name], HOOK_HANDLERS, around)


def _check_handler(
    errors: Errors, path: str, handler: Object, kinds: tuple[str, ...], around: Surroundings
) -> None:
    found = [name for name in kinds if name in handler]
    if not found:
        errors.required(path, "must specify a handler type")
        return
    first, *others = found
    action, where = handler[first], f"{path}.{first}"
    if first == "exec":
        if not action.get("command"):
            errors.required(f"{where}.command")
    elif first == "httpGet":
        _check_http(errors, where, action)
    elif first == "sleep":
        _check_sleep(errors, where, action.get("seconds", 0), around.grace)
    else:
        fields.port(errors, f"{where}.port", action.get("port", 0))
    for name in others:
        errors.forbidden(f"{path}.{name}", "may not specify more than 1 handler type")


def _check_http(errors: Errors, path: str, action: Object) -> None:
    if not action.get("path"):
        errors.required(f"{path}.path")
    fields.port(errors, f"{path}.port", action.get("port", 0))
    scheme = action.get("scheme", "")
    if scheme not in ("HTTP", "HTTPS"):
        errors.unsupported(f"{path}.scheme", scheme, ("HTTP", "HTTPS"))
    for header in action.get("httpHeaders") or ():
        name = header.get("name", "")
        errors.each(f"{path}.httpHeaders", name, formats.header_name(name))


def _check_sleep(errors: Errors, path: str, seconds: int, grace: int | None) -> None:
    if grace is not None and not 0 <= seconds <= grace:
        what = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        errors.invalid(path, seconds, what)
