"""What is kept in the bucket of others is theirs, whatever it says."""

import pytest

from kedge.kube.meta import ObjectMeta
from kedge.selfservice.buckets import Buckets, is_for
from kedge.selfservice.marks import COMMON, NABSL, annotations_for, labels_for

MINE = ObjectMeta(
    name="shop-mine",
    labels=labels_for(NABSL, "shop-mine"),
    annotations=annotations_for(NABSL, "shop", "mine"),
)


@pytest.mark.parametrize(
    ("location", "namespace", "wanted"),
    [
        pytest.param(MINE, "shop", True, id="own"),
        pytest.param(MINE, "rival", False, id="another's"),
        pytest.param(ObjectMeta(name="default"), "shop", True, id="the administrator's"),
        pytest.param(
            ObjectMeta(name="default", labels=COMMON), "shop", True, id="made by an operator"
        ),
        pytest.param(
            ObjectMeta(name="x", labels=labels_for(NABSL, "x")), "shop", False, id="half a mark"
        ),
        pytest.param(
            ObjectMeta(name="x", annotations=annotations_for(NABSL, "shop", "mine")),
            "shop",
            False,
            id="the other half",
        ),
        pytest.param(
            ObjectMeta(name="copy", labels=MINE.labels, annotations=MINE.annotations),
            "shop",
            False,
            id="the mark of another location",
        ),
    ],
)
def test_a_location_is_for_its_namespace_or_for_all(
    location: ObjectMeta, namespace: str, wanted: bool
) -> None:
    assert is_for(namespace, location) is wanted


@pytest.mark.parametrize("is_proven", [True, False])
def test_a_location_that_is_gone_proves_nothing(is_proven: bool) -> None:
    buckets = Buckets({"shop-mine": MINE}.get)
    assert buckets.holds("gone", "shop", is_proven=is_proven) is is_proven
    assert buckets.holds("", "shop", is_proven=False)
    assert buckets.holds("shop-mine", "shop", is_proven=False)
    assert not buckets.holds("shop-mine", "rival", is_proven=True)
