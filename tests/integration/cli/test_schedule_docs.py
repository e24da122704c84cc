"""The examples of the reference that need a cluster: one session, from the top to the end."""

from tests.integration.cli.documented import documented
from tests.unit.test_docs import CLUSTER, examples, page


def test_every_example_on_a_cluster_prints_what_the_reference_shows() -> None:
    found = examples(page("cli.md"), CLUSTER)
    assert len(found) > 10
    with documented() as place:
        for command, shown in found:
            assert place.output_of(command) == shown, command
