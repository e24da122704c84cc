"""Names of what is counted or measured, and amounts of it: in quotas, limit ranges and nodes."""

from collections.abc import Mapping

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.resources import (
    COUNTED,
    HUGE_PAGES,
    STANDARD,
    is_extended,
    is_native,
)
from kedge.kube import names
from kedge.kube.fielderror import typed

QUOTA = (STANDARD - {"storage"}) | {"requests.storage"}
FRACTION = "must be an integer"


def is_quota_resource(name: str) -> bool:
    """Tell whether a quota knows a resource by itself."""
    return name in QUOTA or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}"))


def can_overcommit(name: str) -> bool:
    """Tell whether more of a resource may be promised than there is."""
    return is_native(name) and not name.startswith(HUGE_PAGES)


def check_resource(errors: Errors, path: str, name: str) -> None:
    """Check the name of any resource."""
    problems = names.qualified_name(name)
    if problems:
        errors.each(path, typed(name), problems)
    elif "/" not in name and not (name == "storage" or is_quota_resource(name)):
        what = "must be a standard resource type or fully qualified"
        errors.invalid(path, typed(name), what)


def check_quota_resource(errors: Errors, path: str, name: str) -> None:
    """Check the name of a resource that a quota limits."""
    check_resource(errors, path, name)
    if "/" not in name and not is_quota_resource(name):
        errors.invalid(path, typed(name), "must be a standard resource for quota")


def check_amount(errors: Errors, path: str, name: str, amount: str) -> None:
    """Check that an amount is not negative, and whole where parts make no sense."""
    if amounts.sign(amount) < 0:
        errors.invalid(path, amount, fields.NEGATIVE)
    if (name in COUNTED or is_extended(name)) and amounts.is_fraction(amount):
        errors.invalid(path, amount, FRACTION)


def check_quota_amounts(errors: Errors, path: str, values: Mapping[str, str]) -> None:
    """Check names and amounts of what a quota limits or has counted."""
    for name, amount in values.items():
        check_quota_resource(errors, f"{path}[{name}]", name)
        check_amount(errors, f"{path}[{name}]", name, amount)
