"""The files beside the archive."""

import gzip as standard
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.archive.errors import FileError
from kedge.archive.files import (
    Results,
    gunzip,
    gz_json,
    gzip,
    metadata_json,
    read_gz_json,
    read_metadata,
    read_resource_list,
    read_results,
    resource_list_file,
    results_file,
)
from kedge.archive.limits import Limits
from tests.formats.checker import check_results

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_json_comes_back(value: object) -> None:
    data = gz_json(value)
    assert json.loads(standard.decompress(data)) == value
    assert read_gz_json(data, "x") == value


def test_maps_in_any_order_give_the_same_bytes() -> None:
    assert gz_json({"a": 1, "b": {"c": 1, "d": 2}}) == gz_json({"b": {"d": 2, "c": 1}, "a": 1})


def test_empty_parts_of_results_are_left_out() -> None:
    data = results_file(Results(velero=["a"], namespaces={"n": ["b"], "m": []}), Results())
    assert json.loads(standard.decompress(data)) == {
        "errors": {"velero": ["a"], "namespaces": {"n": ["b"]}},
        "warnings": {},
    }
    assert list(check_results(data)) == []


def test_results_come_back() -> None:
    errors, warnings = Results(["v"], ["c"], {"n": ["x", "y"]}), Results(cluster=["w"])
    assert read_results(results_file(errors, warnings), "x") == (errors, warnings)
    assert (errors.count, warnings.count) == (4, 1)


@pytest.mark.parametrize(
    "text", ["{}", '{"errors":null}', '{"errors":{"velero":null,"namespaces":{"n":null}}}']
)
def test_results_of_others_may_leave_out_anything(text: str) -> None:
    errors, warnings = read_results(standard.compress(text.encode()), "x")
    assert (errors.count, warnings.count) == (0, 0)


def test_resource_lists_are_sorted_and_come_back() -> None:
    data = resource_list_file({"v1/Pod": ["n/b", "n/a"], "apps/v1/Deployment": ["n/x"]})
    assert read_resource_list(data, "x") == {
        "apps/v1/Deployment": ["n/x"],
        "v1/Pod": ["n/a", "n/b"],
    }
    assert read_resource_list(standard.compress(b"null"), "x") == {}
    assert read_resource_list(standard.compress(b'{"v1/Pod":null}'), "x") == {"v1/Pod": []}


def test_metadata_is_indented_with_its_kind_first() -> None:
    backup = {"metadata": {"name": "b"}, "apiVersion": "velero.io/v1", "kind": "Backup", "spec": {}}
    data = metadata_json(backup)
    assert data.startswith(b'{\n  "kind": "Backup",\n  "apiVersion": "velero.io/v1",\n  "metadata"')
    assert read_metadata(data, "x") == backup


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"metadata":{}}', b'{"metadata":{"name":1}}']
)
def test_metadata_that_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(FileError, match=r"velero-backup\.json cannot be read"):
        read_metadata(data, "velero-backup.json")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        gzip(b"{")[:-1],
        gzip(b"{"),
        gzip(b"[1]"),
        gzip(b'{"errors":1}'),
        gzip(b"{}") + b"x",
    ],
)
def test_results_that_are_none_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(FileError, match="the results cannot be read"):
        read_results(data, "the results")


def test_deeply_nested_json_is_refused() -> None:
    with pytest.raises(FileError):
        read_gz_json(gzip(b"[" * 100_000), "x")


def test_a_file_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(FileError, match="more than 1000 bytes"):
        gunzip(gzip(bytes(1001)), "x", Limits(file_bytes=1000))
    assert gunzip(gzip(bytes(1000)), "x", Limits(file_bytes=1000)) == bytes(1000)
