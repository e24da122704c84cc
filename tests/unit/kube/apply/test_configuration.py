"""Server-side apply."""

from typing import Any

import pytest

from kedge.kube.apply import ApplyResult, Manager, Version, apply, described
from kedge.kube.errors import BadRequest, Conflict, UnknownError
from kedge.kube.schema import Schema
from tests.unit.kube.apply.shapes import (
    LATER,
    NOW,
    SETTINGS,
    VERSION,
    WIDGET,
    Object,
    created,
    manager,
    number,
    owned,
    struct,
    text,
    thing,
    updated,
    with_entries,
)


def run(
    live: Object | None,
    spec: Object | None,
    who: str = "applier",
    force: bool = False,
    now: str = NOW,
) -> ApplyResult:
    return apply(live, thing(spec), WIDGET, manager(who), force, now)


def applied(
    live: Object | None,
    spec: Object | None,
    who: str = "applier",
    force: bool = False,
    now: str = NOW,
) -> Object:
    result = run(live, spec, who, force, now)
    return with_entries(result.obj, result.managed)


def test_an_apply_creates_and_owns_its_leaves() -> None:
    result = run(None, {"size": 1, "labels": {"a": "x"}, "nested": {}, "ports": [{"port": 80}]})
    assert result.is_changed
    assert result.obj["spec"]["ports"] == [{"port": 80}]
    assert result.managed == [
        {
            "manager": "applier",
            "operation": "Apply",
            "apiVersion": VERSION,
            "time": NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:spec": {
                    "f:labels": {"f:a": {}},
                    "f:nested": {},
                    "f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}},
                    "f:size": {},
                }
            },
        }
    ]


def test_applying_the_same_again_changes_nothing_at_all() -> None:
    live = applied(None, {"size": 1, "parts": [{"name": "a"}], "tags": ["x"]})
    again = run(live, {"size": 1, "parts": [{"name": "a"}], "tags": ["x"]}, now=LATER)
    assert not again.is_changed
    assert again.managed == live["metadata"]["managedFields"]


def test_a_second_owner_of_the_same_value_has_an_entry_without_a_time() -> None:
    live = applied(applied(None, {"size": 1}), {"size": 1}, "second", now=LATER)
    first, second = live["metadata"]["managedFields"]
    assert (first["manager"], first.get("time")) == ("second", None)
    assert (second["manager"], second["time"]) == ("applier", NOW)


def test_a_change_of_another_appliers_field_conflicts() -> None:
    live = applied(None, {"size": 1})
    with pytest.raises(Conflict) as caught:
        run(live, {"size": 2}, "other")
    assert caught.value.message == (
        'Apply failed with 1 conflict: conflict with "applier": .spec.size'
    )
    assert caught.value.details == {
        "causes": [
            {
                "reason": "FieldManagerConflict",
                "message": 'conflict with "applier"',
                "field": ".spec.size",
            }
        ]
    }


def test_several_conflicts_are_listed_by_owner() -> None:
    live = created(thing({"size": 1, "parts": [{"name": "a", "size": 1}]}))
    status = manager("two", subresource="status")
    live = with_entries(
        live,
        [
            *live["metadata"]["managedFields"],
            *apply(live, thing({"size": 1}), WIDGET, status, False, NOW).managed[:1],
        ],
    )
    with pytest.raises(Conflict) as caught:
        run(live, {"size": 2, "parts": [{"name": "a", "size": 2}]}, "other")
    assert caught.value.message == (
        "Apply failed with 3 conflicts: "
        f'conflicts with "maker" using {VERSION}:\n'
        "- .spec.size\n"
        '- .spec.parts[name="a"].size\n'
        'conflicts with "two" with subresource "status":\n'
        "- .spec.size"
    )


def test_force_takes_the_field() -> None:
    live = applied(applied(None, {"size": 1, "color": "a"}), {"size": 2}, "other", force=True)
    assert live["spec"]["size"] == 2
    assert owned(live, "applier", "Apply") == {"f:spec": {"f:color": {}}}
    assert owned(live, "other", "Apply") == {"f:spec": {"f:size": {}}}


def test_what_is_left_out_goes_unless_somebody_owns_it() -> None:
    live = applied(None, {"size": 1, "color": "a", "labels": {"a": "x", "b": "y"}})
    live = applied(live, {"color": "a"}, "other")
    live = applied(live, {"labels": {"a": "x"}}, now=LATER)
    assert live["spec"] == {"color": "a", "labels": {"a": "x"}}
    assert owned(live, "applier", "Apply") == {"f:spec": {"f:labels": {"f:a": {}}}}


def test_what_an_updater_owns_stays() -> None:
    live = applied(None, {"size": 1, "color": "a"})
    live = updated(live, thing({"size": 1, "color": "b"}), "updater")
    live = applied(live, {"size": 1})
    assert live["spec"] == {"size": 1, "color": "b"}


