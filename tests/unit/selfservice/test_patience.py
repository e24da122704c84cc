"""How long others wait for what people asked for."""

from datetime import timedelta

import pytest

from kedge.kube.kind import Object
from kedge.selfservice.marks import NAB, NAR, annotations_for, labels_for
from kedge.selfservice.patience import overtime

HOUR = timedelta(hours=1)
PLAIN: Object = {"metadata": {"name": "b"}}
THEIRS: Object = {
    "metadata": {
        "name": "b",
        "labels": labels_for(NAB, "b"),
        "annotations": annotations_for(NAB, "shop", "nightly"),
    }
}


@pytest.mark.parametrize(
    ("obj", "seconds", "is_over"),
    [(THEIRS, 3600.0, False), (THEIRS, 3600.1, True), (PLAIN, 1e9, False)],
)
def test_only_what_is_theirs_comes_to_an_end(obj: Object, seconds: float, is_over: bool) -> None:
    assert bool(overtime(obj, NAB, seconds, HOUR)) is is_over
    assert overtime(obj, NAR, seconds, HOUR) == ""


def test_the_words_say_how_long_it_may_take() -> None:
    assert overtime(THEIRS, NAB, 1e9, HOUR) == (
        "it takes longer than 1h0m0s, which is the most for what is asked for by self-service"
    )
