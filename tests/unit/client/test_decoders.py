import msgspec
import pytest

from kedge.client.decoders import Event, ListOf, event_decoder, list_decoder, object_decoder
from kedge.kube.meta import Partial


@pytest.mark.parametrize("model", [dict, msgspec.Raw, Partial])
def test_a_decoder_is_made_once(model: type) -> None:
    assert object_decoder(model) is object_decoder(model)
    assert list_decoder(model) is list_decoder(model)
    assert event_decoder(model) is event_decoder(model)


def test_the_decoders_of_a_type_differ() -> None:
    assert object_decoder(dict).decode(b"{}") == {}
    assert list_decoder(dict).decode(b'{"items":[{}]}') == ListOf([{}])
    assert event_decoder(dict).decode(b'{"type":"ADDED","object":{}}') == Event("ADDED", {})
