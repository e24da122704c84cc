"""States of two runs are the same if nothing differs that a controller decides on."""

from typing import Any

from kedge.testing.state import masked

ONE = "11111111-2222-3333-4444-555555555555"
TWO = "99999999-2222-3333-4444-555555555555"


def thing(name: str, uid: str, version: int, **more: Any) -> dict[str, Any]:
    metadata = {
        "name": name,
        "namespace": "default",
        "uid": uid,
        "resourceVersion": str(version),
        "creationTimestamp": f"2030-01-01T00:00:0{version}Z",
        "managedFields": [{"manager": f"m{version}"}],
    }
    return {"kind": "Thing", "metadata": metadata, **more}


def test_what_differs_from_run_to_run_is_masked() -> None:
    text = "at {0}, of {1}"
    first = thing("a", ONE, 1, note=text.format("2030-01-01T00:00:00.123456Z", ONE))
    second = thing("a", TWO, 2, note=text.format("2031-12-31T23:59:59+02:00", TWO))
    assert masked([first]) == masked([second])
    assert masked([first]) == [
        {
            "kind": "Thing",
            "metadata": {
                "name": "a",
                "namespace": "default",
                "uid": "<uid of Thing default/a>",
                "resourceVersion": "<version>",
                "creationTimestamp": "<time>",
            },
            "note": "at <time>, of <uid of Thing default/a>",
        }
    ]


def test_the_order_does_not_matter() -> None:
    pair = [thing("a", ONE, 1), thing("b", TWO, 2)]
    assert masked(pair) == masked(reversed(pair))


def test_what_differs_otherwise_stays() -> None:
    plain = masked([thing("a", ONE, 1, n=1)])
    for other in (thing("b", ONE, 1, n=1), thing("a", ONE, 1, n=2), thing("a", ONE, 1)):
        assert masked([other]) != plain
    assert masked([]) != plain
    assert masked([thing("a", ONE, 1, n=1)] * 2) != plain


def test_an_owner_must_be_the_right_one() -> None:
    def family(owner: str) -> list[dict[str, Any]]:
        child = thing("c", "33333333-2222-3333-4444-555555555555", 3, owner=owner)
        return [thing("a", ONE, 1), thing("b", TWO, 2), child]

    assert masked(family(ONE)) != masked(family(TWO))
    unknown = "44444444-2222-3333-4444-555555555555"
    assert masked(family(unknown))[-1]["owner"] == "<uid>"


def test_generated_names_are_masked_and_counted() -> None:
    def made(*suffixes: str) -> list[dict[str, Any]]:
        found = []
        for suffix in suffixes:
            one = thing(f"x-{suffix}", ONE, 1)
            one["metadata"]["generateName"] = "x-"
            found.append(one)
        return masked(found)

    assert made("abc") == made("def")
    assert made("abc")[0]["metadata"]["name"] == "x-<generated>"
    assert made("abc") != made("abc", "def")
