"""The rights of the controllers, by the names that `--disable-controllers` takes."""

from kedge.cli.operator.rights import BY_CONTROLLER, watched
from kedge.cli.operator.settings import CONTROLLERS


def test_every_controller_has_its_rights() -> None:
    assert tuple(sorted(BY_CONTROLLER)) == CONTROLLERS


def test_what_is_watched_is_known_of_each() -> None:
    assert watched({"download-request"}) >= {("velero.io", "downloadrequests")}
    assert watched(set()) == set()


def test_only_what_works_on_kinds_of_our_own_may_stay_away() -> None:
    spare = {name for name, reach in BY_CONTROLLER.items() if reach.is_spare}
    assert spare == {name for name in CONTROLLERS if name.startswith("nonadmin")} | {"prescaled"}
