"""Rules for volumes on disks and file servers, most of them of plugins that are gone."""

import re

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.mounts import descending
from kedge.apiserver.resource import Object
from kedge.kube import names

INITIATORS = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([0-9A-Za-z.-]+)(:[^,;*&$|\s]+)$", re.ASCII),
    "eui": re.compile(r"^eui.[0-9A-Za-z]{16}$", re.ASCII),
    "naa": re.compile(r"^naa.[0-9A-Za-z]{32}$", re.ASCII),
}
PARTITIONS = "must be between 1 and 255, inclusive"
PAIRS = "must be a host:port pair or multiple pairs separated by commas"
LONGEST_DRIVER = 63
LONGEST_TENANT = 64
CACHING = ("None", "ReadOnly", "ReadWrite")
DISK_KINDS = ("Dedicated", "Managed", "Shared")
MANAGED_URI = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
    "{disk-id}"
)
BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def need(errors: Errors, path: str, source: Object, *required: str) -> None:
    """Check that fields of a source are there."""
    for name in required:
        if not source.get(name):
            errors.required(f"{path}.{name}")


def _need_secret_name(errors: Errors, path: str, source: Object) -> None:
    if "secretRef" in source and not source["secretRef"].get("name"):
        errors.required(f"{path}.secretRef.name")


def check_git(errors: Errors, path: str, source: Object) -> None:
    """Check a clone of a git repository."""
    need(errors, path, source, "repository")
    descending(errors, f"{path}.directory", source.get("directory", ""))


def _check_partition(errors: Errors, path: str, source: Object) -> None:
    partition = source.get("partition", 0)
    if not 0 <= partition <= 255:
        errors.invalid(f"{path}.partition", partition, PARTITIONS)


def check_gce(errors: Errors, path: str, source: Object) -> None:
    """Check a persistent disk of Google."""
    need(errors, path, source, "pdName")
    _check_partition(errors, path, source)


def check_aws(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of Elastic Block Store."""
    need(errors, path, source, "volumeID")
    _check_partition(errors, path, source)


def check_iscsi(errors: Errors, path: str, source: Object) -> None:
    """Check a disk of iSCSI."""
    need(errors, path, source, "targetPortal", "iqn")
    if source.get("iqn"):
        _check_initiator(errors, f"{path}.iqn", source["iqn"])
    fields.in_range(errors, f"{path}.lun", source.get("lun", 0), 0, 255)
    chap = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if chap and "secretRef" not in source:
        errors.required(f"{path}.secretRef")
    if "initiatorName" in source:
        _check_initiator(errors, f"{path}.initiatorname", source["initiatorName"])


def _check_initiator(errors: Errors, path: str, name: str) -> None:
    pattern = INITIATORS.get(name[:3])
    if pattern is None:
        errors.invalid(path, name, "must be valid format starting with iqn, eui, or naa")
    elif not pattern.search(name):
        errors.invalid(path, name, "must be valid format")


def check_gluster(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of Glusterfs."""
    need(errors, path, source, "endpoints", "path")


def check_flocker(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of Flocker."""
    name, uid = source.get("datasetName", ""), source.get("datasetUUID", "")
    if not name and not uid:
        errors.required(path, "one of datasetName and datasetUUID is required")
    if name and uid:
        what = "datasetName and datasetUUID can not be specified simultaneously"
        errors.invalid(path, "resource", what)
    if "/" in name:
        errors.invalid(f"{path}.datasetName", name, "must not contain '/'")


def check_rbd(errors: Errors, path: str, source: Object) -> None:
    """Check a block device of Ceph."""
    need(errors, path, source, "monitors", "image")


def check_cinder(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of OpenStack."""
    need(errors, path, source, "volumeID")
    _need_secret_name(errors, path, source)


def check_ceph(errors: Errors, path: str, source: Object) -> None:
    """Check a file system of Ceph."""
    need(errors, path, source, "monitors")


def check_quobyte(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of Quobyte."""
    registry = source.get("registry", "")
    if not registry:
        errors.required(f"{path}.registry", PAIRS)
    elif len(source.get("tenant", "")) > LONGEST_TENANT:
        what = "must be a UUID and may not exceed a length of 64 characters"
        errors.required(f"{path}.tenant", what)
    else:
        for pair in registry.split(","):
            if not _is_pair(pair):
                errors.invalid(f"{path}.registry", registry, PAIRS)
    need(errors, path, source, "volume")


def _is_pair(text: str) -> bool:
    """Tell whether a text is a host and a port, the host in brackets where it has colons itself."""
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1].replace(":", "")
    return bool(colon) and not set(host + port) & set(":[]")


def check_fc(errors: Errors, path: str, source: Object) -> None:
    """Check a disk of Fibre Channel."""
    targets, ids = source.get("targetWWNs"), source.get("wwids")
    where = f"{path}.targetWWNs"
    if not targets and not ids:
        errors.required(where, "must specify either targetWWNs or wwids, but not both")
    if targets and ids:
        what = "targetWWNs and wwids can not be specified simultaneously"
        errors.invalid(where, targets, what)
    if targets and "lun" not in source:
        errors.required(f"{path}.lun", "lun is required if targetWWNs is specified")
    elif targets:
        fields.in_range(errors, f"{path}.lun", source["lun"], 0, 255)


def check_flex(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of a driver on the node."""
    need(errors, path, source, "driver")
    for key in source.get("options") or ():
        domain = f".{key.partition('/')[0].lower()}"
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            what = "kubernetes.io and k8s.io namespaces are reserved"
            errors.invalid(f"{path}.options[{key}]", key, what)


def check_azure_file(errors: Errors, path: str, source: Object) -> None:
    """Check a file share of Azure."""
    need(errors, path, source, "secretName", "shareName")


def check_azure_disk(errors: Errors, path: str, source: Object) -> None:
    """Check a disk of Azure."""
    need(errors, path, source, "diskName", "diskURI")
    fields.optional_enum(errors, f"{path}.cachingMode", source.get("cachingMode"), CACHING)
    kind, uri = source.get("kind"), source.get("diskURI", "")
    fields.optional_enum(errors, f"{path}.kind", kind, DISK_KINDS)
    if kind == "Managed":
        if not uri.startswith("/subscriptions/"):
            errors.unsupported(f"{path}.diskURI", uri, (MANAGED_URI,))
    elif kind is not None and not uri.startswith("https://"):
        errors.unsupported(f"{path}.diskURI", uri, (BLOB_URI,))


def check_vsphere(errors: Errors, path: str, source: Object) -> None:
    """Check a disk of vSphere."""
    need(errors, path, source, "volumePath")


def check_photon(errors: Errors, path: str, source: Object) -> None:
    """Check a disk of Photon."""
    need(errors, path, source, "pdID")


def check_portworx(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of Portworx."""
    need(errors, path, source, "volumeID")


def check_scaleio(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of ScaleIO."""
    need(errors, path, source, "gateway", "system", "volumeName")


def check_storageos(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of StorageOS."""
    fields.required_label(errors, f"{path}.volumeName", source.get("volumeName", ""))
    if namespace := source.get("volumeNamespace"):
        fields.dns_label(errors, f"{path}.volumeNamespace", namespace)
    _need_secret_name(errors, path, source)


def check_csi_driver(errors: Errors, path: str, driver: str) -> None:
    """Check the name of a CSI driver."""
    if not driver:
        errors.required(path)
    if len(driver.encode()) > LONGEST_DRIVER:
        errors.too_long(path, LONGEST_DRIVER)
    errors.each(path, driver, names.dns_subdomain(driver.lower()))
