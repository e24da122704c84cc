from kedge.cli.backup.order import in_order


def ordered(*names: str) -> list[str]:
    return [one["metadata"]["name"] for one in in_order([{"metadata": {"name": n}} for n in names])]


def test_names_are_sorted() -> None:
    assert ordered("b", "c", "a") == ["a", "b", "c"]


def test_those_of_one_schedule_come_with_the_newest_first() -> None:
    assert ordered(
        "a-20260101000000", "b-20260101000000", "a-20260103000000", "a-20260102000000"
    ) == ["a-20260103000000", "a-20260102000000", "a-20260101000000", "b-20260101000000"]


def test_a_number_of_another_length_is_a_name_like_any_other() -> None:
    assert ordered("a-2", "a-1", "a-2026010100000") == ["a-1", "a-2", "a-2026010100000"]


def test_a_name_without_a_time_is_compared_as_a_whole() -> None:
    assert ordered("a-30000000000000", "a", "a-b") == ["a", "a-30000000000000", "a-b"]


def test_namespaces_come_first() -> None:
    places = [{"metadata": {"name": n, "namespace": p}} for n, p in (("a", "y"), ("b", "x"))]
    assert [one["metadata"]["name"] for one in in_order(places)] == ["b", "a"]
