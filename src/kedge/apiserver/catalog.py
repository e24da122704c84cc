"""The built-in resources: the generated table, the hooks, and facts that neither has."""

from collections.abc import Callable

from kedge.apiserver.kinds.schemas import schema_of
from kedge.apiserver.kinds.table import BuiltinResource, KindTable
from kedge.apiserver.resource import Printer, Resource, Strategy, Subresource

Name = tuple[str, str]
"""Group and plural."""

RETURNS_DELETED: set[Name] = {
    *(
        ("", plural)
        for plural in (
            "namespaces",
            "persistentvolumes",
            "persistentvolumeclaims",
            "pods",
            "podtemplates",
            "resourcequotas",
            "services",
            "serviceaccounts",
        )
    ),
    *(
        ("storage.k8s.io", plural)
        for plural in (
            "csidrivers",
            "csinodes",
            "storageclasses",
            "volumeattachments",
            "volumeattributesclasses",
        )
    ),
    *(
        ("resource.k8s.io", plural)
        for plural in (
            "deviceclasses",
            "resourceclaims",
            "resourceclaimtemplates",
            "resourceslices",
        )
    ),
}
"""DELETE answers with the object, where others answer with a Status."""

CREATE_ON_UPDATE: set[Name] = {
    ("", "endpoints"),
    ("", "events"),
    ("", "limitranges"),
    ("", "services"),
    ("events.k8s.io", "events"),
    ("coordination.k8s.io", "leases"),
    ("node.k8s.io", "runtimeclasses"),
    *(
        ("rbac.authorization.k8s.io", plural)
        for plural in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
    ),
}
"""PUT of a name that is not there creates it."""

VERSION_REQUIRED: set[Name] = {
    ("node.k8s.io", "runtimeclasses"),
    ("policy", "poddisruptionbudgets"),
    ("coordination.k8s.io", "leases"),
    *(
        ("storage.k8s.io", plural)
        for plural in ("csidrivers", "csistoragecapacities", "volumeattachments", "csinodes")
    ),
    *(
        ("admissionregistration.k8s.io", plural)
        for plural in (
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "validatingwebhookconfigurations",
            "mutatingwebhookconfigurations",
        )
    ),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("apiregistration.k8s.io", "apiservices"),
}
"""PUT without a resourceVersion is refused."""

ORPHANING: set[Name] = {("", "replicationcontrollers"), ("batch", "jobs")}
"""DELETE without a policy leaves the dependents: they are older than the collector."""

COUNTED: set[Name] = {
    *(("", plural) for plural in ("pods", "podtemplates", "replicationcontrollers")),
    *(("apps", plural) for plural in ("daemonsets", "deployments", "replicasets", "statefulsets")),
    *(("batch", plural) for plural in ("cronjobs", "jobs")),
    *(
        ("admissionregistration.k8s.io", plural)
        for plural in (
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "validatingwebhookconfigurations",
            "mutatingwebhookconfigurations",
        )
    ),
    *(
        ("networking.k8s.io", plural)
        for plural in ("ingresses", "ingressclasses", "networkpolicies")
    ),
    *(
        ("flowcontrol.apiserver.k8s.io", plural)
        for plural in ("flowschemas", "prioritylevelconfigurations")
    ),
    *(("resource.k8s.io", plural) for plural in ("deviceclasses", "resourceslices")),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("discovery.k8s.io", "endpointslices"),
    ("policy", "poddisruptionbudgets"),
    ("scheduling.k8s.io", "priorityclasses"),
}
"""Kinds with a metadata.generation."""

INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
SELECTABLE: dict[Name, tuple[str, ...]] = {
    ("", "pods"): (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ),
    ("", "nodes"): ("spec.unschedulable",),
    ("", "replicationcontrollers"): ("status.replicas",),
    ("", "events"): (
        *(f"involvedObject.{name}" for name in INVOLVED),
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    ("events.k8s.io", "events"): (
        *(f"regarding.{name}" for name in INVOLVED),
        "reason",
        "reportingController",
        "type",
    ),
    ("", "namespaces"): ("status.phase",),
    ("", "secrets"): ("type",),
    ("", "services"): ("spec.clusterIP", "spec.type"),
    ("batch", "jobs"): ("status.successful",),
    ("certificates.k8s.io", "certificatesigningrequests"): ("spec.signerName",),
    ("resource.k8s.io", "resourceslices"): ("spec.nodeName", "spec.driver"),
}

CONVERTED: dict[tuple[str, str, str], Name] = {
    ("autoscaling", "v1", "horizontalpodautoscalers"): ("autoscaling", "horizontalpodautoscalers"),
    ("events.k8s.io", "v1", "events"): ("", "events"),
}
"""Versions that are not stored as they are, with the place where they are kept."""

DEPRECATED: dict[Name, str] = {
    (
        "",
        "endpoints",
    ): "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ("", "componentstatuses"): "v1 ComponentStatus is deprecated in v1.19+",
}

Strategies = Callable[[str, str, str], Strategy]
Printers = Callable[[str, str, str], Printer | None]


def builtin_resources(
    table: KindTable, strategies: Strategies, printers: Printers
) -> list[Resource]:
    """All built-in resources; `strategies` and `printers` are asked by group, version and kind."""
    return [_resource(one, strategies, printers) for one in table.resources]


def _resource(one: BuiltinResource, strategies: Strategies, printers: Printers) -> Resource:
    name = (one.group, one.plural)
    strategy = strategies(one.group, one.version, one.kind)
    strategy.returns_deleted = name in RETURNS_DELETED
    strategy.allow_create_on_update = name in CREATE_ON_UPDATE
    strategy.allow_unconditional_update = name not in VERSION_REQUIRED
    strategy.orphans_by_default = name in ORPHANING
    strategy.collectable = one.plural != "events"
    strategy.has_generation = name in COUNTED
    converted = CONVERTED.get((one.group, one.version, one.plural))
    return Resource(
        one.group,
        one.version,
        one.kind,
        one.plural,
        one.singular,
        one.namespaced,
        one.verbs,
        schema_of(one.type),
        strategy,
        one.short_names,
        one.categories,
        f"{one.kind}List",
        {
            sub.name: Subresource(sub.name, sub.kind, sub.group, sub.version, sub.verbs)
            for sub in one.subresources
        },
        one.storage_version_hash,
        printers(one.group, one.version, one.kind),
        SELECTABLE.get(name, ()),
        stored=converted is None,
        storage_key=converted or name,
        warnings=(DEPRECATED[name],) if name in DEPRECATED else (),
    )
