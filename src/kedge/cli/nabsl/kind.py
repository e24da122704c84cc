"""NonAdminBackupStorageLocations as the commands read and send them: whole."""

from kedge.api.nonadmin.location import NON_ADMIN_LOCATION

OWN_LOCATIONS = NON_ADMIN_LOCATION.into(dict)
