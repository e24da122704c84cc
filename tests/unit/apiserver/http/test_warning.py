from kedge.apiserver.http.warning import CUT_RUNES, MOST_RUNES, warning_header, warning_headers


def test_quotes_and_control_characters_do_no_harm() -> None:
    assert warning_header('a "b"\\\n\x7fc') == '299 - "a \\"b\\"\\\\  c"'


def test_all_are_told_while_they_fit() -> None:
    texts = ["a" * MOST_RUNES]
    assert list(warning_headers(texts)) == [warning_header(texts[0])]


def test_each_is_cut_where_all_together_are_too_long() -> None:
    texts = [str(number) * 1000 for number in range(5)]
    assert list(warning_headers(texts)) == [warning_header(text[:CUT_RUNES]) for text in texts]


def test_those_that_do_not_fit_even_so_are_left_out() -> None:
    texts = [f"{number:03}" + "x" * 997 for number in range(100)]
    assert len(list(warning_headers(texts))) == MOST_RUNES // CUT_RUNES


def test_short_ones_up_to_the_one_that_was_too_many_are_told() -> None:
    texts = [f"{number:04}" for number in range(2000)]
    assert len(list(warning_headers(texts))) == MOST_RUNES // 4 + 1
