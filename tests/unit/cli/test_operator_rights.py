"""The rights of the controllers, by the names that `--disable-controllers` takes."""

from kedge.cli.operator.rights import BY_CONTROLLER, EVERYWHERE, watched
from kedge.cli.operator.settings import CONTROLLERS


def test_every_controller_has_its_rights() -> None:
    assert tuple(sorted(BY_CONTROLLER)) == CONTROLLERS


def test_what_is_watched_is_known_of_each() -> None:
    assert watched({"download-request"}) >= {("velero.io", "downloadrequests")}
    assert watched(set()) == set()


def test_controllers_of_all_namespaces_are_known_by_name() -> None:
    assert set(CONTROLLERS) >= EVERYWHERE
