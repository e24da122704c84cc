"""What an archive holds is found again, by whatever hand it was made."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kedge.archive.contents import ContentsBuilder
from kedge.archive.errors import ArchiveError
from kedge.archive.item import Item, Place
from tests.formats.checker import read_tarball
from tests.unit.archive.archives import (
    VERSION,
    everything,
    item,
    obj,
    opened,
    packed,
    plain,
    tarred,
    versioned,
    written,
)

FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]
PREFERRED = "v1-preferredversion"
NAMES = st.text("abcdefgh-.:é", min_size=1, max_size=120).filter(lambda name: name.strip("."))


def pair(resource: str, namespace: str, name: str) -> list[tuple[str, bytes]]:
    data = obj(name, namespace)
    return [
        (plain(resource, namespace, name), data),
        (versioned(resource, PREFERRED, namespace, name), data),
    ]


def test_items_are_grouped_by_resource_in_the_order_of_the_archive() -> None:
    items = [
        item("pods", "b", "2"),
        item("secrets", "a", "s"),
        item("pods", "a", "1"),
        item("namespaces", "", "a"),
    ]
    contents = opened(written(items))
    assert contents.version == "1.1.0"
    assert contents.resources == ["pods", "secrets", "namespaces"]
    assert list(contents.items("pods")) == [items[0], items[2]]
    assert list(contents.places("pods")) == [items[0].place, items[2].place]
    assert contents.count("pods") == 2
    assert contents.namespaces() == {"a", "b"}
    assert (contents.warnings, contents.refused) == ([], [])


def test_one_item_is_found_without_its_resource_being_read() -> None:
    items = [item("pods", f"n{number % 7}", f"p{number}", x="y" * 500) for number in range(3000)]
    contents = opened(written(items), step=50_000)
    for one in items[::101]:
        assert contents.get(one.place) == one.data
    assert contents.get(Place("pods", "n0", "p1")) is None
    assert contents.get(Place("services", "n0", "p0")) is None
    assert contents.count("pods") == 3000
    assert contents.count("services") == 0
    assert list(contents.items("services")) == []


def test_looking_up_while_going_through_disturbs_nothing() -> None:
    items = [item("pods", "n", f"p{number}", x="y" * 900) for number in range(1000)]
    contents = opened(written(items), step=50_000)
    for one, found in zip(reversed(items), contents.items("pods"), strict=True):
        assert contents.get(one.place) == one.data
        assert contents.get(found.place) == found.data


def test_the_scratch_file_is_not_larger_than_the_archive() -> None:
    items = [item("pods", "n", f"p{n}", x=f"{n * 7919:0700x}", y="z" * 900) for n in range(3000)]
    archive = written(items)
    scratch = io.BytesIO()
    builder = ContentsBuilder(scratch)
    builder.feed(archive)
    builder.finish()
    assert len(scratch.getvalue()) < len(archive)


@pytest.mark.parametrize("format_", FORMATS)
def test_archives_of_tarfile_are_read_in_each_of_its_formats(format_: int) -> None:
    long = "n" * 90
    names = ["a", long] if format_ == tarfile.USTAR_FORMAT else ["a", long, "x" * 253, "é" * 100]
    members = [
        VERSION,
        *(file for name in names for file in pair("things.example.com", "ns", name)),
    ]
    contents = opened(packed(members, format_))
    assert [place.name for place in contents.places("things.example.com")] == names


def test_an_archive_written_by_go_as_velero_writes_it_is_read() -> None:
    data = Path(__file__).with_name("written_by_go.tar.gz").read_bytes()
    contents = opened(data, step=100)
    assert read_tarball(data)[1] == []
    assert {resource: contents.count(resource) for resource in contents.resources} == {
        "namespaces": 1,
        "configmaps": 3,
        "deployments.apps": 1,
        "clusterroles.rbac.authorization.k8s.io": 1,
    }
    assert (contents.warnings, contents.refused) == ([], [])
    assert [place.name for place in contents.places("configmaps")] == ["short", "p" * 80, "x" * 253]
    role = Place("clusterroles.rbac.authorization.k8s.io", "", "system:grüße")
    assert contents.get(role) is not None


@pytest.mark.parametrize("step", [1, 7, 511, 512, 513, 100_000])
def test_it_does_not_matter_how_the_archive_is_cut(step: int) -> None:
    items = [item("pods", "n", "x" * 200), item("pods", "n", "b", data="y" * 3000)]
    assert list(opened(written(items), step=step).items("pods")) == items


def test_several_gzip_members_are_one_archive() -> None:
    raw = tarred([VERSION, *pair("pods", "n", "a")])
    parts = [gzip.compress(raw[start : start + 700]) for start in range(0, len(raw), 700)]
    assert opened(b"".join(parts)).count("pods") == 1


def test_zeros_may_fill_up_the_end() -> None:
    assert opened(written([item("pods", "n", "a")]) + bytes(1000)).count("pods") == 1


def test_folders_and_a_leading_dot_are_nothing_special() -> None:
    folder = tarfile.TarInfo("./resources/pods")
    folder.type = tarfile.DIRTYPE
    top = tarfile.TarInfo("./")
    top.type = tarfile.DIRTYPE
    files = [(f"./{path}", data) for path, data in [VERSION, *pair("pods", "n", "a")]]
    contents = opened(packed([top, folder, *files]))
    assert contents.count("pods") == 1
    assert contents.warnings == []


def test_a_global_pax_header_with_a_comment_is_passed_over() -> None:
    raw = io.BytesIO()
    with tarfile.open(
        fileobj=raw, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "hi"}
    ) as tar:
        for path, data in [VERSION, *pair("pods", "n", "a")]:
            info = tarfile.TarInfo(path)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    assert opened(gzip.compress(raw.getvalue())).count("pods") == 1


def test_files_that_are_no_items_are_ignored_with_a_warning() -> None:
    strange = [
        "README",
        "resources/pods.json",
        "resources/pods/cluster",
        "resources/pods/namespaces/n/a.yaml",
        "resources/pods/namespaces/n/deep/a.json",
        "resources/pods/namespaces/a.json",
        "resources/pods/namespaces/n/.json",
        "resources/pods/cluster/cluster/a.json",
        "metadata/other",
    ]
    members = [VERSION, *((path, b"{}") for path in strange), *pair("pods", "n", "a")]
    contents = opened(packed(members))
    assert contents.count("pods") == 1
    assert contents.warnings == [f"Ignoring unexpected file {path!r}" for path in strange]


def test_warnings_do_not_grow_without_bound() -> None:
    members = [VERSION, *((f"strange/{number}", b"") for number in range(1500))]
    contents = opened(packed(members), step=100_000)
    assert len(contents.warnings) == 1001
    assert contents.warnings[-1] == "and 500 more like these"


def test_an_archive_without_items_or_version_is_read() -> None:
    contents = opened(packed([]))
    assert (contents.version, contents.resources, contents.warnings) == ("", [], [])


@pytest.mark.parametrize("version", [b"1", b"1.1.0", b"1.2.0\n"])
def test_all_versions_of_the_known_format_are_read(version: bytes) -> None:
    assert opened(packed([("metadata/version", version)])).version == version.decode().strip()


@pytest.mark.parametrize("version", [b"", b"2.0.0", b"\xff", b"11.0"])
def test_a_format_that_is_not_known_is_refused(version: bytes) -> None:
    with pytest.raises(ArchiveError, match=r"metadata/version.*version of the format"):
        opened(packed([("metadata/version", version)]))


class TestSeveralFilesOfOneObject:
    """Only one counts: without a version, then the preferred one, then the best other."""

    def test_the_plain_file_wins_wherever_it_stands(self) -> None:
        good, old = obj("a", "n", x="good"), obj("a", "n", x="old")
        path, other = plain("pods", "n", "a"), versioned("pods", PREFERRED, "n", "a")
        between = (plain("pods", "n", "b"), obj("b", "n"))
        for members in (
            [(path, good), (other, old)],
            [(other, old), (path, good)],
            [(path, good), between, (other, old)],
            [(other, old), between, (path, good)],
        ):
            contents = opened(packed([VERSION, *members]))
            assert contents.get(Place("pods", "n", "a")) == good
            assert good in [one.data for one in contents.items("pods")]
            assert old not in [one.data for one in contents.items("pods")]
            assert contents.count("pods") == len(list(contents.places("pods")))

    def test_the_preferred_version_is_read_if_there_is_no_plain_file(self) -> None:
        beta = b'{"apiVersion":"x/v1beta1","kind":"T","metadata":{"name":"a"}}'
        stable = b'{"apiVersion":"x/v1","kind":"T","metadata":{"name":"a"}}'
        members = [
            (versioned("t.x", "v1beta1-preferredversion", "", "a"), beta),
            (versioned("t.x", "v1", "", "a"), stable),
        ]
        for order in (members, members[::-1]):
            contents = opened(packed([VERSION, *order]))
            assert list(contents.items("t.x")) == [Item(Place("t.x", "", "a"), "v1beta1", beta)]

    @pytest.mark.parametrize("apart", [False, True])
    def test_among_others_the_version_that_kubernetes_prefers_is_read(self, *, apart: bool) -> None:
        versions = ["v1alpha1", "v1", "v2beta1", "odd"]
        members = [VERSION]
        for version in versions:
            data = b'{"apiVersion":"x/%b","kind":"T","metadata":{"name":"a"}}' % version.encode()
            members.append((versioned("t.x", version, "", "a"), data))
            if apart:
                members.append((versioned("t.x", version, "", f"b{version}"), obj(f"b{version}")))
        contents = opened(packed(members))
        found = [one for one in contents.items("t.x") if one.place.name == "a"]
        assert [one.version for one in found] == ["v1"]
        assert contents.get(found[0].place) == found[0].data

    def test_a_repacked_archive_is_read_like_the_first_one(self) -> None:
        items = [item("pods", f"n{n % 3}", f"p{n}", x="y" * 400) for n in range(800)]
        with tarfile.open(fileobj=io.BytesIO(written(items))) as tar:
            members = sorted(
                (member.name, file.read())
                for member in tar
                if (file := tar.extractfile(member)) is not None
            )
        contents = opened(packed(members), step=100_000)
        assert everything(contents) == {one.place: one.data for one in items}
        assert contents.count("pods") == 800


class TestWrongItems:
    """An item that is not what its path says is refused by name; the rest is read."""

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "not the JSON"),
            (b"{", "not the JSON"),
            (b"[]", "not the JSON"),
            (b"null", "not the JSON"),
            (b'"text"', "not the JSON"),
            (b"{} {}", "not the JSON"),
            (b"{}", "not the JSON"),
            (b'{"apiVersion":"v1","kind":"T"}', "not the JSON"),
            (b'{"apiVersion":"v1","kind":"T","metadata":[]}', "not the JSON"),
            (b'{"apiVersion":"v1","kind":"T","metadata":{}}', "not the JSON"),
            (b'{"apiVersion":1,"kind":"T","metadata":{"name":"bad"}}', "not the JSON"),
            (b'{"apiVersion":"","kind":"T","metadata":{"name":"bad","namespace":"n"}}', "empty"),
            (obj("bad", "n")[:-1] + b',"x":NaN}', "not the JSON"),
            (obj("bad", "n")[:-1] + b',"x":"\xff"}', "not the JSON"),
            (obj("bad", "n")[:-1] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "deeply"),
            (obj("other", "n"), "another name"),
            (obj("bad", "m"), "another namespace"),
            (obj("bad"), "another namespace"),
            (b"\xef\xbb\xbf" + obj("bad", "n"), "not the JSON"),
        ],
    )
    def test_it_is_told_by_name(self, data: bytes, reason: str) -> None:
        path = plain("pods", "n", "bad")
        contents = opened(packed([VERSION, (path, data), *pair("pods", "n", "good")]))
        assert [place.name for place in contents.places("pods")] == ["good"]
        assert contents.get(Place("pods", "n", "bad")) is None
        (refused,) = contents.refused
        assert path in refused
        assert reason in refused
        assert len(refused) < 700

    def test_an_object_of_the_cluster_may_have_an_empty_namespace(self) -> None:
        data = b'{"apiVersion":"v1","kind":"T","metadata":{"name":"a","namespace":null}}'
        assert opened(packed([(plain("t", "", "a"), data)])).count("t") == 1


@settings(deadline=None)
@given(st.sets(st.tuples(st.sampled_from(["a", "b.c"]), NAMES, NAMES), max_size=12), st.data())
def test_what_tarfile_writes_is_what_we_read(
    places: set[tuple[str, str, str]], data: st.DataObject
) -> None:
    chosen = sorted(places)
    members = [file for place in chosen for file in pair(*place)]
    if data.draw(st.booleans()):
        members = data.draw(st.permutations(members))
    format_ = data.draw(st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]))
    contents = opened(packed(members, format_), step=data.draw(st.integers(1, 3000)))
    assert everything(contents) == {Place(*p): obj(p[2], p[1]) for p in chosen}
    for place in chosen:
        assert contents.get(Place(*place)) == obj(place[2], place[1])
