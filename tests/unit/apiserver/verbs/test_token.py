import base64
import json

import pytest

from kedge.apiserver.verbs.token import Place, decode_token, encode_token
from kedge.kube.errors import BadRequest


def token(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_token_leads_back_to_its_place() -> None:
    place = Place("ns/name", 42)
    assert decode_token(encode_token(place)) == place


def test_a_start_that_is_no_end_of_a_page_is_itself_part_of_the_next() -> None:
    place = decode_token(token({"v": "meta.k8s.io/v1", "rv": 5, "start": "b"}))
    assert "a" < place.after < "b"
    assert place.after > "azzz"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "illegal base64 data at input byte 0"),
        ("abcde", "illegal base64 data at input byte 4"),
        ("a+b", "illegal base64 data at input byte 1"),
        (token({}), "server does not recognize this encoded version "),
        (token(None), "server does not recognize this encoded version "),
        (token([]), "json: cannot unmarshal array into Go value of type storage.continueToken"),
        (
            token({"v": 1}),
            "json: cannot unmarshal number into Go struct field continueToken.v of type string",
        ),
        (token({"v": "v2"}), "server does not recognize this encoded version v2"),
        (
            token({"v": "meta.k8s.io/v1"}),
            "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ),
        (
            token({"v": "meta.k8s.io/v1", "rv": 1}),
            "encoded start key empty (version meta.k8s.io/v1)",
        ),
        (token({"v": "meta.k8s.io/v1", "rv": 1, "start": "../a"}), "../a"),
    ],
)
def test_a_forged_token_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadRequest) as caught:
        decode_token(text)
    expected = f"invalid continue token: continue key is not valid: {why}"
    assert caught.value.message == expected
