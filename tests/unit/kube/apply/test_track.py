"""managedFields over creations, updates and patches."""

from typing import Any

import pytest

from kedge.kube.apply import Manager, Version, settled, track
from kedge.kube.schema import Schema
from tests.unit.kube.apply.shapes import (
    LATER,
    NOW,
    SETTINGS,
    VERSION,
    WIDGET,
    Object,
    created,
    free_map,
    list_of,
    manager,
    number,
    owned,
    struct,
    text,
    thing,
    updated,
    with_entries,
)


def test_a_creation_gives_all_fields_to_its_manager() -> None:
    obj = thing({"size": 1, "labels": {"a": "x"}, "args": ["y"], "ports": [{"port": 80}]})
    assert track(None, None, obj, WIDGET, manager("maker"), NOW) == [
        {
            "manager": "maker",
            "operation": "Update",
            "apiVersion": VERSION,
            "time": NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:spec": {
                    ".": {},
                    "f:args": {},
                    "f:labels": {".": {}, "f:a": {}},
                    "f:ports": {
                        ".": {},
                        'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}},
                    },
                    "f:size": {},
                }
            },
        }
    ]


def test_what_the_server_keeps_in_metadata_is_never_owned() -> None:
    metadata = {"name": "w", "namespace": "n", "uid": "1", "generation": 1, "labels": {"a": "b"}}
    obj = thing(metadata=metadata)
    (entry,) = track(None, None, obj, WIDGET, manager("maker"), NOW)
    assert entry["fieldsV1"] == {"f:metadata": {"f:labels": {".": {}, "f:a": {}}}}
    assert track(None, None, thing(), WIDGET, manager("maker"), NOW) == []


def test_a_built_in_kind_does_not_give_away_what_its_struct_always_has() -> None:
    obj = thing({"limits": {"low": 1}, "items": ["x"], "count": 0}, status={})
    (entry,) = track(None, None, obj, SETTINGS, manager("maker"), NOW)
    assert entry["fieldsV1"] == {
        "f:spec": {"f:items": {'v:"x"': {}}, "f:limits": {"f:low": {}}},
    }


def test_a_struct_without_its_constant_fields_is_the_same_as_with_them() -> None:
    full = thing({"limits": {}, "items": None, "count": 0, "mode": "x"}, status={})
    live = created(full, schema=SETTINGS)
    entries = track(None, live, thing({"mode": "y"}), SETTINGS, manager("m"), LATER)
    assert entries == [{**entry_of(manager("m"), {"f:spec": {"f:mode": {}}}), "time": LATER}]


def test_a_new_struct_comes_with_its_constant_fields() -> None:
    deep = struct("Deep", low=number(omit_empty=False), high=number())
    deep.pointer = True
    schema = struct("Kind", deep=deep)
    (entry,) = track(None, None, {"deep": {"high": 1}}, schema, manager("m"), NOW)
    assert entry["fieldsV1"] == {"f:deep": {".": {}, "f:high": {}, "f:low": {}}}


