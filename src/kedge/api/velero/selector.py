"""Label selectors as fields of objects."""

from typing import Annotated, Final

import msgspec

from kedge.api.part import Doc, Part
from kedge.kube.selectors import Selector, from_object

OPERATORS: Final = "In, NotIn, Exists or DoesNotExist"


class LabelRequirement(Part, frozen=True):
    """A condition on one label."""

    key: Annotated[str, Doc("The label that the condition is about.", required=True)] = ""
    operator: Annotated[
        str, Doc(f"How the label relates to the values: {OPERATORS}.", required=True)
    ] = ""
    values: Annotated[
        list[str] | None,
        Doc("What the label is compared with; none for Exists and DoesNotExist."),
    ] = None


class LabelSelector(Part, frozen=True):
    """Selects objects by their labels; all conditions must hold."""

    match_labels: Annotated[
        dict[str, str] | None, Doc("Labels that an object must have, with these values.")
    ] = None
    match_expressions: Annotated[
        list[LabelRequirement] | None, Doc("Further conditions on labels.")
    ] = None

    @property
    def selector(self) -> Selector:
        """What it selects; raises SelectorError where it makes no sense."""
        return from_object(msgspec.to_builtins(self))
