"""Rules for the volumes of a pod: names, and that each has one source."""

from collections.abc import Callable

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.claims import check_template
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods import disks
from kedge.apiserver.builtin.pods.mounts import no_backsteps
from kedge.apiserver.builtin.pods.projected import check_downward, check_keys, check_projected
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.gotext import quote

ONE = "may not specify more than 1 volume type"
HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
LONGEST_PORTAL = 64
Check = Callable[[Errors, str, Object], None]


def check_volumes(
    errors: Errors, path: str, spec: Object, options: Options, pod_name: str
) -> dict[str, Object]:
    """Check the volumes of a spec, and give those without errors by name."""
    good: dict[str, Object] = {}
    volumes = spec.get("volumes") or ()
    made = {f"{pod_name}-{one.get('name', '')}" for one in volumes if "ephemeral" in one}
    for index, volume in enumerate(volumes):
        where, name = f"{path}[{index}]", volume.get("name", "")
        before = len(errors)
        _check_source(errors, where, volume, options, pod_name)
        fields.required_label(errors, f"{where}.name", name)
        if name in good:
            errors.duplicate(f"{where}.name", name)
        if len(errors) == before:
            good[name] = volume
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
        if pod_name and claim in made:
            what = "must not reference a PVC that gets created for an ephemeral volume"
            errors.invalid(f"{where}.persistentVolumeClaim.claimName", claim, what)
    return good


def _check_source(
    errors: Errors, path: str, volume: Object, options: Options, pod_name: str
) -> None:
    found = [name for name in SOURCES if name in volume]
    if not found:
        errors.required(path, "must specify a volume type")
        return
    first, *others = found
    source, where = volume[first], f"{path}.{first}"
    if first == "projected":
        check_projected(errors, where, source, options)
    elif first == "gcePersistentDisk":
        disks.check_gce(errors, f"{path}.persistentDisk", source)
    else:
        SOURCES[first](errors, where, source)
    if first == "ephemeral" and pod_name and volume.get("name"):
        _check_claim_name(errors, path, pod_name, volume["name"])
    for name in others:
        errors.forbidden(f"{path}.{WRITTEN.get(name, name)}", ONE)
    _check_portal(errors, path, volume)


def _check_claim_name(errors: Errors, path: str, pod_name: str, name: str) -> None:
    claim = f"{pod_name}-{name}"
    for problem in names.dns_subdomain(claim):
        errors.invalid(f"{path}.name", name, f"PVC name {quote(claim)}: {problem}")


def _check_portal(errors: Errors, path: str, volume: Object) -> None:
    source, name = volume.get("iscsi") or {}, volume.get("name", "")
    if "initiatorName" not in source:
        return
    if len(f"{name}:{source.get('targetPortal', '')}".encode()) > LONGEST_PORTAL:
        what = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified."
        )
        errors.invalid(f"{path}.name", name, what)


def _check_empty(errors: Errors, path: str, source: Object) -> None:
    limit = source.get("sizeLimit")
    if limit is not None and amounts.sign(limit) < 0:
        errors.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def _check_host_path(errors: Errors, path: str, source: Object) -> None:
    if not source.get("path"):
        errors.required(f"{path}.path")
        return
    no_backsteps(errors, f"{path}.path", source["path"])
    fields.optional_enum(errors, f"{path}.type", source.get("type"), HOST_PATH_TYPES)


def _check_secret(errors: Errors, path: str, source: Object) -> None:
    check_keys(errors, path, source, "secretName")


def _check_config_map(errors: Errors, path: str, source: Object) -> None:
    check_keys(errors, path, source, "name")


def _check_claim(errors: Errors, path: str, source: Object) -> None:
    disks.need(errors, path, source, "claimName")


def _check_nfs(errors: Errors, path: str, source: Object) -> None:
    disks.need(errors, path, source, "server", "path")
    file = source.get("path", "")
    if not file.startswith("/"):
        errors.invalid(f"{path}.path", file, "must be an absolute path")


def _check_csi(errors: Errors, path: str, source: Object) -> None:
    disks.check_csi_driver(errors, f"{path}.driver", source.get("driver", ""))
    secret = source.get("nodePublishSecretRef")
    if secret is None:
        return
    name = secret.get("name", "")
    if name:
        errors.each(f"{path}.name", name, names.dns_subdomain(name))
    else:
        errors.required(f"{path}.nodePublishSecretRef.name")


def _check_ephemeral(errors: Errors, path: str, source: Object) -> None:
    template = source.get("volumeClaimTemplate")
    if template is None:
        errors.required(f"{path}.volumeClaimTemplate")
    else:
        check_template(errors, f"{path}.volumeClaimTemplate", template)


def _check_image(errors: Errors, path: str, source: Object) -> None:
    """Accept: volumes of images are dropped before they are checked."""


def _check_projected(errors: Errors, path: str, source: Object) -> None:
    check_projected(errors, path, source, Options())


# In the order in which the rules look for them: the first is checked, the others are too many.
SOURCES: dict[str, Check] = {
    "emptyDir": _check_empty,
    "hostPath": _check_host_path,
    "gitRepo": disks.check_git,
    "gcePersistentDisk": disks.check_gce,
    "awsElasticBlockStore": disks.check_aws,
    "secret": _check_secret,
    "nfs": _check_nfs,
    "iscsi": disks.check_iscsi,
    "glusterfs": disks.check_gluster,
    "flocker": disks.check_flocker,
    "persistentVolumeClaim": _check_claim,
    "rbd": disks.check_rbd,
    "cinder": disks.check_cinder,
    "cephfs": disks.check_ceph,
    "quobyte": disks.check_quobyte,
    "downwardAPI": check_downward,
    "fc": disks.check_fc,
    "flexVolume": disks.check_flex,
    "configMap": _check_config_map,
    "azureFile": disks.check_azure_file,
    "vsphereVolume": disks.check_vsphere,
    "photonPersistentDisk": disks.check_photon,
    "portworxVolume": disks.check_portworx,
    "azureDisk": disks.check_azure_disk,
    "storageos": disks.check_storageos,
    "projected": _check_projected,
    "scaleIO": disks.check_scaleio,
    "csi": _check_csi,
    "ephemeral": _check_ephemeral,
    "image": _check_image,
}
# Two of them the rules misspell when they are too many.
WRITTEN = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
