"""Marks: whole, or none at all."""

import pytest

from kedge.selfservice import marks
from kedge.selfservice.marks import Mark, Origin, annotations_for, labels_for, origin_of

LABELS = labels_for(marks.NAB, "u")
NOTES = annotations_for(marks.NAB, "shop", "nightly", "uid-1")


@pytest.mark.parametrize("mark", [marks.NAB, marks.NAR, marks.NABSL, marks.NADR])
def test_what_is_written_is_read(mark: Mark) -> None:
    labels, notes = labels_for(mark, "u"), annotations_for(mark, "shop", "nightly", "uid-1")
    assert origin_of(mark, labels, notes) == Origin("shop", "nightly", "u", "uid-1")
    assert labels["openshift.io/oadp"] == "True"
    assert labels["app.kubernetes.io/managed-by"] == "oadp-nac-controller"
    assert labels[f"openshift.io/oadp-{mark.kind}-origin-nacuuid"] == "u"
    assert notes[f"openshift.io/oadp-{mark.kind}-origin-namespace"] == "shop"
    assert notes[f"openshift.io/oadp-{mark.kind}-origin-name"] == "nightly"


def test_a_mark_of_the_original_has_no_uid() -> None:
    assert origin_of(marks.NAB, LABELS, annotations_for(marks.NAB, "a", "b")) == Origin(
        "a", "b", "u"
    )


@pytest.mark.parametrize("missing", LABELS)
@pytest.mark.parametrize("value", [None, "", "other"])
def test_a_label_that_is_not_right_spoils_it(missing: str, value: str | None) -> None:
    labels = {**LABELS, missing: value or ""}
    if value is None:
        del labels[missing]
    if missing == marks.NAB.nacuuid and value == "other":
        return
    assert origin_of(marks.NAB, labels, NOTES) is None


@pytest.mark.parametrize("missing", [marks.NAB.name, marks.NAB.namespace])
@pytest.mark.parametrize("value", ["", "x" * 254])
def test_an_annotation_that_is_not_right_spoils_it(missing: str, value: str) -> None:
    assert origin_of(marks.NAB, LABELS, {**NOTES, missing: value}) is None


def test_the_longest_name_is_taken() -> None:
    notes = {**NOTES, marks.NAB.name: "x" * 253}
    assert origin_of(marks.NAB, LABELS, notes) is not None


@pytest.mark.parametrize("labels", [None, {}])
def test_nothing_has_no_origin(labels: dict[str, str] | None) -> None:
    assert origin_of(marks.NAB, labels, None) is None


def test_the_mark_of_one_kind_is_none_of_another() -> None:
    assert origin_of(marks.NAR, LABELS, NOTES) is None


@pytest.mark.parametrize(
    ("claim", "is_it"),
    [
        (("shop", "nightly", "u", "uid-1"), True),
        (("shop", "nightly", "u", ""), True),
        (("shop", "nightly", "u", "uid-2"), False),
        (("other", "nightly", "u", "uid-1"), False),
        (("shop", "weekly", "u", "uid-1"), False),
        (("shop", "nightly", "v", "uid-1"), False),
    ],
)
def test_an_origin_is_the_same_in_all_its_parts(claim: tuple[str, ...], is_it: bool) -> None:
    assert Origin("shop", "nightly", "u", "uid-1").is_of(*claim) is is_it
    if claim[3] != "uid-2":
        assert Origin("shop", "nightly", "u").is_of(*claim) is is_it


def test_the_label_of_a_synced_one() -> None:
    assert marks.synced_from({marks.SYNCED_FROM: "u"}) == "u"
    assert marks.synced_from({}) == marks.synced_from(None) == ""
