"""Rules for the spec of a pod: those for the whole, and the calls to those for its parts."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import LARGEST_INT32, Errors
from kedge.apiserver.builtin.internal import shown_struct
from kedge.apiserver.builtin.pods.annotations import MIRROR, check_agreement, check_annotations
from kedge.apiserver.builtin.pods.containers import (
    check_containers,
    check_ephemeral_containers,
    check_image_spaces,
    check_init_containers,
)
from kedge.apiserver.builtin.pods.network import (
    DNS_POLICIES,
    check_dns,
    check_host_aliases,
    check_host_network,
)
from kedge.apiserver.builtin.pods.resources import check_overhead, check_pod_resources
from kedge.apiserver.builtin.pods.scheduling import (
    check_affinity,
    check_gates,
    check_spread,
    check_tolerations,
)
from kedge.apiserver.builtin.pods.security import ALLOW_PRIVILEGED, check_pod_context
from kedge.apiserver.builtin.pods.surroundings import STRICT, Options, Surroundings, containers
from kedge.apiserver.builtin.pods.volumes import check_volumes
from kedge.apiserver.builtin.pods.windows import check_host_process, check_os
from kedge.apiserver.resource import Object

RESTART_POLICIES = ("Always", "OnFailure", "Never")
PREEMPTIONS = ("PreemptLowerPriority", "Never")
NO_HOST_USERS = "when `hostUsers` is false"
# Namespaces of the host that do not go with a user namespace of the pod's own, as errors name them.
HOST_NAMESPACES = (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC"))


def check_template(errors: Errors, path: str, template: Object, options: Options = STRICT) -> None:
    """Check a pod template. Its metadata's errors are at the template, not at the metadata."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    fields.labels(errors, f"{path}.labels", metadata.get("labels"))
    annotations = metadata.get("annotations")
    fields.annotations(errors, f"{path}.annotations", annotations)
    check_annotations(errors, f"{path}.annotations", annotations, spec, options)
    check_spec(errors, f"{path}.spec", spec, options)
    check_agreement(errors, f"{path}.spec", metadata, spec)
    if spec.get("ephemeralContainers"):
        what = "ephemeral containers not allowed in pod template"
        errors.forbidden(f"{path}.spec.ephemeralContainers", what)


def check_pod(errors: Errors, pod: Object, options: Options) -> None:
    """Check what holds for a pod at any time."""
    metadata, spec = pod["metadata"], pod["spec"]
    annotations = metadata.get("annotations")
    check_annotations(errors, "metadata.annotations", annotations, spec, options)
    check_spec(errors, "spec", spec, options, metadata)
    if not spec.get("serviceAccountName"):
        _check_no_tokens(errors, spec)
    for name in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(name) or ()):
            check_image_spaces(errors, f"spec.{name}[{index}]", container)


def _check_no_tokens(errors: Errors, spec: Object) -> None:
    for index, volume in enumerate(spec.get("volumes") or ()):
        for at, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if "serviceAccountToken" in source:
                where = f"spec.volumes[{index}].projected.sources[{at}].serviceAccountToken"
                what = "must not be specified when serviceAccountName is not set"
                errors.forbidden(where, what)


def check_spec(
    errors: Errors, path: str, spec: Object, options: Options, metadata: Object | None = None
) -> None:
    """Check a pod's spec; `metadata` is that of the pod, and none for a template."""
    get = spec.get
    host_users = get("hostUsers", True)
    name = (metadata or {}).get("name", "")
    volumes = check_volumes(errors, f"{path}.volumes", spec, options, name)
    claims = get("resourceClaims") or ()
    if claims:
        _check_claims(errors, f"{path}.resourceClaims", claims, metadata or {})
    around = Surroundings(
        options,
        volumes,
        frozenset(claim["name"] for claim in claims if claim.get("name")),
        get("terminationGracePeriodSeconds"),
        get("restartPolicy", ""),
        host_users,
        (get("os") or {}).get("name"),
    )
    check_containers(errors, f"{path}.containers", spec, around)
    if get("initContainers"):
        check_init_containers(errors, f"{path}.initContainers", spec, around)
    check_ephemeral_containers(errors, f"{path}.ephemeralContainers", spec, around)
    if get("resources") is not None:
        check_pod_resources(errors, path, spec, around)
    check_host_network(errors, path, spec, options.is_pod)
    if get("restartPolicy") not in RESTART_POLICIES:
        policy = get("restartPolicy", "")
        fields.enum(errors, f"{path}.restartPolicy", policy, RESTART_POLICIES)
    if get("dnsPolicy") not in DNS_POLICIES:
        fields.enum(errors, f"{path}.dnsPolicy", get("dnsPolicy", ""), DNS_POLICIES)
    fields.labels(errors, f"{path}.nodeSelector", get("nodeSelector"))
    check_pod_context(errors, path, spec, options)
    _check_placement(errors, path, spec, options)
    check_host_process(errors, path, spec, ALLOW_PRIVILEGED)
    if not host_users:
        _check_user_namespace(errors, path, spec, options)
    _check_names(errors, path, spec)
    _check_rest(errors, path, spec, around)


