"""Flags that `velero install` has and `kedge install` has not, and why."""

from collections.abc import Mapping
from typing import Final

VOLUMES: Final = "volume data is not saved by this version"
AGENT: Final = "there is no node agent: volume data is not saved by this version"
JOBS: Final = "there are no maintenance jobs: volume data is not saved by this version"

REFUSED: Final[Mapping[str, str]] = {
    "--plugins": "there are no plugins: providers are built in",
    "--features": "there are no features to switch on",
    "--use-volume-snapshots": VOLUMES,
    "--snapshot-location-config": VOLUMES,
    "--default-volumes-to-fs-backup": VOLUMES,
    "--default-snapshot-move-data": VOLUMES,
    "--uploader-type": VOLUMES,
    "--pod-volume-operation-timeout": VOLUMES,
    "--default-repo-maintain-frequency": VOLUMES,
    "--backup-repository-configmap": VOLUMES,
    "--use-node-agent": AGENT,
    "--use-node-agent-windows": AGENT,
    "--privileged-node-agent": AGENT,
    "--node-agent-disable-host-path": AGENT,
    "--node-agent-configmap": AGENT,
    "--node-agent-priority-class-name": AGENT,
    "--node-agent-pod-cpu-request": AGENT,
    "--node-agent-pod-mem-request": AGENT,
    "--node-agent-pod-cpu-limit": AGENT,
    "--node-agent-pod-mem-limit": AGENT,
    "--kubelet-root-dir": AGENT,
    "--repo-maintenance-job-configmap": JOBS,
    "--keep-latest-maintenance-jobs": JOBS,
    "--maintenance-job-cpu-request": JOBS,
    "--maintenance-job-mem-request": JOBS,
    "--maintenance-job-cpu-limit": JOBS,
    "--maintenance-job-mem-limit": JOBS,
    "--disable-informer-cache": "controllers work from caches, which keep only what they need",
    "--item-block-worker-count": "items are saved as they are listed, not in blocks",
}
"""Flags of `velero install` that have no meaning here, and why."""
