"""What a CRD says about a kind beside its schema: names, columns, categories."""

from dataclasses import dataclass
from typing import Any, Final

from kedge.api.part import Rule
from kedge.kube.kind import Kind

EVERYTHING: Final = "velero"
"""The category of all kinds of Velero's: `kubectl get velero`."""
MAIN: Final = "kedge"
"""The category of what a person looks at: `kubectl get kedge`."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `kubectl get`."""

    name: str
    path: str
    """Where the value is, as a JSONPath."""
    text: str
    """What it tells, for those who ask."""
    type: str = "string"
    """`date` shows an age, so a time that is yet to come has to be a `string`."""
    wide: bool = False
    """Only shown with `-o wide`."""


AGE: Final = Column(
    "Age", ".metadata.creationTimestamp", "How long ago the object was made.", "date"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A kind that we bring to a cluster."""

    kind: Kind[Any]
    text: str
    """What the kind is for."""
    columns: tuple[Column, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = (EVERYTHING,)
    rules: tuple[Rule, ...] = ()
    """What must hold of an object as a whole; of the metadata they see the name only."""
