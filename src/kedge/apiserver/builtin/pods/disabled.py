"""Fields of features that are off by default in this version: the server takes and forgets them."""

from kedge.apiserver.builtin.pods.surroundings import CONTAINER_LISTS, all_containers
from kedge.apiserver.resource import Object

# Sources of projected volumes whose features are off.
PROJECTIONS = ("clusterTrustBundle", "podCertificate")


def drop_disabled(spec: Object) -> None:
    """Drop what belongs to a feature that is off, in place. No stored object has any of it."""
    spec.pop("hostnameOverride", None)
    for name in CONTAINER_LISTS:
        for container in spec.get(name) or ():
            _drop_restart_rules(container, keep_always=name == "initContainers")
            if "lifecycle" in container:
                _drop_stop_signal(container)
            for variable in container.get("env") or ():
                (variable.get("valueFrom") or {}).pop("fileKeyRef", None)
    volumes = spec.get("volumes")
    if volumes:
        _drop_from_volumes(spec, volumes)


def _drop_restart_rules(container: Object, keep_always: bool) -> None:
    container.pop("restartPolicyRules", None)
    if "restartPolicy" in container and not (
        keep_always and container["restartPolicy"] == "Always"
    ):
        del container["restartPolicy"]


def _drop_stop_signal(container: Object) -> None:
    lifecycle = container["lifecycle"]
    if lifecycle.pop("stopSignal", None) is not None and not lifecycle:
        del container["lifecycle"]


def _drop_from_volumes(spec: Object, volumes: list[Object]) -> None:
    for volume in volumes:
        for source in (volume.get("projected") or {}).get("sources") or ():
            for name in PROJECTIONS:
                source.pop(name, None)
    images = {volume.get("name") for volume in volumes if "image" in volume}
    if not images:
        return
    spec["volumes"] = [volume for volume in volumes if "image" not in volume]
    if not spec["volumes"]:
        del spec["volumes"]
    for container in all_containers(spec):
        mounts = container.get("volumeMounts") or []
        kept = [mount for mount in mounts if mount.get("name") not in images]
        if len(kept) < len(mounts):
            container["volumeMounts"] = kept
            if not kept:
                del container["volumeMounts"]
