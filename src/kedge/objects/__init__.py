"""Object storage: put, get, list and delete, in a bucket of a cloud or in a folder."""
