"""No module needs itself: each can be read, and imported, after those that it names."""

from graphlib import TopologicalSorter

import grimp


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("kedge")
    needs = {each: graph.find_modules_directly_imported_by(each) for each in graph.modules}
    assert "kedge.cli.main" in needs
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the circle