def test_items_leave_a_list_with_their_last_owner() -> None:
    live = applied(None, {"parts": [{"name": "a"}, {"name": "b"}], "tags": ["x", "y"]})
    live = applied(live, {"parts": [{"name": "b", "size": 1}], "tags": ["y", "z"]}, "other")
    live = applied(live, {"parts": [{"name": "a"}]})
    assert live["spec"] == {"parts": [{"name": "a"}, {"name": "b", "size": 1}], "tags": ["y", "z"]}


def test_a_field_that_nobody_owned_stays_but_in_a_struct_that_goes() -> None:
    live = applied(None, {"nested": {"a": "x"}})
    live["spec"] = {"nested": {"a": "x", "b": "unowned"}, "color": "unowned"}
    assert applied(live, {})["spec"] == {"color": "unowned"}
    still = applied(live, {"nested": {}})
    assert still["spec"] == {"nested": {"b": "unowned"}, "color": "unowned"}


def test_to_give_up_everything_ends_the_entry() -> None:
    live = applied(None, {"size": 1})
    after = apply(live, thing(), WIDGET, manager("applier"), False, LATER)
    assert after.managed == []
    assert "spec" not in after.obj


def test_an_emptied_map_becomes_null_while_it_is_applied() -> None:
    live = applied(None, {"labels": {"a": "x"}})
    assert applied(live, {"labels": {}})["spec"] == {"labels": None}


def test_an_object_without_entries_belongs_to_before_first_apply() -> None:
    live = thing({"size": 1, "color": "a"})
    with pytest.raises(Conflict, match=f'conflict with "before-first-apply" using {VERSION}'):
        run(live, {"size": 2})
    result = run(live, {"size": 1}, now=LATER)
    assert [entry["manager"] for entry in result.managed] == ["applier", "before-first-apply"]
    assert result.managed[1]["fieldsV1"] == {
        "f:spec": {".": {}, "f:color": {}, "f:size": {}},
    }


def test_an_endpoint_gives_nobody_what_it_sets_back() -> None:
    main = manager("m", reset={"f:status": {}})
    obj = thing({"size": 1}, status={"a": 1})
    assert apply(None, obj, WIDGET, main, False, NOW).managed[0]["fieldsV1"] == {
        "f:spec": {"f:size": {}}
    }


def test_a_built_in_kind_is_applied_without_its_constant_fields() -> None:
    result = apply(None, thing({"mode": "x"}), SETTINGS, manager("m"), False, NOW)
    assert result.managed[0]["fieldsV1"] == {"f:spec": {"f:mode": {}}}
    live = with_entries(thing({"mode": "x", "count": 0, "limits": {}}, status={}), result.managed)
    after = apply(live, thing({"mode": "y"}), SETTINGS, manager("m"), False, LATER)
    assert after.obj["spec"] == {"mode": "y", "count": 0, "limits": {}}


class TestRefusals:
    """Configurations that can not be applied."""

    @pytest.mark.parametrize(
        ("obj", "shown"),
        [
            ({"apiVersion": "v1", "kind": "Other"}, "/v1, Kind=Other"),
            ({"apiVersion": "example.com/v2", "kind": "Widget"}, "example.com/v2, Kind=Widget"),
            ({"apiVersion": "a/b/c", "kind": "Widget"}, "/, Kind="),
            ({"apiVersion": 1}, "/, Kind="),
            ({}, "/, Kind="),
        ],
    )
    def test_another_type(self, obj: Object, shown: str) -> None:
        with pytest.raises(BadRequest) as caught:
            apply(None, obj, WIDGET, manager("m", kind="Widget"), False, NOW)
        assert caught.value.message == f"invalid object type: {shown}"

    @pytest.mark.parametrize("entries", [[], [{}]])
    def test_entries_of_its_own(self, entries: Any) -> None:
        obj = thing({"size": 1})
        obj["metadata"]["managedFields"] = entries
        with pytest.raises(BadRequest, match=r"^metadata\.managedFields must be nil$"):
            apply(None, obj, WIDGET, manager("m", kind="Widget"), False, NOW)

    def test_a_field_that_is_not_there(self) -> None:
        with pytest.raises(UnknownError) as caught:
            run(None, {"nothing": 1})
        assert caught.value.code == 500
        assert caught.value.message == (
            "failed to create typed patch object (/w; example.com/v1, Kind=Widget): "
            ".spec.nothing: field not declared in schema"
        )

    def test_a_live_object_that_does_not_fit_its_schema(self) -> None:
        live = with_entries(thing({"size": "x"}), created(thing({}))["metadata"]["managedFields"])
        with pytest.raises(UnknownError, match=r"^failed to create typed live object "):
            run(live, {"color": "a"})
        with pytest.raises(UnknownError, match=r"^failed to create manager for existing fields: "):
            run(thing({"size": "x"}), {"color": "a"})

    def test_a_built_in_object_with_an_item_without_a_key(self) -> None:
        items = Schema(type="array", items=struct("I", k=text()), list_type="map", list_keys=("k",))
        schema = struct("Kind", items=items, apiVersion=text(), kind=text(), metadata=struct())
        entries = created(thing({}))["metadata"]["managedFields"]
        live = with_entries({**thing(), "items": [{}]}, entries)
        obj = {**thing(), "items": [{"k": "x"}]}
        with pytest.raises(UnknownError, match=r"^failed to merge config: associative list"):
            apply(live, obj, schema, manager("m"), False, NOW)


