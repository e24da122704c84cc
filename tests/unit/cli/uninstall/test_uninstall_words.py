"""What a person is told before anything is lost, and after."""

import io
import sys
from typing import Any

import pytest

from kedge.api.crd import DEFINITIONS
from kedge.cli.errors import Failure, Misuse
from kedge.cli.install.kinds import DEPLOYMENT
from kedge.cli.uninstall.command import _agree
from kedge.cli.uninstall.survey import NOT_OURS, OF_HELM, Data, Survey, is_finalizer_of_ours
from kedge.cli.uninstall.words import farewell, kept, loss

KINDS = {one.kind.name: one.kind for one in DEFINITIONS}


def data(kind: str, count: int, held: int = 0, left: str = "") -> Data:
    return Data(KINDS[kind], {"metadata": {"name": str(KINDS[kind])}}, count, held, left)


def found(*kinds: Data, **fields: Any) -> Survey:
    server = [(DEPLOYMENT, {"metadata": {"name": "kedge"}})]
    return Survey("harbour", server, list(kinds), home={"metadata": {}}, **fields)


def test_all_that_is_lost_is_counted() -> None:
    kinds = (data("Backup", 12), data("Schedule", 0), data("PreScaledCronJob", 1))
    assert loss(found(*kinds), crds=True, namespace=True) == (
        "You are about to uninstall Kedge, and to delete for good:\n"
        "  3 kinds of ours, and 13 objects of them in all namespaces\n"
        "    12 backups.velero.io\n"
        "    1 prescaledcronjobs.psc.cronprimer.local, with the CronJobs that they have made\n"
        "  the namespace harbour, and all that is in it\n"
        "What is in the object storage stays as it is.\n"
    )


def test_what_is_not_ours_is_not_lost_and_said_to_stay() -> None:
    survey = found(data("Backup", 12, left=NOT_OURS), home_left=NOT_OURS)
    assert loss(survey, crds=True, namespace=True) == ""
    assert kept(survey, crds=True, namespace=True) == [
        ("CustomResourceDefinition/backups.velero.io", NOT_OURS),
        ("Namespace/harbour", NOT_OURS),
    ]
    assert kept(survey, crds=False, namespace=False) == []


def test_without_flags_nothing_is_lost() -> None:
    assert loss(found(data("Backup", 12)), crds=False, namespace=False) == ""


def test_those_who_wait_for_a_server_are_told_of() -> None:
    text = farewell(found(data("NonAdminBackup", 3, held=1)), crds=False)
    assert (
        "1 object has a finalizer: it can not be deleted before Kedge is installed again, nor can "
        "its namespace."
    ) in text
    assert "finalizer" not in farewell(found(data("NonAdminBackup", 3)), crds=False)
    assert "finalizer" not in farewell(found(data("NonAdminBackup", 3, held=1)), crds=True)


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [
        ("nonadminbackup.oadp.openshift.io/finalizer", True),
        ("nonadminrestore.oadp.openshift.io/finalizer", True),
        ("restores.velero.io/external-resources-finalizer", True),
        ("velero.io/anything", True),
        ("foregroundDeletion", False),
        ("notvelero.io/finalizer", False),
        ("argocd.argoproj.io/velero.io", False),
        ("", False),
    ],
)
def test_only_finalizers_of_our_own_are_taken_away(name: str, is_ours: bool) -> None:
    assert is_finalizer_of_ours(name) is is_ours


class Terminal(io.StringIO):
    """Somebody who answers."""

    def isatty(self) -> bool:
        return True


ALL = {"delete_crds": False, "everything": True, "force": False}
SURVEY = found(data("Backup", 1))


def test_whoever_says_yes_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("what?\ny\n"))
    _agree(SURVEY, ALL)


def test_whoever_says_no_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    with pytest.raises(Failure, match="nothing was deleted"):
        _agree(SURVEY, ALL)


@pytest.mark.parametrize("stdin", [None, io.StringIO("y\n")])
def test_a_script_must_say_force(stdin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(Misuse, match="use --force to go on"):
        _agree(SURVEY, ALL)
    _agree(SURVEY, {**ALL, "force": True})
    _agree(SURVEY, {**ALL, "everything": False})


def test_force_does_not_help_against_other_installations() -> None:
    for flags in (ALL, {**ALL, "force": True}, {**ALL, "everything": False, "delete_crds": True}):
        with pytest.raises(Failure, match="Kedge runs in a, b as well"):
            _agree(found(others=["a", "b"]), flags)


def test_a_server_of_helm_is_left_with_all_that_it_needs() -> None:
    survey = found(left=[("Deployment/kedge", OF_HELM)])
    for flags in (ALL, {**ALL, "force": True}, {**ALL, "everything": False}):
        with pytest.raises(Failure, match="Deployment/kedge: it is Helm's: `helm uninstall`"):
            _agree(survey, flags)
