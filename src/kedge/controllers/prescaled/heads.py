"""Of CronJobs, what a PreScaledCronJob looks at: there may be very many. Pure."""

from datetime import datetime
from typing import Final

import msgspec

from kedge.kube.kind import Kind, plain
from kedge.kube.meta import OwnerReference
from kedge.kube.times import TimeError, parse_time

CRON_JOB: Final = plain("batch/v1", "CronJob", "cronjobs")
JOB: Final = plain("batch/v1", "Job", "jobs")
HASH: Final = "pscObjectHash"
"""On a CronJob of ours: what it was made as, so that another wish is noticed."""
SERVED: Final = "kedge.dev/served-until"
"""On a rolling one: up to here, runs have been started for, or are past."""
RUNS: Final = "kedge.dev/runs"
"""On a rolling one: the schedule whose runs are meant by that."""
STARTED: Final = "kedge.dev/started"
"""On a rolling one: the last start that was ours, for the CronJob controller had not seen to it."""


class Marks(msgspec.Struct, frozen=True):
    """Of the annotations, those that are ours."""

    hash: str = msgspec.field(default="", name=HASH)
    served: str = msgspec.field(default="", name=SERVED)
    runs: str = msgspec.field(default="", name=RUNS)
    started: str = msgspec.field(default="", name=STARTED)


class ChildMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, whose it is and which version."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str = ""
    deletion_timestamp: str | None = None
    annotations: Marks | None = None
    owner_references: list[OwnerReference] | None = None


class ChildSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, when it starts anything, and whether it does."""

    schedule: str = ""
    time_zone: str | None = None
    suspend: bool | None = None


class Active(msgspec.Struct, frozen=True):
    """A Job that goes on."""

    name: str = ""


class ChildStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, what the CronJob controller did."""

    last_schedule_time: str | None = None
    active: list[Active] | None = None


class Child(msgspec.Struct, frozen=True):
    """A CronJob, as far as it matters here."""

    metadata: ChildMeta = ChildMeta()
    spec: ChildSpec = ChildSpec()
    status: ChildStatus = ChildStatus()

    @property
    def name(self) -> str:
        """Its name."""
        return self.metadata.name

    @property
    def marks(self) -> Marks:
        """Its annotations of ours."""
        return self.metadata.annotations or Marks()

    @property
    def created(self) -> datetime | None:
        """When it was made."""
        return instant_of(self.metadata.creation_timestamp)

    @property
    def last_start(self) -> datetime | None:
        """The last instant for which the CronJob controller made a Job."""
        return instant_of(self.status.last_schedule_time)

    @property
    def starts(self) -> list[datetime]:
        """The last instant for which it was started, by either of us."""
        return [at for at in (self.last_start, instant_of(self.marks.started)) if at is not None]

    @property
    def active(self) -> list[str]:
        """The names of its Jobs that go on."""
        return [each.name for each in self.status.active or ()]

    def is_of(self, uid: str) -> bool:
        """Tell whether it belongs to the object of this uid."""
        return any(each.uid == uid for each in self.metadata.owner_references or ())


class Written(msgspec.Struct, rename="camel", frozen=True):
    """Of the answer to a write, which version came of it."""

    class Meta(msgspec.Struct, rename="camel", frozen=True):
        """Of the metadata, the version."""

        resource_version: str = ""

    metadata: Meta = Meta()


CHILDREN: Final[Kind[Child]] = CRON_JOB.into(Child)


def instant_of(text: str | None) -> datetime | None:
    """Read a time; one that can not be read is as good as none."""
    try:
        return parse_time(text) if text else None
    except TimeError:
        return None