def entry_of(who: Manager, fields: Object) -> Object:
    return {
        "manager": who.name,
        "operation": "Update",
        "apiVersion": who.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def test_a_constant_field_that_lost_its_value_is_changed_and_not_removed() -> None:
    live = with_entries(
        thing({"limits": {"low": 1}, "count": 3}),
        [{**entry_of(manager("a"), {"f:spec": {"f:count": {}, "f:limits": {"f:low": {}}}})}],
    )
    entries = track(None, live, thing({}), SETTINGS, manager("b"), NOW)
    assert [entry["fieldsV1"] for entry in entries] == [{"f:spec": {"f:count": {}}}]


def test_a_change_takes_the_field_from_its_owner_and_dates_the_new_one() -> None:
    live = created(thing({"size": 1, "color": "a"}))
    after = updated(live, thing({"size": 2, "color": "a"}), "other")
    assert owned(after, "maker") == {"f:spec": {".": {}, "f:color": {}}}
    assert owned(after, "other") == {"f:spec": {"f:size": {}}}
    assert [entry["time"] for entry in after["metadata"]["managedFields"]] == [NOW, LATER]


def test_a_removed_field_leaves_all_entries_and_dates_none() -> None:
    live = created(thing({"size": 1, "color": "a"}))
    after = updated(live, thing({"color": "a"}), "other")
    assert owned(after, "other") is None
    assert owned(after, "maker") == {"f:spec": {".": {}, "f:color": {}}}
    assert after["metadata"]["managedFields"][0]["time"] == NOW


def test_an_entry_that_owns_nothing_any_more_is_dropped() -> None:
    live = updated(created(thing({"size": 1})), thing({"size": 2}), "other")
    after = updated(live, thing({"size": 3}), "third")
    managers = [entry["manager"] for entry in after["metadata"]["managedFields"]]
    assert managers == ["maker", "third"]


@pytest.mark.parametrize(
    ("schema", "field"), [(WIDGET, "color"), (SETTINGS, "mode")], ids=["custom", "built-in"]
)
def test_a_write_that_changes_nothing_leaves_the_entries_as_they_are(
    schema: Schema, field: str
) -> None:
    live = created(thing({field: "x"}), schema=schema)
    again = thing({field: "x"})
    again["metadata"]["resourceVersion"] = "7"
    entries = track(None, live, again, schema, manager("other"), LATER)
    assert entries == live["metadata"]["managedFields"]


def test_list_items_are_owned_by_key_and_a_reordered_list_is_not_a_change() -> None:
    one, two = {"name": "a", "size": 1}, {"name": "b", "size": 1}
    live = created(thing({"parts": [one, two]}))
    after = updated(live, thing({"parts": [two, {**one, "size": 2}]}), "other")
    assert owned(after, "other") == {"f:spec": {"f:parts": {'k:{"name":"a"}': {"f:size": {}}}}}


def test_items_that_share_a_key_are_owned_together() -> None:
    twin = {"name": "a", "size": 1}
    live = created(thing({"parts": [twin, {**twin, "size": 2}]}))
    assert owned(live, "maker") == {"f:spec": {".": {}, "f:parts": {".": {}, 'k:{"name":"a"}': {}}}}
    more = [{"name": "b"}, twin, {**twin, "size": 2}]
    grown = updated(live, thing({"parts": more}), "other")
    assert owned(grown, "other") == {
        "f:spec": {"f:parts": {'k:{"name":"b"}': {".": {}, "f:name": {}}}}
    }
    still = updated(live, thing({"parts": [twin, {**twin, "size": 3}]}), "other")
    assert owned(still, "other") == {"f:spec": {"f:parts": {'k:{"name":"a"}': {}}}}
    single = updated(still, thing({"parts": [twin]}), "third")
    assert owned(single, "third") == {
        "f:spec": {"f:parts": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:size": {}}}}
    }
    twins = updated(single, thing({"parts": [twin, twin]}), "fourth")
    assert owned(twins, "fourth") == {"f:spec": {"f:parts": {'k:{"name":"a"}': {}}}}
    assert owned(twins, "third") is None


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        pytest.param(1, True, {}, id="a number is not a boolean"),
        pytest.param([1], [True], {}, id="nor in a list"),
        pytest.param({"x": 1}, 2, {}, id="map to scalar"),
        pytest.param(2, {"x": 1}, {".": {}, "f:x": {}}, id="scalar to map"),
        pytest.param(None, {"x": 1}, {"f:x": {}}, id="null to map"),
        pytest.param(None, {}, {}, id="null to empty map"),
        pytest.param({"x": 1}, ["y"], {}, id="map to list"),
    ],
)
def test_where_there_is_no_schema_the_values_tell(before: Any, after: Any, changed: Any) -> None:
    live = created(thing({"anything": {"a": before}}))
    new = updated(live, thing({"anything": {"a": after}}), "other")
    assert owned(new, "other") == {"f:spec": {"f:anything": {"f:a": changed}}}


def test_a_map_that_becomes_null_loses_its_fields_only() -> None:
    live = created(thing({"anything": {"a": {"x": 1}}}))
    after = updated(live, thing({"anything": {"a": None}}), "other")
    assert owned(after, "other") is None
    assert owned(after, "maker") == {"f:spec": {".": {}, "f:anything": {".": {}, "f:a": {}}}}


def test_one_and_one_point_zero_are_the_same() -> None:
    live = created(thing({"anything": {"a": 1, "b": [1]}}))
    after = updated(live, thing({"anything": {"a": 1.0, "b": [1.0]}}), "other")
    assert owned(after, "other") is None


