"""The rights of the controllers, by the names that `--disable-controllers` takes."""

from kedge.cli.operator.rights import BY_CONTROLLER, watched
from kedge.cli.operator.settings import CONTROLLERS


def test_every_controller_has_its_rights() -> None:
    assert tuple(sorted(BY_CONTROLLER)) == CONTROLLERS


def test_kinds_of_controllers_that_do_not_run_are_not_needed() -> None:
    assert ("velero.io", "downloadrequests") in watched()
    assert ("velero.io", "downloadrequests") not in watched({"download-request"})
    assert watched(CONTROLLERS) == set()
