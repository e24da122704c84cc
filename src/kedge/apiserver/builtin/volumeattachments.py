"""Volume attachments."""

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import LARGEST_INT32, Errors
from kedge.apiserver.builtin.internal import internal_value
from kedge.apiserver.builtin.persistentvolumes import check_volume, default_source
from kedge.apiserver.builtin.plain import Halved, keep_metadata
from kedge.apiserver.builtin.pods.disks import check_csi_driver
from kedge.apiserver.builtin.volume_sources import shown_source
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import FieldError, Shown
from kedge.kube.gotext import Struct, to_json

LARGEST = 256 * 1024
LONGEST_MESSAGE = 1024
ONE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
INLINE, NAMED = "inlineVolumeSpec", "persistentVolumeName"
ERRORS = ("attachError", "detachError")


class VolumeAttachmentStrategy(Halved):
    """Hooks of storage.k8s.io/v1 VolumeAttachment."""

    namespaced = False

    def new_status(self) -> Object:
        """Make the status of a new object."""
        return {"attached": False}

    def default(self, obj: Object) -> None:
        """Fill in what an inline volume leaves out."""
        spec = ((obj.get("spec") or {}).get("source") or {}).get(INLINE)
        if spec:
            if spec.get("capacity"):
                amounts.round_all(spec["capacity"])
            default_source(spec)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that is not written; with the status nothing else is."""
        super().prepare_update(new, old, context)
        if context.subresource != "status":
            return
        keep_metadata(new, old)
        for name in ERRORS:
            error = (new.get("status") or {}).get(name)
            before = (old.get("status") or {}).get(name) or {}
            if error and "errorCode" not in before:
                error.pop("errorCode", None)  # of a feature that is off

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Own no field of the other half, and of metadata through the main endpoint only."""
        return (("metadata",), ("spec",)) if subresource == "status" else (("status",),)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new attachment, more strictly than an old one."""
        errors = Errors(super().validate(obj, context))
        spec = obj["spec"]
        check_csi_driver(errors, "spec.attacher", spec.get("attacher", ""))
        name = (spec.get("source") or {}).get(NAMED)
        if name is not None:
            errors.each(f"spec.source.{NAMED}", name, names.dns_subdomain(name))
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check the attachment twice, as the real server does, and that its spec is the same."""
        errors = Errors()
        for _ in range(2):
            self.check_metadata(errors, new)
            self.check(errors, new, old)
        if not same(new["spec"], old["spec"]):
            errors.invalid("spec", _shown(new["spec"]), fields.IMMUTABLE)
        return errors

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check what is attached to where, and how that went."""
        spec, status = obj["spec"], obj.get("status") or {}
        if not spec.get("attacher"):
            errors.required("spec.attacher")
        _check_source(errors, "spec.source", spec.get("source") or {})
        node = spec.get("nodeName", "")
        errors.each("spec.nodeName", node, names.dns_subdomain(node))
        told = status.get("attachmentMetadata") or {}
        if sum(names.size(key) + names.size(value) for key, value in told.items()) > LARGEST:
            errors.too_long("status.attachmentMetadata", LARGEST)
        for name in ERRORS:
            _check_error(errors, f"status.{name}", status.get(name) or {})


def _check_source(errors: Errors, path: str, source: Object) -> None:
    inline, name = source.get(INLINE), source.get(NAMED)
    if inline is None and name is None:
        errors.required(path, ONE)
    elif inline is not None and name is not None:
        errors.forbidden(path, ONE)
    elif inline is not None:
        check_volume(errors, f"{path}.{INLINE}", inline, "", False, inline=True)
    elif not name:
        errors.required(f"{path}.{NAMED}", f"must specify non empty {NAMED}")


def _check_error(errors: Errors, path: str, error: Object) -> None:
    if names.size(error.get("message", "")) > LONGEST_MESSAGE:
        errors.too_long(f"{path}.message", LARGEST)
    code = error.get("errorCode", 0)
    if code < 0:
        errors.invalid(f"{path}.errorCode", code, names.in_range(0, LARGEST_INT32))


def _shown(spec: Object) -> Shown:
    """Write a spec as messages show it."""
    source = spec.get("source") or {}
    inline = source.get(INLINE)
    shown = Struct(
        Attacher=spec.get("attacher", ""),
        Source=Struct(
            PersistentVolumeName=source.get(NAMED),
            InlineVolumeSpec=None if inline is None else _shown_volume(inline),
        ),
        NodeName=spec.get("nodeName", ""),
    )
    return Shown(to_json(shown))


def _shown_volume(spec: Object) -> Struct:
    affinity = spec.get("nodeAffinity")
    required = internal_value("*NodeSelector", (affinity or {}).get("required"))
    shown = Struct(Capacity=spec.get("capacity"))
    shown.update(shown_source(spec))
    shown.update(
        AccessModes=spec.get("accessModes"),
        ClaimRef=None,
        PersistentVolumeReclaimPolicy=spec.get("persistentVolumeReclaimPolicy", ""),
        StorageClassName=spec.get("storageClassName", ""),
        MountOptions=spec.get("mountOptions"),
        VolumeMode=spec.get("volumeMode"),
        NodeAffinity=None if affinity is None else Struct(Required=required),
        VolumeAttributesClassName=spec.get("volumeAttributesClassName"),
    )
    return shown