@pytest.mark.parametrize(
    ("obj", "shown"),
    [
        (
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "a", "namespace": "n"},
            },
            "n/a; apps/v1, Kind=Deployment",
        ),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": 1}, "/; /v1, Kind=Pod"),
    ],
)
def test_an_object_is_described_as_in_kubernetes_messages(obj: Object, shown: str) -> None:
    assert described(obj) == shown


class TestVersions:
    """Entries of other versions of the kind."""

    OLD = struct(spec=struct(count=number(), color=text()))
    NEW = struct(spec=struct(size=number(), color=text()))

    @staticmethod
    def convert(version: str, one: str, other: str) -> Version:
        def convert(obj: Object) -> Object:
            spec = obj.get("spec")
            if not spec:
                return {**obj, "apiVersion": version}
            renamed = {one if name == other else name: spec[name] for name in spec}
            return {**obj, "apiVersion": version, "spec": renamed}

        schema = TestVersions.NEW if one == "size" else TestVersions.OLD
        return Version(schema, convert)

    def who(self, name: str, version: str) -> Manager:
        versions = {
            "e/v1": self.convert("e/v1", "count", "size"),
            "e/v2": self.convert("e/v2", "size", "count"),
        }
        return Manager(name, version, versions=versions)

    def old_live(self) -> Object:
        spec = {"count": 1, "color": "a"}
        obj = {**thing(spec), "apiVersion": "e/v1"}
        result = apply(None, obj, self.OLD, self.who("a", "e/v1"), False, NOW)
        live = with_entries(result.obj, result.managed)
        return {**live, "apiVersion": "e/v2", "spec": {"size": 1, "color": "a"}}

    def test_a_field_is_pruned_by_its_old_name(self) -> None:
        obj = {**thing({"color": "a"}), "apiVersion": "e/v2"}
        result = apply(self.old_live(), obj, self.NEW, self.who("a", "e/v2"), False, LATER)
        assert result.obj["spec"] == {"color": "a"}
        assert result.managed[0]["apiVersion"] == "e/v2"

    def test_a_field_conflicts_under_its_old_name(self) -> None:
        obj = {**thing({"size": 2}), "apiVersion": "e/v2"}
        with pytest.raises(Conflict, match=r'conflict with "a": \.spec\.count'):
            apply(self.old_live(), obj, self.NEW, self.who("b", "e/v2"), False, LATER)

    def test_another_owner_keeps_it_under_its_old_name(self) -> None:
        live = self.old_live()
        obj = {**thing({"size": 1}), "apiVersion": "e/v2"}
        result = apply(live, obj, self.NEW, self.who("b", "e/v2"), False, LATER)
        live = with_entries(result.obj, result.managed)
        again = apply(
            live,
            {**thing({}), "apiVersion": "e/v2"},
            self.NEW,
            self.who("b", "e/v2"),
            False,
            LATER,
        )
        assert again.obj["spec"] == {"size": 1, "color": "a"}

    def test_an_unknown_version_of_a_custom_resource_is_an_error(self) -> None:
        live = self.old_live()
        live["metadata"]["managedFields"][0]["apiVersion"] = "e/v9"
        obj = {**thing({"size": 1}), "apiVersion": "e/v2"}
        with pytest.raises(UnknownError, match="to an invalid group/version: e/v9"):
            apply(live, obj, self.NEW, self.who("b", "e/v2"), False, LATER)

    def test_an_unknown_version_of_a_built_in_kind_is_dropped(self) -> None:
        live = apply(None, thing({"mode": "x"}), SETTINGS, manager("a"), False, NOW)
        entry = {**live.managed[0], "apiVersion": "gone/v1"}
        obj = with_entries(live.obj, [entry])
        who = manager("b", versions={})
        after = apply(obj, thing({"mode": "y"}), SETTINGS, who, False, LATER)
        assert [entry["manager"] for entry in after.managed] == ["b"]
