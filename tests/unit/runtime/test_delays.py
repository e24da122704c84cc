from hypothesis import given
from hypothesis import strategies as st

from kedge.runtime.delays import SPARE, Delays


def test_keys_come_up_in_the_order_of_their_times() -> None:
    delays: Delays[str] = Delays()
    for key, due in (("late", 9.0), ("soon", 1.0), ("then", 5.0)):
        delays.add(key, due)
    assert delays.first() == 1.0
    assert delays.take(5.0) == ["soon", "then"]
    assert delays.take(5.0) == []
    assert (delays.first(), len(delays)) == (9.0, 1)


def test_of_two_times_for_a_key_the_earlier_wins() -> None:
    delays: Delays[str] = Delays()
    assert delays.add("a", 5.0)
    assert not delays.add("a", 9.0)
    assert delays.add("a", 2.0)
    assert delays.take(4.0) == ["a"]
    assert delays.take(100.0) == []


def test_a_removed_key_does_not_come_up() -> None:
    delays: Delays[str] = Delays()
    delays.add("a", 5.0)
    delays.remove("a")
    delays.remove("never there")
    assert (delays.first(), len(delays), delays.take(9.0)) == (None, 0, [])


def test_a_key_that_was_removed_may_come_later_or_at_the_same_time() -> None:
    delays: Delays[str] = Delays()
    delays.add("a", 5.0)
    delays.remove("a")
    delays.add("a", 7.0)
    assert delays.take(6.0) == []
    delays.remove("a")
    delays.add("a", 7.0)
    assert delays.take(7.0) == ["a"]
    assert delays.take(7.0) == []


def test_adding_tells_whether_the_key_is_the_first() -> None:
    delays: Delays[str] = Delays()
    assert delays.add("a", 5.0)
    assert not delays.add("b", 6.0)
    assert delays.add("c", 4.0)


def test_keys_that_are_put_off_again_and_again_do_not_pile_up() -> None:
    delays: Delays[str] = Delays()
    for due in range(10_000):
        delays.add("a", 1e6 + due)
        delays.remove("a")
    delays.add("a", 7.0)
    assert len(delays._heap) <= SPARE + 3
    assert delays.take(8.0) == ["a"]


Act = tuple[str, str, float]
acts = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "take"]),
        st.sampled_from("abc"),
        st.integers(0, 20).map(float),
    ),
    max_size=200,
)


@given(acts)
def test_delays_do_as_a_plain_dictionary_would(script: list[Act]) -> None:
    delays: Delays[str] = Delays()
    model: dict[str, float] = {}
    for act, key, at in script:
        if act == "add":
            delays.add(key, at)
            model[key] = min(at, model.get(key, at))
        elif act == "remove":
            delays.remove(key)
            model.pop(key, None)
        else:
            due = {one for one, when in model.items() if when <= at}
            assert set(delays.take(at)) == due
            model = {one: when for one, when in model.items() if one not in due}
        assert len(delays) == len(model)
        assert delays.first() == min(model.values(), default=None)
