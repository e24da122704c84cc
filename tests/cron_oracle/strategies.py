"""Random expressions, zones and instants; instants love the changes of the clock."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from tests.cron_oracle.reading import MONTHS, WEEKDAYS, Reading, read
from tests.cron_oracle.refused import Refused
from tests.cron_oracle.zones import ZONES, transitions

START, END = datetime(2023, 1, 1), datetime(2037, 12, 31)  # noqa: DTZ001  # as hypothesis wants them
POLICIES = st.sampled_from(["wall", "once"])
BOUNDS = ((0, 59, ()), (0, 23, ()), (1, 31, ()), (1, 12, tuple(MONTHS)), (0, 6, tuple(WEEKDAYS)))
zones = st.sampled_from(ZONES)
changing_zones = st.sampled_from([zone for zone in ZONES if transitions(zone)])


@st.composite
def values(draw: st.DrawFn, low: int, high: int, names: tuple[str, ...] = ()) -> tuple[int, str]:
    """Draw a value and one of its spellings."""
    value = draw(st.integers(low, high))
    spellings = [str(value)] * 6 + [f"+{value}", f"0{value}"]
    if names:
        name = names[value - low]
        spellings += [name, name.upper(), name.capitalize()]
    return value, draw(st.sampled_from(spellings))


@st.composite
def pieces(draw: st.DrawFn, low: int, high: int, names: tuple[str, ...] = ()) -> str:
    """Draw one piece of a list."""
    kind = draw(st.sampled_from(["value", "value", "range", "open", "star", "stars", "empty"]))
    step = draw(st.sampled_from([1, 2, 2, 3, 5, 7, 10, 12, 15, 20, 30, 100]))
    stepped = draw(st.booleans())
    if kind == "empty":
        return ""
    if kind == "star":
        return draw(st.sampled_from(["*", "?", "*-5", f"*/{step}", f"?/{step}"]))
    if kind == "stars":
        return f"*/{step}"
    ends = sorted([draw(values(low, high, names)), draw(values(low, high, names))])
    texts = [text for _, text in ends]
    if kind == "range":
        return f"{texts[0]}-{texts[1]}" + (f"/{step}" if stepped else "")
    return f"{texts[0]}/{step}" if kind == "open" else texts[0]


def fields(low: int, high: int, names: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    """Draw a field: mostly short ones."""
    lists = st.lists(pieces(low, high, names), min_size=1, max_size=4).map(",".join)
    return st.one_of(st.just("*"), pieces(low, high, names), lists).filter(bool)


def sparse(low: int, high: int, most: int = 3) -> st.SearchStrategy[str]:
    """Draw a field of a few values."""
    some = st.sets(st.integers(low, high), min_size=1, max_size=most)
    return some.map(lambda found: ",".join(map(str, sorted(found))))


def fires(text: str) -> bool:
    """Tell whether the oracle accepts a text."""
    try:
        read(text)
    except Refused:
        return False
    return True


def spaced(parts: tuple[str, ...]) -> str:
    """Join fields to an expression."""
    return " ".join(parts)


days_fields = st.one_of(
    st.just(("*", "*", "*")),
    st.tuples(st.just("*"), st.just("*"), fields(*BOUNDS[4])),
    st.tuples(fields(*BOUNDS[2]), st.just("*"), st.just("*")),
    st.tuples(fields(*BOUNDS[2]), fields(*BOUNDS[3]), st.just("*")),
    st.tuples(*(fields(*bounds) for bounds in BOUNDS[2:])),
)
expressions = st.builds(
    lambda minute, hour, days: spaced((minute, hour, *days)),
    fields(*BOUNDS[0]),
    fields(*BOUNDS[1]),
    days_fields,
).filter(fires)
sparse_expressions = st.builds(
    lambda minute, hour, days: spaced((minute, hour, *days)),
    sparse(0, 59),
    st.one_of(sparse(0, 23), sparse(0, 4, most=1), fields(*BOUNDS[1])),
    days_fields,
).filter(fires)
tidy_days = st.one_of(
    st.just(("*", "*", "*")),
    st.tuples(st.just("*"), st.just("*"), sparse(0, 6)),
    st.tuples(sparse(1, 31), st.just("*"), st.just("*")),
    st.tuples(sparse(1, 31), sparse(1, 12, most=6), st.just("*")),
    st.tuples(st.just("*"), sparse(1, 12, most=6), sparse(0, 6)),
    st.tuples(sparse(1, 31), st.just("*"), sparse(0, 6)),
    st.tuples(st.integers(2, 8).map("{}-31".format), st.just("*"), st.just("*")),
)
tidy_expressions = st.builds(
    lambda minute, hour, days: spaced((minute, hour, *days)),
    st.one_of(sparse(0, 59), sparse(0, 59, most=1), st.sampled_from(["*/15", "0-15", "30-59/7"])),
    st.one_of(
        sparse(0, 23), sparse(0, 23, most=1), st.sampled_from(["*", "14-16", "*/6", "20-23"])
    ),
    tidy_days,
).filter(fires)


def instants(zone: str) -> st.SearchStrategy[datetime]:
    """Draw an instant of 2023-2037, often close to a change of the zone's clock."""
    anywhere = st.datetimes(START, END, timezones=st.just(UTC))
    changes = transitions(zone)
    if not changes:
        return anywhere
    minutes = st.one_of(st.integers(-200, 200), st.integers(-3000, 3000)).map(
        lambda count: timedelta(minutes=count)
    )
    odd = st.one_of(st.just(timedelta()), st.timedeltas(timedelta(), timedelta(minutes=1)))
    near = st.builds(
        lambda change, distance, rest: change + distance + rest,
        st.sampled_from(changes),
        minutes,
        odd,
    )
    return st.one_of(near, near, anywhere)


@st.composite
def cases(
    draw: st.DrawFn, texts: st.SearchStrategy[str] = expressions
) -> tuple[str, str, str, datetime]:
    """Draw an expression, a zone, a policy and an instant."""
    zone = draw(zones)
    return draw(texts), zone, draw(POLICIES), draw(instants(zone))


leads = st.one_of(
    st.sampled_from([1, 5, 10, 15, 30, 59, 60, 61, 90, 100, 119, 720, 1439, 1440, 1441, 1450]),
    st.integers(1, 7).map(lambda days: 1440 * days),
    st.integers(1, 7 * 1440),
)


def reading_of(text: str, zone: str) -> Reading:
    """Read an expression in a zone."""
    return read(text, zone)
