"""PreScaledCronJobs and CronJobs as the commands read and send them: whole."""

from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.kube.kind import Kind, Object, plain

PRESCALED = PRE_SCALED_CRON_JOB.into(dict)
CRON_JOBS = plain("batch/v1", "CronJob", "cronjobs")
VERSIONS = ("batch/v1", "batch/v1beta1")
"""In which a CronJob may be written in a file."""
SHORT = {"pscj": PRESCALED, "prescaled": PRESCALED, "cj": CRON_JOBS}


def words(kind: Kind[Object]) -> set[str]:
    """Give all that may stand for a kind in front of a name, as kubectl has it."""
    singular = kind.name.lower()
    known = {singular, kind.plural, f"{singular}.{kind.group}", f"{kind.plural}.{kind.group}"}
    return known | {short for short, meant in SHORT.items() if meant is kind}
