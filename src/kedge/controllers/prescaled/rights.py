"""What the controllers of PreScaledCronJobs do with the API; keep it in step with them."""

from typing import Final

from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.controllers.prescaled.heads import CRON_JOB, JOB
from kedge.controllers.prescaled.measuring import EVENTS, PODS
from kedge.kube.right import right

RIGHTS: Final = (
    right(PRE_SCALED_CRON_JOB, "list", "watch"),
    right(PRE_SCALED_CRON_JOB, "patch", subresource="status"),
    right(CRON_JOB, "list", "watch", "create", "patch", "delete"),
    # A start that was slept through is made up for, and takes the place of what still runs.
    right(JOB, "create", "delete"),
    right(PODS, "list", "watch"),
    # Where the status of a pod does not tell when something was.
    right(EVENTS, "list"),
)
"""What is called. Where owner references are checked against rights, `update` of the subresource
`finalizers` of prescaledcronjobs and cronjobs is needed as well."""
