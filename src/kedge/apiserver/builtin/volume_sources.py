"""Where a persistent volume is: rules for each kind of place, and how messages show it."""

import json
from collections.abc import Callable
from difflib import unified_diff
from posixpath import normpath
from typing import Any

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import internal_value
from kedge.apiserver.builtin.pods import disks
from kedge.apiserver.builtin.pods.mounts import no_backsteps
from kedge.apiserver.builtin.pods.volumes import LONGEST_PORTAL, ONE, SOURCES
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.gotext import Struct

INITIATORS = disks.INITIATORS
SECRETS = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)
Check = Callable[[Errors, str, Object], None]


def check_source(errors: Errors, path: str, spec: Object, name: str) -> None:
    """Check that a volume is in one place, and that it can be there; `name` is the volume's."""
    count = 0
    for source, check in PLACES.items():
        if source not in spec:
            continue
        if count and source != "flexVolume":
            errors.forbidden(f"{path}.{WRITTEN.get(source, source)}", ONE)
            continue
        count += 1
        if source == "iscsi":
            _check_portal(errors, f"{path}.iscsi", spec[source], name)
        check(errors, f"{path}.{CHECKED.get(source, source)}", spec[source])
        if source == "local" and spec.get("nodeAffinity") is None:
            errors.required(f"{path}.nodeAffinity", "Local volume requires node affinity")
    if not count:
        errors.required(path, "must specify a volume type")
    host = (spec.get("hostPath") or {}).get("path")
    policy = spec.get("persistentVolumeReclaimPolicy")
    if host is not None and policy == "Recycle" and is_root(host):
        what = "may not be 'recycle' for a hostPath mount of '/'"
        errors.forbidden(f"{path}.persistentVolumeReclaimPolicy", what)


def is_root(file: str) -> bool:
    """Tell whether a path is that of the whole file system."""
    return file.startswith("/") and normpath(file) in ("/", "//")


def _check_portal(errors: Errors, path: str, source: Object, name: str) -> None:
    portal = source.get("targetPortal", "")
    if not portal:
        errors.required(f"{path}.targetPortal")
    if "initiatorName" in source and names.size(f"{name}:{portal}") > LONGEST_PORTAL:
        what = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified."
        )
        errors.invalid(f"{path}.targetportal", portal, what)


def _check_gluster(errors: Errors, path: str, source: Object) -> None:
    disks.check_gluster(errors, path, source)
    namespace = source.get("endpointsNamespace")
    if namespace == "":
        what = "if the endpointnamespace is set, it must be a valid namespace name"
        errors.invalid(f"{path}.endpointsNamespace", namespace, what)
    elif namespace is not None:
        fields.dns_label(errors, f"{path}.endpointsNamespace", namespace)


def _check_iscsi(errors: Errors, path: str, source: Object) -> None:
    disks.need(errors, path, source, "iqn")
    if source.get("iqn"):
        _check_initiator(errors, f"{path}.iqn", source["iqn"])
    fields.in_range(errors, f"{path}.lun", source.get("lun", 0), 0, 255)
    chap = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if chap and "secretRef" not in source:
        errors.required(f"{path}.secretRef")
    if "secretRef" in source and not source["secretRef"].get("name"):
        errors.required(f"{path}.secretRef.name")
    if "initiatorName" in source:
        _check_initiator(errors, f"{path}.initiatorname", source["initiatorName"])


def _check_initiator(errors: Errors, path: str, name: str) -> None:
    pattern = INITIATORS.get(name[:3])
    if pattern is None or not pattern.search(name):
        errors.invalid(path, name, "must be valid format")


def _check_cinder(errors: Errors, path: str, source: Object) -> None:
    disks.need(errors, path, source, "volumeID")
    _need_secret(errors, path, source)


def _need_secret(errors: Errors, path: str, source: Object) -> None:
    if "secretRef" in source:
        disks.need(errors, f"{path}.secretRef", source["secretRef"], "name", "namespace")


def _check_azure_file(errors: Errors, path: str, source: Object) -> None:
    disks.check_azure_file(errors, path, source)
    if source.get("secretNamespace") == "":
        errors.required(f"{path}.secretNamespace")


def _check_local(errors: Errors, path: str, source: Object) -> None:
    if not source.get("path"):
        errors.required(f"{path}.path")
    else:
        no_backsteps(errors, f"{path}.path", source["path"])


def _check_storageos(errors: Errors, path: str, source: Object) -> None:
    fields.required_label(errors, f"{path}.volumeName", source.get("volumeName", ""))
    if source.get("volumeNamespace"):
        fields.dns_label(errors, f"{path}.volumeNamespace", source["volumeNamespace"])
    _need_secret(errors, path, source)


def _check_csi(errors: Errors, path: str, source: Object) -> None:
    disks.check_csi_driver(errors, f"{path}.driver", source.get("driver", ""))
    disks.need(errors, path, source, "volumeHandle")
    for name in SECRETS:
        if name in source:
            _check_secret(errors, f"{path}.{name}", source[name])


def _check_secret(errors: Errors, path: str, secret: Object) -> None:
    name = secret.get("name", "")
    if name:
        fields.dns_subdomain(errors, f"{path}.name", name)
    else:
        errors.required(f"{path}.name")
    fields.required_label(errors, f"{path}.namespace", secret.get("namespace", ""))


