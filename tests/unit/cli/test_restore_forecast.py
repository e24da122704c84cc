"""What a preview of a restore prints."""

import pytest

from kedge.archive.item import Place
from kedge.cli.restore.forecast import forecast
from kedge.cli.restore.preview import document
from kedge.engine.restore.preview import Action, Change
from tests.unit.cli.conftest import look_at_stdout

DIFF = """\
--- cluster
+++ backup
@@ -1,2 +1,2 @@
 data:
-  price: "1"
+  price: "2"
"""
CHANGES = [
    Change(Place("namespaces", "", "shop"), Action.CREATED),
    Change(Place("configmaps", "shop", "prices"), Action.UPDATED, "", DIFF),
    Change(Place("secrets", "shop", "token"), Action.SKIPPED, "it is there, and differs"),
    Change(Place("configmaps", "shop", "same"), Action.UNCHANGED),
    Change(Place("gone.example.com", "shop", "x"), Action.FAILED, "the cluster has no such kind"),
]
TEXT = """\
ACTION    RESOURCE           NAMESPACE   NAME     REASON
created   namespaces                     shop
updated   configmaps         shop        prices
skipped   secrets            shop        token    it is there, and differs
failed    gone.example.com   shop        x        the cluster has no such kind

configmaps shop/prices:
  --- cluster
  +++ backup
  @@ -1,2 +1,2 @@
   data:
  -  price: "1"
  +  price: "2"

Preview of restore "r" from backup "b": 1 to create, 1 to update, 1 to skip, 1 unchanged, \
1 that would fail. Nothing was changed.
"""


def test_a_table_the_diffs_and_a_line_that_counts() -> None:
    assert forecast("r", "b", CHANGES) == TEXT


def test_without_reasons_there_is_no_column_for_them() -> None:
    table = forecast("r", "b", CHANGES[:1])
    assert table.startswith("ACTION    RESOURCE     NAMESPACE   NAME\ncreated   namespaces")


def test_nothing_to_do_is_a_line() -> None:
    assert forecast("r", "b", CHANGES[3:4]) == (
        'Preview of restore "r" from backup "b": 0 to create, 0 to update, 0 to skip, '
        "1 unchanged, 0 that would fail. Nothing was changed.\n"
    )


def test_what_would_move_the_cursor_is_escaped() -> None:
    odd = Change(Place("configmaps", "a", "b"), Action.UPDATED, "\x1b[2J", "+\x1b[2J\n")
    assert "\x1b" not in forecast("r", "b", [odd])


def test_colours_tell_what_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    look_at_stdout(monkeypatch)
    text = forecast("r", "b", CHANGES)
    assert "\x1b[32mcreated " in text
    assert "\x1b[33mupdated " in text
    assert "\x1b[31mfailed " in text
    assert '\x1b[31m-  price: "1"\x1b[0m' in text
    assert '\x1b[32m+  price: "2"\x1b[0m' in text


def test_programs_get_a_document() -> None:
    restore = {"metadata": {"name": "r"}}
    assert document(restore, "b", CHANGES[1:3]) == {
        "restore": "r",
        "backup": "b",
        "summary": {"created": 0, "updated": 1, "skipped": 1, "unchanged": 0, "failed": 0},
        "changes": [
            {
                "action": "updated",
                "resource": "configmaps",
                "namespace": "shop",
                "name": "prices",
                "reason": "",
                "diff": DIFF,
            },
            {
                "action": "skipped",
                "resource": "secrets",
                "namespace": "shop",
                "name": "token",
                "reason": "it is there, and differs",
                "diff": "",
            },
        ],
    }
