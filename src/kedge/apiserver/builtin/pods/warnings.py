"""Warnings for what a pod may say, and had better not."""

from collections.abc import Iterator
from operator import itemgetter

from kedge.apiserver.builtin.addresses import ip_warnings
from kedge.apiserver.builtin.amounts import fraction_warning
from kedge.apiserver.builtin.claims import claim_warnings
from kedge.apiserver.builtin.pods.annotations import APPARMOR, SECCOMP_CONTAINER, SECCOMP_POD
from kedge.apiserver.builtin.pods.overlaps import overlap_warnings
from kedge.apiserver.builtin.pods.scheduling import PREFERRED, REQUIRED
from kedge.apiserver.builtin.pods.surroundings import containers
from kedge.apiserver.http.warning import MOST_RUNES
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.gotext import quote

OLD_NODE_LABELS = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
OLD_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}
OLD_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
OLD_APPARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'
# Volumes of plugins that are gone: the source, how the warning writes it, and since when.
OLD_VOLUMES = (
    ("photonPersistentDisk", "photonPersistentDisk", "v1.11, non-functional in v1.16+"),
    ("gitRepo", "gitRepo", "v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "scaleIO", "v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "v1.25, non-functional in v1.26+"),
    ("ephemeral", "", ""),
    ("cephfs", "cephfs", "v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "v1.28, non-functional in v1.31+"),
)
BYTES = ("memory", "ephemeral-storage")
NULL_SELECTOR = "a null labelSelector results in matching no pod"


def pod_warnings(prefix: str, template: Object) -> list[str]:
    """Warn of what a pod (with an empty prefix) or a template (its path and a dot) says."""
    spec, metadata = template.get("spec") or {}, template.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    found: list[str] = []
    _scheduling(found, prefix, spec)
    if annotations:
        _annotations(found, prefix, annotations)
    if spec.get("volumes"):
        _volumes(found, prefix, spec["volumes"])
    _lists(found, prefix, spec)
    for key in BYTES:
        if key in (spec.get("overhead") or ()):
            found += fraction_warning(f"{prefix}spec.overhead[{key}]", spec["overhead"][key])
    context = spec.get("securityContext") or {}
    if SECCOMP_POD in annotations and "seccompProfile" not in context:
        found.append(f"{prefix}metadata.annotations[{SECCOMP_POD}]: {OLD_SECCOMP}")
    for path, container in containers(spec, f"{prefix}spec"):
        if annotations:
            _container_annotations(found, prefix, container, annotations, context)
        _container(found, path, container)
    _ports(found, list(containers(spec, f"{prefix}spec")))
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        what = "must be >= 0; negative values are invalid and will be treated as 1"
        found.append(f"{prefix}spec.terminationGracePeriodSeconds: {what}")
    if spec.get("affinity"):
        _pod_affinity(found, f"{prefix}spec.affinity", spec["affinity"])
    _addresses(found, prefix, spec)
    return found


def name_warning(name: str, use: str) -> list[str]:
    """Warn of a name that pods take over though it is no DNS label."""
    problems = names.dns_label(name)
    if not problems:
        return []
    return [
        f"metadata.name: this is used in {use}, which can result in surprising behavior; "
        f"a DNS label is recommended: [{' '.join(problems)}]"
    ]


def _scheduling(found: list[str], prefix: str, spec: Object) -> None:
    for key in spec.get("nodeSelector") or ():
        if key in OLD_NODE_LABELS:
            found.append(f"{prefix}spec.nodeSelector[{key}]: {OLD_NODE_LABELS[key]}")
    node = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    path = f"{prefix}spec.affinity.nodeAffinity"
    for index, term in enumerate((node.get(REQUIRED) or {}).get("nodeSelectorTerms") or ()):
        found += _node_term(f"{path}.{REQUIRED}.nodeSelectorTerms[{index}]", term, False)
    for index, preferred in enumerate(node.get(PREFERRED) or ()):
        term = preferred.get("preference") or {}
        found += _node_term(f"{path}.{PREFERRED}[{index}].preference", term, True)
    for index, one in enumerate(spec.get("topologySpreadConstraints") or ()):
        path, key = f"{prefix}spec.topologySpreadConstraints[{index}]", one.get("topologyKey", "")
        if key in OLD_NODE_LABELS:
            found.append(f"{path}.topologyKey: {key} is {OLD_NODE_LABELS[key]}")
        if "labelSelector" not in one:
            found.append(f"{path}.labelSelector: {NULL_SELECTOR}")


def _node_term(path: str, term: Object, check_values: bool) -> Iterator[str]:
    for index, rule in enumerate(term.get("matchExpressions") or ()):
        where, key = f"{path}.matchExpressions[{index}]", rule.get("key", "")
        if key in OLD_NODE_LABELS:
            yield f"{where}.key: {key} is {OLD_NODE_LABELS[key]}"
        for at, value in enumerate(rule.get("values") or () if check_values else ()):
            for problem in names.label_value(value):
                yield f"{where}.values[{at}]: {value} is invalid, {problem}"


def _annotations(found: list[str], prefix: str, annotations: dict[str, str]) -> None:
    for key, message in OLD_ANNOTATIONS.items():
        if key in annotations:
            found.append(f"{prefix}metadata.annotations[{key}]: {message}")


def _volumes(found: list[str], prefix: str, volumes: list[Object]) -> None:
    for index, volume in enumerate(volumes):
        path = f"{prefix}spec.volumes[{index}]"
        for name, written, since in OLD_VOLUMES:
            if name not in volume:
                continue
            if written:
                found.append(f"{path}.{written}: deprecated in {since}")
            elif template := volume[name].get("volumeClaimTemplate"):
                spec = template.get("spec") or {}
                found += claim_warnings(f"{path}.ephemeral.volumeClaimTemplate.spec", spec)
    found += overlap_warnings(volumes)


def _lists(found: list[str], prefix: str, spec: Object) -> None:
    for name, key in (("hostAliases", "ip"), ("imagePullSecrets", "name")):
        seen: set[str] = set()
        for index, item in enumerate(spec.get(name) or ()):
            value = item.get(key, "")
            if value in seen:
                found.append(f"{prefix}spec.{name}[{index}].{key}: duplicate {key} {quote(value)}")
            seen.add(value)
    for index, item in enumerate(spec.get("imagePullSecrets") or ()):
        if not item.get("name"):
            found.append(f'{prefix}spec.imagePullSecrets[{index}].name: invalid empty name ""')


def _container_annotations(
    found: list[str], prefix: str, container: Object, annotations: dict[str, str], pod: Object
) -> None:
    """Warn of annotations without the field; for a pod itself AppArmor's become the field."""
    context, name = container.get("securityContext") or {}, container.get("name", "")
    key = f"{SECCOMP_CONTAINER}{name}"
    if key in annotations and "seccompProfile" not in context:
        found.append(f"{prefix}metadata.annotations[{key}]: {OLD_SECCOMP}")
    key = f"{APPARMOR}{name}"
    if prefix and key in annotations and "appArmorProfile" not in context:
        profile = pod.get("appArmorProfile")
        if profile is None or profile != apparmor_profile(annotations[key]):
            found.append(f"{prefix}metadata.annotations[{key}]: {OLD_APPARMOR}")


def apparmor_profile(annotation: str) -> Object | None:
    """Give the profile that an annotation stands for."""
    if annotation == "unconfined":
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    local = annotation.removeprefix("localhost/")
    if local and local != annotation:
        return {"type": "Localhost", "localhostProfile": local}
    return None


def _container(found: list[str], path: str, container: Object) -> None:
    resources = container.get("resources")
    if resources:
        for key in BYTES:
            for name in ("limits", "requests"):
                if amount := (resources.get(name) or {}).get(key):
                    found += fraction_warning(f"{path}.resources.{name}[{key}]", amount)
    seen: set[str] = set()
    for index, variable in enumerate(container.get("env") or ()):
        name = variable.get("name", "")
        if name in seen and _hides(variable, name):
            found.append(
                f"{path}.env[{index}]: hides previous definition of {quote(name)}, "
                "which may be dropped when using apply"
            )
        seen.add(name)


def _hides(variable: Object, name: str) -> bool:
    """Tell whether a variable does away with the one before it, instead of building on it."""
    value, reference = variable.get("value", ""), f"$({name})"
    return "valueFrom" in variable or value == reference or reference not in value


def _ports(found: list[str], containers: list[tuple[str, Object]]) -> None:
    taken: dict[tuple[int, str], SamePort] = {}
    for path, container in containers:
        for index, port in enumerate(container.get("ports") or ()):
            where = f"{path}.ports[{index}]"
            if port.get("hostIP") and not port.get("hostPort"):
                found.append(f"{where}: hostIP set without hostPort: {_port_text(port)}")
            key = port.get("containerPort", 0), port.get("protocol", "")
            others = taken.setdefault(key, SamePort())
            for other, one in others.near(port) if len(found) < MOST_RUNES else ():
                found.append(f"{where}: {_clash(port, one)} port definition with {other}")
            others.add(where, port)
    named: dict[str, str] = {}
    for path, container in containers:
        for index, port in enumerate(container.get("ports") or ()):
            where, name = f"{path}.ports[{index}]", port.get("name")
            if name and name in named:
                found.append(
                    f"{where}: duplicate port name {quote(name)} with {named[name]}, services and "
                    f"probes that select ports by name will use {named[name]}"
                )
            elif name:
                named[name] = where


Definition = tuple[int, str, Object]
"""The number of a definition of a port, its path, and itself."""


class SamePort:
    """Definitions of one port, found by the port and the address of the host."""

    def __init__(self) -> None:
        """Know none."""
        self.all: list[Definition] = []
        self._by_number: dict[int, list[Definition]] = {}
        self._with_address: dict[int, list[Definition]] = {}
        self._exact: dict[tuple[int, str], list[Definition]] = {}

    def add(self, where: str, port: Object) -> None:
        """Take in one more."""
        definition = len(self.all), where, port
        number, address = port.get("hostPort", 0), port.get("hostIP", "")
        self.all.append(definition)
        self._by_number.setdefault(number, []).append(definition)
        self._exact.setdefault((number, address), []).append(definition)
        if address:
            self._with_address.setdefault(number, []).append(definition)

    def near(self, port: Object) -> Iterator[tuple[str, Object]]:
        """Give those that do not go together with this one, in order."""
        number, address = port.get("hostPort", 0), port.get("hostIP", "")
        found = self.all
        if number:
            other = self._exact.get((number, ""), []) if address else None
            found = [
                *self._by_number.get(0, ()),
                *self._exact.get((number, address), ()),
                *(self._with_address.get(number, ()) if other is None else other),
            ]
            found.sort(key=itemgetter(0))
        return ((where, one) for _, where, one in found)


def _clash(port: Object, other: Object) -> str:
    """Say in which way two definitions of one port do not go together."""
    ip, number = port.get("hostIP", ""), port.get("hostPort", 0)
    other_ip, other_number = other.get("hostIP", ""), other.get("hostPort", 0)
    if (ip, number) == (other_ip, other_number):
        return "duplicate"
    if not number or not other_number:
        return "overlapping"
    return "dangerously ambiguous"  # one is for all addresses


def _port_text(port: Object) -> str:
    """Write a port as Go prints a struct with its fields' names."""
    return (
        f"{{Name:{port.get('name', '')} HostPort:{port.get('hostPort', 0)} "
        f"ContainerPort:{port.get('containerPort', 0)} Protocol:{port.get('protocol', '')} "
        f"HostIP:{port.get('hostIP', '')}}}"
    )


def _pod_affinity(found: list[str], path: str, affinity: Object) -> None:
    for name in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(name) or {}
        for index, term in enumerate(pods.get(REQUIRED) or ()):
            if "labelSelector" not in term:
                found.append(f"{path}.{name}.{REQUIRED}[{index}].labelSelector: {NULL_SELECTOR}")
        for index, weighted in enumerate(pods.get(PREFERRED) or ()):
            if "labelSelector" not in (weighted.get("podAffinityTerm") or {}):
                where = f"{path}.{name}.{PREFERRED}[{index}].podAffinityTerm.labelSelector"
                found.append(f"{where}: {NULL_SELECTOR}")


def _addresses(found: list[str], prefix: str, spec: Object) -> None:
    for index, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        found += ip_warnings(f"{prefix}spec.dnsConfig.nameservers[{index}]", server)
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        found += ip_warnings(f"{prefix}spec.hostAliases[{index}].ip", alias.get("ip", ""))