# In the order in which the rules look for them: the first is checked, the others are too many.
PLACES: dict[str, Check] = {
    "hostPath": SOURCES["hostPath"],
    "gcePersistentDisk": disks.check_gce,
    "awsElasticBlockStore": disks.check_aws,
    "glusterfs": _check_gluster,
    "flocker": disks.check_flocker,
    "nfs": SOURCES["nfs"],
    "rbd": disks.check_rbd,
    "quobyte": disks.check_quobyte,
    "cephfs": disks.check_ceph,
    "iscsi": _check_iscsi,
    "cinder": _check_cinder,
    "fc": disks.check_fc,
    "flexVolume": disks.check_flex,
    "azureFile": _check_azure_file,
    "vsphereVolume": disks.check_vsphere,
    "photonPersistentDisk": disks.check_photon,
    "portworxVolume": disks.check_portworx,
    "azureDisk": disks.check_azure_disk,
    "scaleIO": disks.check_scaleio,
    "local": _check_local,
    "storageos": _check_storageos,
    "csi": _check_csi,
}
# Names that the rules spell in another way than the API.
WRITTEN = {"cephfs": "cephFS"}
CHECKED = {"gcePersistentDisk": "persistentDisk"}


def source_of(spec: Object) -> Object:
    """Give where a volume is, and nothing else of its spec."""
    return {name: spec[name] for name in PLACES if name in spec}


def source_difference(old: Object, new: Object) -> str:
    """Write how the place of a volume differs, as the server shows it."""
    lines = list(unified_diff(_lines(old), _lines(new), n=3, lineterm=""))
    return "".join(f"{line}\n" for line in lines[2:])


def _lines(spec: Object) -> list[str]:
    return json.dumps(shown_source(spec), indent=1, ensure_ascii=False).split("\n")


def shown_source(spec: Object) -> Struct:
    """Give where a volume is, in the form that messages show."""
    value = Struct()
    for name, (go, struct) in SHOWN.items():
        value[go] = _shown(struct, spec[name]) if name in spec else None
    return value


def _shown(struct: str, source: Object) -> Any:
    if struct not in STRUCTS:
        return internal_value(struct, source)
    result = Struct()
    for word in STRUCTS[struct].split():
        names_, _, type_ = word.partition(":")
        go, _, name = names_.partition("=")
        value = source.get(name or go[:1].lower() + go[1:])
        if type_ == "ref":
            result[go] = None if value is None else _reference(value)
        else:
            result[go] = internal_value(type_, value)
    return result


def _reference(value: Object) -> Struct:
    return Struct(Name=value.get("name", ""), Namespace=value.get("namespace", ""))


# Go's fields of a volume's place, in their order, with the struct of each.
SHOWN = {
    "gcePersistentDisk": ("GCEPersistentDisk", "GCEPersistentDiskVolumeSource"),
    "awsElasticBlockStore": ("AWSElasticBlockStore", "AWSElasticBlockStoreVolumeSource"),
    "hostPath": ("HostPath", "HostPathVolumeSource"),
    "glusterfs": ("Glusterfs", "gluster"),
    "nfs": ("NFS", "NFSVolumeSource"),
    "rbd": ("RBD", "rbd"),
    "quobyte": ("Quobyte", "QuobyteVolumeSource"),
    "iscsi": ("ISCSI", "iscsi"),
    "flexVolume": ("FlexVolume", "flex"),
    "cinder": ("Cinder", "cinder"),
    "cephfs": ("CephFS", "ceph"),
    "fc": ("FC", "FCVolumeSource"),
    "flocker": ("Flocker", "FlockerVolumeSource"),
    "azureFile": ("AzureFile", "azure"),
    "vsphereVolume": ("VsphereVolume", "VsphereVirtualDiskVolumeSource"),
    "azureDisk": ("AzureDisk", "AzureDiskVolumeSource"),
    "photonPersistentDisk": ("PhotonPersistentDisk", "PhotonPersistentDiskVolumeSource"),
    "portworxVolume": ("PortworxVolume", "PortworxVolumeSource"),
    "scaleIO": ("ScaleIO", "scaleio"),
    "local": ("Local", "local"),
    "storageos": ("StorageOS", "storageos"),
    "csi": ("CSI", "csi"),
}
# Fields of structs that only persistent volumes have; `ref` is a secret with its namespace.
STRUCTS = {
    "gluster": "EndpointsName=endpoints:s Path:s ReadOnly:b EndpointsNamespace:*s",
    "rbd": "CephMonitors=monitors:[s RBDImage=image:s FSType=fsType:s RBDPool=pool:s "
    "RadosUser=user:s Keyring:s SecretRef:ref ReadOnly:b",
    "iscsi": "TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s "
    "ReadOnly:b Portals:[s DiscoveryCHAPAuth=chapAuthDiscovery:b "
    "SessionCHAPAuth=chapAuthSession:b SecretRef:ref InitiatorName:*s",
    "flex": "Driver:s FSType=fsType:s SecretRef:ref ReadOnly:b Options:{s",
    "cinder": "VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:ref",
    "ceph": "Monitors:[s Path:s User:s SecretFile:s SecretRef:ref ReadOnly:b",
    "azure": "SecretName:s ShareName:s ReadOnly:b SecretNamespace:*s",
    "scaleio": "Gateway:s System:s SecretRef:ref SSLEnabled=sslEnabled:b ProtectionDomain:s "
    "StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b",
    "local": "Path:s FSType=fsType:*s",
    "storageos": "VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:ref",
    "csi": "Driver:s VolumeHandle:s ReadOnly:b FSType=fsType:s VolumeAttributes:{s "
    "ControllerPublishSecretRef:ref NodeStageSecretRef:ref NodePublishSecretRef:ref "
    "ControllerExpandSecretRef:ref NodeExpandSecretRef:ref",
}
