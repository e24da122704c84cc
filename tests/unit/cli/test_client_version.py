import pytest

from kedge import __version__
from kedge.cli.version import mismatch
from tests.unit.cli.conftest import Run


def test_only_the_client_is_told_without_a_server(kedge: Run) -> None:
    result = kedge("version", "--client-only", KUBECONFIG="/nonexistent")
    expected = f"Client:\n\tVersion: v{__version__}\n\tGit commit: unknown\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, expected, "")


OURS = [{"name": "velero.io/aws", "kind": "ObjectStore"}, {"name": "kedge.dev/filesystem"}]


@pytest.mark.parametrize(
    ("mine", "server", "who"),
    [("0.1.0", "v0.2.0", "client"), ("0.10.0", "0.9.1", "server"), ("1.0.0", "v0.9.0", "server")],
)
def test_who_is_older_is_told(mine: str, server: str, who: str) -> None:
    assert mismatch(mine, {"serverVersion": server, "plugins": OURS}) == (
        f"# WARNING: the client version does not match the server version. Please update {who}\n"
    )


@pytest.mark.parametrize(
    ("mine", "server"),
    [("0.1.0.dev0", "v0.1.5"), ("0.1.0", "0.1.0"), ("0.1.0", "main"), ("0.1.0", "")],
)
def test_nothing_is_told_where_they_fit_or_can_not_be_compared(mine: str, server: str) -> None:
    assert mismatch(mine, {"serverVersion": server, "plugins": OURS}) == ""


@pytest.mark.parametrize("plugins", [None, [], OURS[:1]])
def test_the_numbers_of_a_velero_are_others(plugins: object) -> None:
    assert mismatch("0.1.0", {"serverVersion": "v1.18.0", "plugins": plugins}) == ""
