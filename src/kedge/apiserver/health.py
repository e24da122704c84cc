"""Health: /healthz, /livez and /readyz, whole or check by check."""

from collections.abc import Callable

from kedge.apiserver.http.query import Query
from kedge.apiserver.http.reply import Reply, text_reply
from kedge.kube.gotext import quote

STORE = "etcd"
"""The check that stands for the store."""
_HOOKS = (
    "start-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    "priority-and-fairness-config-consumer",
    "priority-and-fairness-filter",
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kubernetes-service-cidr-controller",
    "start-kube-aggregator-informers",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "apiservice-registration-controller",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
    None,
    "apiservice-openapi-controller",
    "apiservice-openapiv3-controller",
)
"""What a kube-apiserver starts. Here all of it is done before the first request is answered."""
_STARTED = tuple(f"poststarthook/{hook}" if hook else "autoregister-completion" for hook in _HOOKS)
CHECKS = {
    "healthz": ("ping", "log", STORE, *_STARTED),
    "livez": ("ping", "log", STORE, *_STARTED),
    "readyz": ("ping", "log", STORE, "etcd-readiness", "informer-sync", *_STARTED, "shutdown"),
}
"""The checks of a kube-apiserver, in its order: scripts ask for them by name."""


class Health:
    """Answers questions after the server's health, whatever the method."""

    def __init__(self, healthy: Callable[[], bool]) -> None:
        """Ask `healthy` for the store."""
        self.healthy = healthy

    def __call__(self, path: str, query: Query) -> Reply | None:
        """Answer a path, or give None if it is not one of health."""
        name, _, check = path[1:].partition("/")
        if name not in CHECKS or (f"/{name}" != path and check not in CHECKS[name]):
            return None
        if check:
            return self._one(check)
        return self._all(name, query)

    def paths(self) -> list[str]:
        """Name all paths of health."""
        found = [f"/{name}" for name in CHECKS]
        return found + [f"/{name}/{check}" for name, checks in CHECKS.items() for check in checks]

    def _one(self, check: str) -> Reply:
        if check == STORE and not self.healthy():
            return text_reply(500, "internal server error: the store does not answer\n")
        return text_reply(200, "ok")

    def _all(self, name: str, query: Query) -> Reply:
        excluded = dict.fromkeys(query.values.get("exclude", ()))
        is_well = self.healthy() or STORE in excluded
        lines = []
        for check in CHECKS[name]:
            if check in excluded:
                del excluded[check]
                lines.append(f"[+]{check} excluded: ok\n")
            elif check == STORE and not is_well:
                lines.append(f"[-]{check} failed: reason withheld\n")
            else:
                lines.append(f"[+]{check} ok\n")
        if excluded:
            told = ",".join(map(quote, excluded))
            text = "warn: some health checks cannot be excluded: no matches for"
            lines.append(f"{text} {told}\n")
        if not is_well:
            return text_reply(500, f"{''.join(lines)}{name} check failed\n")
        if "verbose" not in query.values:
            return text_reply(200, "ok")
        return text_reply(200, f"{''.join(lines)}{name} check passed\n")
