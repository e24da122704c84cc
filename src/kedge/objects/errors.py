"""What goes wrong between us and a place for objects.

ObjectsError           also raised as it is: the store gave an answer that nobody expects
├── ObjectNotFound     there is no such object
├── BucketNotFound     there is no such bucket; nothing is known of what should be in it
├── PlaceError         the place can not be made sense of: a provider, a setting, credentials
├── Refused            the store knows us not, or lets us not do this
├── Unreachable        no answer, or none in time: whether the request was done is not known
└── StorageFull        there is no room left

No text of these holds a secret, so all of them may be shown to a user.
"""


class ObjectsError(Exception):
    """A failure of a place for objects."""


class ObjectNotFound(ObjectsError):
    """There is no object with this key."""


class BucketNotFound(ObjectsError):
    """There is no such bucket, or no such folder."""


class PlaceError(ObjectsError):
    """The place is described in a way that nothing can be made of."""


class Refused(ObjectsError):
    """The credentials are wrong, or do not allow this."""


class Unreachable(ObjectsError):
    """The store does not answer."""


class StorageFull(ObjectsError):
    """The store has no room left."""