def _check_placement(errors: Errors, path: str, spec: Object, options: Options) -> None:
    """Check affinity, resolver, gates and spreading, in the order of the original."""
    get = spec.get
    if affinity := get("affinity"):
        check_affinity(errors, f"{path}.affinity", affinity, options)
    check_dns(errors, f"{path}.dnsConfig", spec)
    for index, gate in enumerate(get("readinessGates") or ()):
        where = f"{path}.readinessGates[{index}].conditionType"
        fields.qualified_name(errors, where, gate.get("conditionType", ""))
    if gates := get("schedulingGates"):
        check_gates(errors, f"{path}.schedulingGates", gates)
    if constraints := get("topologySpreadConstraints"):
        check_spread(errors, f"{path}.topologySpreadConstraints", constraints, options)


def _check_names(errors: Errors, path: str, spec: Object) -> None:
    get = spec.get
    for name in ("serviceAccountName", "nodeName"):
        if value := get(name):
            fields.dns_subdomain(errors, f"{path}.{name}", value)
    deadline = get("activeDeadlineSeconds")
    if deadline is not None:
        where = f"{path}.activeDeadlineSeconds"
        fields.in_range(errors, where, deadline, 1, LARGEST_INT32)
    for name in ("hostname", "subdomain"):
        if value := get(name):
            fields.dns_label(errors, f"{path}.{name}", value)


def _check_rest(errors: Errors, path: str, spec: Object, around: Surroundings) -> None:
    get = spec.get
    if tolerations := get("tolerations"):
        check_tolerations(errors, f"{path}.tolerations", tolerations)
    if aliases := get("hostAliases"):
        check_host_aliases(errors, f"{path}.hostAliases", aliases)
    if name := get("priorityClassName"):
        fields.dns_subdomain(errors, f"{path}.priorityClassName", name)
    name = get("runtimeClassName")
    if name is not None:
        fields.dns_subdomain(errors, f"{path}.runtimeClassName", name)
    policy = get("preemptionPolicy")
    if policy is not None:
        fields.enum(errors, f"{path}.preemptionPolicy", policy, PREEMPTIONS)
    if overhead := get("overhead"):
        check_overhead(errors, f"{path}.overhead", overhead, around)
    if get("os") is not None:
        check_os(errors, path, spec)


def _check_user_namespace(errors: Errors, path: str, spec: Object, options: Options) -> None:
    for name, shown in HOST_NAMESPACES:
        if spec.get(name):
            errors.forbidden(f"{path}.{shown}", NO_HOST_USERS)
    if not options.devices_in_user_namespace:
        for where, container in containers(spec, path):
            if container.get("volumeDevices"):
                errors.forbidden(f"{where}.volumeDevices", NO_HOST_USERS)


def _check_claims(errors: Errors, path: str, claims: list[Object], metadata: Object) -> None:
    """Check the resource claims of a pod."""
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        if MIRROR in (metadata.get("annotations") or {}):
            errors.forbidden("", "static pods do not support resource claims")
            continue
        where, name = f"{path}[{index}]", claim.get("name", "")
        if name and name in seen:
            errors.duplicate(f"{where}.name", name)
        else:
            fields.required_label(errors, f"{where}.name", name)
            seen.add(name)
        sources = [
            key for key in ("resourceClaimName", "resourceClaimTemplateName") if key in claim
        ]
        if len(sources) == 2:
            what = (
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            )
            errors.invalid(where, shown_struct("PodResourceClaim", claim), what)
        if not sources:
            what = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            errors.invalid(where, shown_struct("PodResourceClaim", claim), what)
        for key in sources:
            fields.dns_subdomain(errors, f"{where}.{key}", claim[key])