def test_an_endpoint_gives_nobody_what_it_sets_back() -> None:
    obj = thing({"size": 1}, status={"phase": "x"})
    main = manager("m", reset={"f:status": {}})
    (entry,) = track(None, None, obj, WIDGET, main, NOW)
    assert entry["fieldsV1"] == {"f:spec": {".": {}, "f:size": {}}}
    live = with_entries(thing({"size": 1}), [entry])
    status = manager("m", subresource="status", reset={"f:spec": {}})
    _, second = track(None, live, obj, WIDGET, status, LATER)
    assert second["fieldsV1"] == {"f:status": {".": {}, "f:phase": {}}}
    assert second["subresource"] == "status"


def test_an_endpoint_may_let_only_some_fields_through() -> None:
    live = created(thing({"parts": [{"name": "a", "size": 1}], "size": 1}))
    new = thing({"parts": [{"name": "a", "size": 2}], "size": 2})
    resize = manager("m", keep={"f:spec": {"f:parts": {"*": {"f:size": {}}}}})
    _, entry = track(None, live, new, WIDGET, resize, LATER)
    assert entry["fieldsV1"] == {"f:spec": {"f:parts": {'k:{"name":"a"}': {"f:size": {}}}}}


class TestWhatAUserSends:
    """Entries in the new object."""

    LIVE = created(thing({"size": 1}))
    ENTRIES = LIVE["metadata"]["managedFields"]

    def sent(self, entries: Any, **more: Any) -> list[Any]:
        new = thing({"size": 1})
        new["metadata"]["managedFields"] = entries
        return track(None, self.LIVE, new, WIDGET, manager("m", **more), LATER)

    @pytest.mark.parametrize("reset", [[], [{}], [{"manager": ""}]])
    def test_empty_entries_forget_all_until_the_next_apply(self, reset: Any) -> None:
        assert self.sent(reset) == []
        assert track([], thing(), thing({"size": 2}), WIDGET, manager("m"), LATER) == []

    @pytest.mark.parametrize(
        "bad",
        [
            pytest.param(None, id="null"),
            pytest.param(["x"], id="not an entry"),
            pytest.param([{"manager": "x"}], id="no operation"),
            pytest.param([{"operation": "Update"}], id="no version"),
            pytest.param([{"operation": "Update", "apiVersion": "v1"}], id="no type"),
            pytest.param(
                [
                    {
                        "operation": "Update",
                        "apiVersion": "v1",
                        "fieldsType": "FieldsV1",
                        "fieldsV1": {"bad": {}},
                    }
                ],
                id="no field set",
            ),
        ],
    )
    def test_bad_entries_are_ignored(self, bad: Any) -> None:
        assert self.sent(bad) == self.ENTRIES

    def test_good_entries_are_taken(self) -> None:
        forged = entry_of(manager("forged"), {"f:spec": {"f:size": {".": {}}}})
        assert self.sent([forged]) == [{**forged, "fieldsV1": {"f:spec": {"f:size": {}}}}]

    def test_entries_without_fields_are_dropped(self) -> None:
        empty = entry_of(manager("empty"), {})
        good = entry_of(manager("good"), {"f:spec": {}})
        assert self.sent([empty, good]) == [good]

    def test_a_subresource_ignores_them(self) -> None:
        assert self.sent([{}], subresource="status") == self.ENTRIES

    def test_the_last_of_two_entries_of_one_owner_counts(self) -> None:
        first = entry_of(manager("a"), {"f:spec": {}})
        second = entry_of(manager("a"), {"f:status": {}})
        live = with_entries(thing({"size": 1}), [first, second])
        assert track(None, live, thing({"size": 1}), WIDGET, manager("m"), NOW) == [second]


def test_an_object_that_does_not_fit_its_schema_has_no_entries() -> None:
    assert track(None, None, thing({"size": "x"}), WIDGET, manager("m"), NOW) == []
    keyless = Schema(type="array", items=struct("I", k=text()), list_type="map", list_keys=("k",))
    built_in = struct("Kind", items=keyless)
    assert track(None, None, {"items": [{}]}, built_in, manager("m"), NOW) == []


def test_more_than_ten_updaters_are_joined_by_age() -> None:
    live = created(thing({"labels": {}}), "m00")
    for count in range(1, 12):
        labels = {f"l{index}": "x" for index in range(count)}
        time = f"2026-01-02T03:05:{count:02}Z"
        live = updated(live, thing({"labels": labels}), f"m{count:02}", time)
    entries = live["metadata"]["managedFields"]
    assert [entry["manager"] for entry in entries] == [
        "ancient-changes",
        *(f"m{count:02}" for count in range(3, 12)),
    ]
    assert entries[0] == {
        "manager": "ancient-changes",
        "operation": "Update",
        "apiVersion": VERSION,
        "time": "2026-01-02T03:05:02Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
            "f:spec": {".": {}, "f:labels": {".": {}, "f:l0": {}, "f:l1": {}}},
        },
    }


