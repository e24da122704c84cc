"""What can be wrong with the settings of an installation, found before anything is sent. Pure."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from kedge.cli.install.names import LABELS
from kedge.cli.install.settings import InstallSettings, Location
from kedge.cli.install.storage import FILESYSTEM
from kedge.cli.install.workload import is_nothing
from kedge.cli.location.bucket import bucket_problem
from kedge.cli.operator.settings import disabled_of
from kedge.cli.references import image_problem, url_problem
from kedge.kube.fielderror import FieldError
from kedge.kube.metadata import validate_annotations, validate_labels
from kedge.kube.names import label_name, subdomain_name
from kedge.kube.quantity import QuantityError, parse_quantity
from kedge.objects.open import PROVIDERS

_TAKEN: Final = re.compile(
    r"/(?:app|bin|etc|lib|lib64|opt|run|sbin|tmp|var|(?:opt/kedge|usr|dev|proc|sys)(?:/.*)?)/*"
)
"""Paths at which a volume would hide what the server needs."""


class Wrong(ValueError):
    """A flag has a value that can not be honoured; the text names it and the fix."""


def check(settings: InstallSettings) -> None:
    """Refuse settings that a cluster would refuse, or that would never run; raises Wrong."""
    for problem in _problems(settings):
        raise Wrong(problem)


def _problems(settings: InstallSettings) -> Iterator[str]:
    for why in label_name(settings.namespace):
        yield f"--namespace {settings.namespace!r}: {why}"
    if problem := image_problem("--image", settings.image):
        yield problem
    if settings.service_account:
        for why in subdomain_name(settings.service_account):
            yield f"--service-account-name {settings.service_account!r}: {why}"
        if settings.account_annotations:
            yield (
                "--sa-annotations and --service-account-name exclude each other: an account that"
                " is there already is not changed"
            )
    for why in subdomain_name(settings.priority_class) if settings.priority_class else ():
        yield f"--server-priority-class-name {settings.priority_class!r}: {why}"
    yield from _controllers(settings.server.disabled_controllers)
    yield from _storage(settings)
    yield from _metadata(settings)
    yield from _amounts(settings)


def _controllers(names: str) -> Iterator[str]:
    try:
        disabled_of(names)
    except ValueError as error:
        yield str(error)


def _storage(settings: InstallSettings) -> Iterator[str]:
    location, claim = settings.location, settings.volume_claim
    for why in subdomain_name(claim) if claim else ():
        yield f"--volume-claim {claim!r}: {why}"
    if settings.download_url and not claim:
        yield "--download-url goes with --volume-claim: other providers give out URLs of their own"
    if settings.download_url and (why := url_problem("--download-url", settings.download_url)):
        yield why
    if location is None:
        return
    if location.provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        yield f"--provider {location.provider!r} is not known; known are: {known}"
    if location.bucket.startswith("-"):
        yield f"--bucket {location.bucket!r} must not begin with '-'"
    if problem := bucket_problem(location.bucket):
        yield problem
    if location.provider == FILESYSTEM:
        yield from _folder(settings, location)


def _folder(settings: InstallSettings, location: Location) -> Iterator[str]:
    if not settings.volume_claim:
        yield (
            f"--provider {FILESYSTEM} needs --volume-claim: a PersistentVolumeClaim of the"
            " namespace, since a pod keeps nothing itself"
        )
    path = location.config.get("path", "/elsewhere")
    parts = PurePosixPath(path)
    if not parts.is_absolute() or ".." in parts.parts or len(parts.parts) < 2 or ":" in path:
        yield f"--backup-location-config path {path!r} must be a folder, as /mnt/backups"
    elif _TAKEN.fullmatch(path):
        yield f"--backup-location-config path {path!r} is a folder that the pod needs itself"


def _metadata(settings: InstallSettings) -> Iterator[str]:
    yield from _told("--sa-annotations", validate_annotations(settings.account_annotations, ""))
    yield from _told("--pod-annotations", validate_annotations(settings.pod_annotations, ""))
    yield from _told("--pod-labels", validate_labels(settings.pod_labels, ""))
    for label in settings.pod_labels:
        if label in LABELS:
            yield f"--pod-labels: {label} is how the pods are found, so choose another label"


def _told(flag: str, errors: list[FieldError]) -> Iterator[str]:
    for error in errors:
        yield f"{flag}: {error.body}"


def _amounts(settings: InstallSettings) -> Iterator[str]:
    share = settings.share
    for what, request, limit in (
        ("cpu", share.cpu_request, share.cpu_limit),
        ("mem", share.memory_request, share.memory_limit),
        ("ephemeral-storage", share.storage_request, "0"),
    ):
        flags = {f"--pod-{what}-request": request, f"--pod-{what}-limit": limit}
        wrong = [problem for flag in flags.items() for problem in _amount(*flag)]
        yield from wrong
        if not wrong and _is_less(limit, request):
            low, high = flags
            yield f"{low} {request} must not be greater than {high} {limit}"


def _is_less(limit: str, request: str) -> bool:
    return not is_nothing(limit) and parse_quantity(limit) < parse_quantity(request)


def _amount(flag: str, text: str) -> Iterator[str]:
    try:
        amount = parse_quantity(text)
    except QuantityError:
        yield f"{flag} {text!r} is no amount; write it as 500m, 1, 128Mi, or 0 for none"
        return
    if amount.digits < 0:
        yield f"{flag} {text!r} must not be less than 0"
