"""The API group of the kinds of self-service."""

from typing import Final

GROUP: Final = "oadp.openshift.io"
VERSION: Final = "v1alpha1"
