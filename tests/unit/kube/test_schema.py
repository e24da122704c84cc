from kedge.kube.schema import UNSET, Schema


def test_fields_are_loaded_once_and_on_first_use() -> None:
    calls = []

    def load() -> dict[str, Schema]:
        calls.append(1)
        return {"a": Schema("string")}

    schema = Schema("object", load=load)
    assert calls == []
    assert schema.fields["a"] is schema.fields["a"]
    assert calls == [1]
    assert Schema("object").fields == {}


def test_an_object_with_free_keys_is_a_map() -> None:
    assert Schema("object", additional=Schema()).is_map
    assert not Schema("object").is_map
    assert repr(UNSET) == "UNSET"
