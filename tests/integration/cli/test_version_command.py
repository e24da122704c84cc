"""`kedge version` on the embedded API, with a stand-in for the server."""

from pathlib import Path

from kedge import __version__
from kedge.api.velero.server_status import SERVER_STATUS_REQUEST
from tests.integration.cli.hand import Hand
from tests.integration.cli.session import Session, session
from tests.integration.cli.test_schedule import said

CLIENT = f"Client:\n\tVersion: v{__version__}\n\tGit commit: unknown\n"


def test_both_are_told(shop: Session, hand: Hand) -> None:
    hand.version = __version__
    told = f"{CLIENT}Server:\n\tVersion: {__version__}\n"
    assert said(shop.kedge("version")) == (0, told, "")
    (request,) = shop.all(SERVER_STATUS_REQUEST)
    assert request["metadata"]["generateName"] == "velero-cli-"


def test_versions_that_do_not_fit_are_pointed_out(shop: Session, hand: Hand) -> None:
    hand.version = "99.1.0"
    assert said(shop.kedge("version")) == (
        0,
        f"{CLIENT}Server:\n\tVersion: 99.1.0\n# WARNING: the client version does not match the "
        "server version. Please update client\n",
        "",
    )


def test_a_server_that_does_not_answer_is_no_failure(shop: Session, hand: Hand) -> None:
    hand.is_silent = True
    told = f"{CLIENT}<error getting server version: no server answered within 2 s>\n"
    assert said(shop.kedge("version", "--timeout", "2s")) == (0, told, "")


def test_no_cluster_is_no_failure(shop: Session, tmp_path: Path) -> None:
    result = shop.kedge("version", "--kubeconfig", str(tmp_path / "none"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{CLIENT}<error getting server version: ")


def test_a_cluster_without_our_kinds_is_no_failure() -> None:
    with session(kinds=[]) as bare:
        result = bare.kedge("version")
        assert (result.exit_code, result.stderr) == (0, "")
        assert "the server does not have serverstatusrequests.velero.io" in result.stdout
