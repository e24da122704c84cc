"""The API group of Velero's kinds."""

from typing import Final

GROUP: Final = "velero.io"
VERSION: Final = "v1"
