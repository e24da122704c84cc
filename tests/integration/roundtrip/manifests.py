"""A cluster's worth of trouble as manifests: those of `trouble/`, and odd ones made here."""

import base64
import random
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Object = dict[str, Any]

FOLDER = Path(__file__).parent / "trouble"
NAMESPACE = "trouble"
LONGEST_LABEL, LONGEST_NAME = 63, 253
LONGEST_FILE = 255
"""Bytes of a file's name, on most file systems."""
HUGE_BYTES = 1_000_000
"""Nearly what a ConfigMap may hold."""
STALLED = "example.com/never-done"
REFUSED = ("admissionregistration.k8s.io", "apiregistration.k8s.io")
EXCLUDED = {"velero.io/exclude-from-backup": "true"}


def written() -> list[Object]:
    """Read the manifests of the folder, in an order in which they can be created."""
    found: list[Object] = []
    for path in sorted(FOLDER.glob("*.yaml")):
        found += yaml.safe_load_all(path.read_text())
    for one in found:
        if one["kind"] == "CertificateSigningRequest":
            one["spec"]["request"] = _signing_request()
    return found


def generated() -> list[Object]:
    """Make what is too large, too long or too odd to be written down."""
    return [*_config_maps(), *_names(), *_custom(), *_services(), *_absent()]


def everything(*, is_embedded: bool = False) -> list[Object]:
    """Give all manifests; the embedded server refuses what it would not obey."""
    found = [*written(), *generated()]
    return [one for one in found if not is_embedded or not one["apiVersion"].startswith(REFUSED)]


def fits_a_file(obj: Object) -> bool:
    """Tell whether the original can restore it: it unpacks each object to a file of its name."""
    return len(f"{obj['metadata']['name']}.json".encode()) <= LONGEST_FILE


def config_map(name: str, data: dict[str, str], **metadata: Any) -> Object:
    """Make a ConfigMap."""
    meta = {"name": name, "namespace": NAMESPACE, **metadata}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def _config_maps() -> list[Object]:
    chance = random.Random(7)
    noise = base64.b85encode(chance.randbytes(HUGE_BYTES * 4 // 5 - 100)).decode()
    odd = "".join(map(chr, [*range(0x20), 0x7F, 0x85, 0x2028, 0x2029, 0xFEFF, 0xFFFD, 0x1F4A9]))
    longest = "l" * LONGEST_LABEL
    labels = {f"{'p' * 60}.example.com/{longest}": longest, "empty": "", "x" * 63: "A_b.c-d"}
    annotations = {"example.com/long": "ä" * 100_000, f"{longest}.example.com/{longest}": longest}
    return [
        config_map("huge", {"noise": noise}),
        config_map("empty", {}),
        config_map("odd-text", {"control": odd, "crlf": "\r\n", "quotes": "\"'\\`${{}}</script>"}),
        config_map("labelled", {"a": "b"}, labels=labels, annotations=annotations),
        config_map("held", {"a": "b"}, finalizers=["example.com/one", "example.com/two"]),
        config_map("key-" + "k" * 240, {"k" * LONGEST_NAME: "v"}),
        *(config_map(f"many-{n:03}", {"n": str(n)}) for n in range(120)),
    ]


def _names() -> list[Object]:
    """Make names that no tar header of 100 bytes can hold, and those that only RBAC allows."""
    longest = ".".join(["n" * 63] * 3 + ["n" * 61])
    label = "s" * 63
    odd = (
        "système:lecteur 🔑",
        "..",  # a dot more, as it is: see below
        "..hidden",
        "back\\slash",
        'quote"d and spaced',
        "tab\there",
        "UPPER.lower",
        "C:",
        "con",
        "a" * 245,
        "é" * 100,
        "~tilde",
        "-dash",
        "name.json",
        "sub.json.gz",
        "#?&=+@!$",
    )
    roles = [
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": name if name != ".." else "..."},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
        }
        for name in odd
    ]
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "rôle: «très» spécial", "namespace": NAMESPACE},
        "rules": [],
    }
    return [config_map(longest, {"long": "name"}), *roles, role, *_long_namespace(label)]


def _long_namespace(name: str) -> list[Object]:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    held = config_map("n" * LONGEST_NAME, {"both": "long"})
    held["metadata"]["namespace"] = name
    return [space, held]


def _custom() -> list[Object]:
    """Make a kind with the longest names, a deep object of it, and a chain of three."""
    group = ".".join(["g" * 63, "g" * 63, "example.com"])
    plural = "w" * 63
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1alpha1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    names = {"plural": plural, "singular": "w" * 62, "kind": "W" + "w" * 58}  # and "List"
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    deep: Any = "bottom"
    for _ in range(60):
        deep = {"down": [deep]}
    long = {
        "apiVersion": f"{group}/v1alpha1",
        "kind": names["kind"],
        "metadata": {"name": "n" * LONGEST_NAME, "namespace": NAMESPACE},
        "spec": {"deep": deep},
    }
    return [definition, long]


def _services() -> list[Object]:
    """Make a Service whose node ports are noted by `kubectl apply`, as those somebody chose."""
    applied = '{"spec":{"ports":[{"name":"a","nodePort":30555,"port":1}]}}'
    ports = [{"name": "a", "port": 1, "nodePort": 30555}, {"name": "b", "port": 2}]
    meta = {
        "name": "node-port-applied",
        "namespace": NAMESPACE,
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied},
    }
    spec = {"type": "NodePort", "ports": ports}
    return [{"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}]


def _absent() -> list[Object]:
    """Make what a backup leaves out: what says so, and what is on its way out."""
    space = {"name": "left-out", "labels": EXCLUDED}
    inside = config_map("inside", {"not": "backed up"})
    inside["metadata"]["namespace"] = "left-out"
    return [
        config_map("left-out", {}, labels=EXCLUDED),
        config_map("deleting", {}, finalizers=[STALLED]),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": space},
        inside,
    ]


def _signing_request() -> str:
    """Ask to be nobody, with a key that is thrown away."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nobody")])
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    signed = builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return base64.b64encode(signed.public_bytes(serialization.Encoding.PEM)).decode()
