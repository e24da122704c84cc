"""The page on PreScaledCronJobs is true: a reader of that day sees what it shows."""

from tests.integration.docs.howtos import steps, text_of
from tests.integration.docs.stopped import stopped


def test_the_page_shows_what_its_reader_sees() -> None:
    taken = 0
    with stopped() as reader:
        for file, text, shown in steps(text_of("prescaled.md")):
            if file:
                reader.write(file, text)
            else:
                assert reader.output_of(text) == shown, text
                taken += 1
    assert taken > 5
