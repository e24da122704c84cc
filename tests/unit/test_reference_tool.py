"""The tool that writes the reference puts in what the code has, and leaves the rest alone."""

from kedge.api.crd import crds
from tools.reference.commands import commands, completed, unnamed
from tools.reference.flags import context_of, flags_of, options_of
from tools.reference.kinds import kinds
from tools.reference.markdown import remade, table

PREVIEW = "## `kedge schedule preview`\n\nBy hand.\n\n## `kedge schedule pause`\n\nMore.\n"


def test_only_what_lies_between_the_marks_is_written() -> None:
    text = "# A\n\n<!-- made: x -->\nold\n<!-- made end -->\n\nby hand\n"
    made = remade(text, lambda name: f"new {name}\n")
    assert made == "# A\n\n<!-- made: x -->\n\nnew x\n\n<!-- made end -->\n\nby hand\n"
    assert remade(made, lambda name: f"new {name}\n") == made


def test_a_cell_may_hold_a_bar_and_a_line_break() -> None:
    assert table(("a", "b"), [("x|y", "1\n2")]) == "| a | b |\n| --- | --- |\n| x\\|y | 1 2 |\n"


def test_a_flag_has_its_default_and_its_variable() -> None:
    made = flags_of("kedge server")
    assert "| `--default-backup-ttl DURATION` | `720h` | `KEDGE_DEFAULT_BACKUP_TTL` |" in made
    assert "| `--leader-elect`, `--no-leader-elect` | on | `KEDGE_LEADER_ELECT` |" in made


def test_every_flag_has_a_meaning() -> None:
    for context in commands():
        for option in options_of(context):
            assert option.help, f"{context.command_path} {option.name}"


class TestThePageOfCommands:
    """What it lacks is added, once."""

    def test_flags_without_a_word_get_a_table_in_their_section(self) -> None:
        made = completed(PREVIEW)
        preview, pause = made.split("## `kedge schedule p")[1:3]
        assert "By hand." in preview
        assert "`--count" in preview
        assert "--skip-immediately" not in preview
        assert pause.startswith("ause`\n\nMore.\n")
        assert completed(made) == made

    def test_a_flag_of_a_table_by_hand_is_not_written_of_twice(self) -> None:
        by_hand = "| option | meaning |\n| --- | --- |\n| `--count N` | How many. |"
        section = completed(PREVIEW.replace("By hand.", by_hand)).partition("pause`")[0]
        assert section.count("`--count") == 1
        assert section.count("| option |") == 2
        assert "`--until" in section

    def test_a_flag_that_is_told_of_in_passing_has_its_row(self) -> None:
        passing = PREVIEW.replace("By hand.", "`--count N` says how many.")
        assert completed(passing).partition("pause`")[0].count("`--count") == 2

    def test_what_is_written_by_hand_stays_as_it_is(self) -> None:
        by_hand = PREVIEW.replace("By hand.", "```text\na\n\n\nb\n```")
        made = completed(completed(by_hand))
        assert "```text\na\n\n\nb\n```\n\n<!-- made: options -->\n" in made

    def test_a_word_outside_of_code_is_not_enough(self) -> None:
        names = [one.name for one in unnamed("kedge schedule preview", "It has --count.")]
        assert "count" in names
        assert "count" not in [one.name for one in unnamed("kedge schedule preview", "`--count`")]

    def test_a_command_without_a_section_gets_one_with_its_help(self) -> None:
        made = completed(PREVIEW)
        assert made.count("## `kedge cron next`\n") == 1
        assert context_of("kedge cron next").command.get_short_help_str() in made


class TestThePageOfKinds:
    """It has every field, each told of once."""

    def test_every_kind_has_a_section(self) -> None:
        made = kinds()
        for crd in crds():
            assert f"### {crd['spec']['names']['kind']}\n" in made

    def test_fields_have_type_default_and_meaning(self) -> None:
        made = kinds()
        assert "| `spec.schedule` | text, required | | When to make a Backup:" in made
        assert "| `spec.ttl` | duration | |" in made
        assert "`status.conditions[].type` | text, required" in made

    def test_what_was_told_of_is_pointed_at(self) -> None:
        made = kinds()
        assert "Its fields are those of `spec` of [Backup](#backup)." in made
        assert "`spec.template.includedNamespaces`" not in made
