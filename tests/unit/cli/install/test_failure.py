"""What goes wrong names the object and what helps."""

import pytest

from kedge.cli.install.failure import failure, label_of
from kedge.client import BadAnswer, ClientError, Unreachable
from kedge.kube.errors import ApiError, Forbidden, InternalError, Invalid, NotFound, Unauthorized

TERMINATING = {"causes": [{"reason": "NamespaceTerminating"}]}


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        pytest.param(Forbidden("no"), "; install as a cluster admin", id="forbidden"),
        pytest.param(
            Forbidden("no", TERMINATING), "; wait until the namespace is gone", id="terminating"
        ),
        pytest.param(Unauthorized("who"), "; log in to the cluster again", id="unknown user"),
        pytest.param(
            Invalid("spec.selector: field is immutable"),
            "; it was made by something else",
            id="set",
        ),
        pytest.param(Invalid("spec.replicas: less than 0"), "", id="invalid"),
        pytest.param(NotFound("no such path"), "; the cluster does not serve this kind", id="kind"),
        pytest.param(Unreachable("refused"), "; see that --kubeconfig and", id="nobody there"),
        pytest.param(BadAnswer("no JSON"), "", id="not Kubernetes"),
        pytest.param(InternalError("broken"), "", id="the server's fault"),
    ],
)
def test_an_error_names_the_object_and_the_fix(error: ApiError | ClientError, fix: str) -> None:
    text = str(failure("Role/kedge", error))
    start = f"Role/kedge: {error}"
    assert text.startswith(start + fix)
    assert bool(fix) == (text != start)


def test_the_words_of_a_server_are_cut() -> None:
    assert len(str(failure("Role/kedge", InternalError("x" * 5000)))) < 300


def test_a_label_is_kind_and_name() -> None:
    assert label_of({"kind": "Role", "metadata": {"name": "kedge"}}) == "Role/kedge"
