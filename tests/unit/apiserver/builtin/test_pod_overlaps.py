from hypothesis import given
from hypothesis import strategies as st

from kedge.apiserver.builtin.pods.overlaps import Tree, overlap_warnings

paths = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map("/".join)


@given(st.lists(paths, max_size=8), paths)
def test_clashes_are_the_paths_that_hold_or_lie_within_another(known: list[str], new: str) -> None:
    tree = Tree()
    for number, path in enumerate(known):
        tree.add(number, (path, ""))
    assert [path for path, _ in tree.clashes(new)] == [
        path
        for path in known
        if f"{path}/".startswith(f"{new}/") or f"{new}/".startswith(f"{path}/")
    ]


def test_many_files_that_do_not_clash_are_no_work() -> None:
    items = [{"key": "k", "path": f"p{number}"} for number in range(50_000)]
    assert overlap_warnings([{"name": "v", "configMap": {"name": "c", "items": items}}]) == []
