"""What is wrong with a BackupStorageLocation, or with what is kept there.

ObjectsError                of `kedge.objects`
├── LocationError           the location: its spec, its Secrets, what lies in its bucket
└── ContentError            a file in the bucket is not what it should be
"""

from kedge.objects.errors import ObjectsError


class LocationError(ObjectsError):
    """A BackupStorageLocation can not be used as it is."""


class ContentError(ObjectsError):
    """A file of a backup can not be read as what it should be."""
