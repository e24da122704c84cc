"""The page on self-service is true: a reader of that day sees what it shows."""

from tests.integration.docs.howtos import steps, text_of
from tests.integration.docs.shopkeeper import shopkeeper


def test_the_page_on_self_service_shows_what_its_reader_sees() -> None:
    taken = 0
    with shopkeeper() as reader:
        for file, text, shown in steps(text_of("self-service.md")):
            if file:
                reader.write(file, text)
            else:
                assert reader.output_of(text) == shown, text
                taken += 1
    assert taken > 8
