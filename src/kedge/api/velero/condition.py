"""The shape of a condition; conditions themselves are dicts, see `kedge.kube.conditions`."""

from typing import Annotated

from kedge.api.part import Doc, Part


class ConditionShape(Part, frozen=True):
    """The fields of a condition."""

    type: Annotated[str, Doc("What the condition is about.", required=True)] = ""
    status: Annotated[
        str,
        Doc("Whether it holds.", required=True, values=("True", "False", "Unknown")),
    ] = ""
    observed_generation: Annotated[
        int, Doc("The generation of the object that the condition was found for.", format="int64")
    ] = 0
    last_transition_time: Annotated[
        str, Doc("When the status of the condition last changed.", True, format="date-time")
    ] = ""
    reason: Annotated[
        str, Doc("Why the status is what it is, in one word for programs.", required=True)
    ] = ""
    message: Annotated[
        str, Doc("Why the status is what it is, in words for people.", required=True)
    ] = ""