class TestVersions:
    """Entries of other versions of the kind."""

    OLD = struct(spec=struct(count=number()))
    NEW = struct(spec=struct(size=number()))

    @staticmethod
    def to_old(obj: Object) -> Object:
        spec = obj["spec"]
        return {**obj, "apiVersion": "e/v1", "spec": {"count": spec.get("size")}}

    @staticmethod
    def to_new(obj: Object) -> Object:
        spec = obj["spec"]
        return {**obj, "apiVersion": "e/v2", "spec": {"size": spec.get("count")}}

    def manager(self) -> Manager:
        versions = {"e/v1": Version(self.OLD, self.to_old), "e/v2": Version(self.NEW, self.to_new)}
        return Manager("m", "e/v2", versions=versions)

    def test_an_entry_is_compared_in_its_own_version(self) -> None:
        entry = entry_of(Manager("a", "e/v1"), {"f:spec": {".": {}, "f:count": {}}})
        live = with_entries(thing({"size": 1}), [entry])
        first, second = track(None, live, thing({"size": 2}), self.NEW, self.manager(), NOW)
        assert first["fieldsV1"] == {"f:spec": {}}
        assert second["fieldsV1"] == {"f:spec": {"f:size": {}}}

    def test_versions_that_nobody_tells_of_are_taken_to_be_alike(self) -> None:
        entry = entry_of(Manager("a", "e/v1"), {"f:spec": {".": {}, "f:size": {}}})
        live = with_entries(thing({"size": 1}), [entry])
        first, second = track(None, live, thing({"size": 2}), self.NEW, Manager("m", "e/v2"), NOW)
        assert first["fieldsV1"] == {"f:spec": {}}
        assert second["apiVersion"] == "e/v2"

    def test_an_entry_of_an_unknown_version_ends_tracking_of_a_custom_resource(self) -> None:
        entry = entry_of(Manager("a", "e/v9"), {"f:spec": {}})
        live = with_entries(thing({"size": 1}), [entry])
        assert track(None, live, thing({"size": 2}), self.NEW, self.manager(), NOW) == []

    def test_an_entry_of_an_unknown_version_of_a_built_in_kind_is_dropped(self) -> None:
        entry = entry_of(Manager("a", "e/v9"), {"f:spec": {}})
        live = with_entries(thing({"mode": "x"}), [entry])
        who = Manager("m", VERSION, versions={})
        entries = track(None, live, thing({"mode": "y"}), SETTINGS, who, NOW)
        assert [entry["manager"] for entry in entries] == ["m"]

    def test_an_entry_is_fitted_to_a_schema_that_became_atomic(self) -> None:
        live = created(thing({"labels": {"a": "x"}, "parts": [{"name": "a"}]}))
        schema = struct(
            spec=struct(
                labels=free_map(map_type="atomic"),
                parts=list_of(struct(name=text())),
                size=number(),
            )
        )
        new = thing({"labels": {"a": "x"}, "parts": [{"name": "a"}], "size": 1})
        entries = track(None, live, new, schema, manager("m"), LATER)
        assert entries[0]["fieldsV1"] == {"f:spec": {".": {}, "f:labels": {}, "f:parts": {}}}


class TestSettled:
    """A write of which nothing but times is left."""

    def test_old_entries_stay_where_only_times_differ(self) -> None:
        old = created(thing({"size": 1}))
        entries = [{**entry, "time": LATER} for entry in old["metadata"]["managedFields"]]
        new = with_entries(thing({"size": 1}), entries)
        assert settled(old, new) is old["metadata"]["managedFields"]

    def test_new_times_count_where_the_object_changed(self) -> None:
        old = created(thing({"size": 1}))
        entries = [{**entry, "time": LATER} for entry in old["metadata"]["managedFields"]]
        new = with_entries(thing({"size": 2}), entries)
        assert settled(old, new) is entries

    def test_new_entries_count_where_owners_changed(self) -> None:
        old = created(thing({"size": 1}))
        (entry,) = old["metadata"]["managedFields"]
        new = with_entries(thing({"size": 1}), [{**entry, "manager": "x", "time": LATER}])
        assert settled(old, new) == [{**entry, "manager": "x", "time": LATER}]
        assert settled(old, thing({"size": 1})) == []
