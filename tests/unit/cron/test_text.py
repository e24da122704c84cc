import pytest

from kedge.cron import parse


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0-59 0-23 1-31 1-12 0-6", "* * * * *"),
        ("*/1 ? * * ?", "* * * * *"),
        ("0,15,30,45 * * * *", "*/15 * * * *"),
        ("0/30 * * * *", "*/30 * * * *"),
        ("20/30 * * * *", "20,50 * * * *"),
        ("5-59/15 * * * *", "5/15 * * * *"),
        ("50/1 * * * *", "50-59 * * * *"),
        ("5-6 * * * *", "5,6 * * * *"),
        ("5,6,7 * * * *", "5-7 * * * *"),
        ("1,3,5,7,9,11,20 * * * *", "1-11/2,20 * * * *"),
        ("0,15,20,30,40,45 * * * *", "*/15,*/20 * * * *"),
        ("00 08 01 01 *", "0 8 1 1 *"),
        ("+5, *-7 * JAN-mar Mon,fri", "5 * * 1-3 1,5"),
        ("0 0 31 1,3,5,7,8,10,12 *", "0 0 31 * *"),
        ("0 0 31 */2 *", "0 0 31 */2 *"),
        ("0 0 30,31 2,3 *", "0 0 30,31 3 *"),
        ("0 0 1-31 * 1", "0 0 * * *"),
        ("0 0 1-29 2 *", "0 0 * 2 *"),
        ("0 0 1-29 2,3 1", "0 0 1-29 2,3 1"),
        ("0 0 , * 1", "0 0 * * 1"),
        ("0 0 13 * 5", "0 0 13 * 5"),
        ("@hourly", "0 * * * *"),
        ("@yearly", "0 0 1 1 *"),
        ("CRON_TZ=Europe/Paris @daily", "TZ=Europe/Paris 0 0 * * *"),
        ("TZ=Etc/UTC @daily", "0 0 * * *"),
        ("@every 5400s", "@every 90m"),
        ("@every 1h1s", "@every 1h1s"),
        ("@every 1500ms", "@every 1s"),
        ("TZ=Asia/Tokyo @every 60m", "@every 1h"),
    ],
)
def test_the_canonical_text_is_the_shortest(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


def test_a_set_without_any_order_is_written_all_the_same() -> None:
    numbers = [0, 3, 4, 8, 11, 13, 17, 22, 23, 29, 31, 34, 38, 39, 41, 46, 47, 50, 52, 53, 57, 59]
    schedule = parse(f"{','.join(map(str, numbers))} * * * *")
    assert parse(str(schedule)) == schedule
    assert len(str(schedule).split()[0]) < len(",".join(map(str, numbers)))
