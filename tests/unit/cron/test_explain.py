import pytest

from kedge.cron import parse


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("* * * * *", "Every minute."),
        ("*/15 * * * *", "Every 15 minutes."),
        ("5/15 * * * *", "Every 15 minutes, from minute 5 of the hour on."),
        ("0 * * * *", "Every hour, on the hour."),
        ("7 * * * *", "Every hour, at minute 7."),
        ("0 * 1 * *", "Every hour, on the hour, on the 1st of the month."),
        ("7,12 * * * *", "At minutes 7 and 12 of every hour."),
        ("0 9-17 * * *", "Every hour from 09:00 to 17:00."),
        ("5/15 8-17 * * 1-5", "Every 15 minutes from 08:05 to 17:50 on Monday to Friday."),
        ("50-59 23 * * *", "Every minute from 23:50 to 23:59."),
        ("7,9,11-20 3 * * *", "At minutes 7, 9 and 11 to 20 of the hour 03."),
        ("7 0,2,4,6,8,10,12 * * *", "At minute 7 of the hours 00, 02, 04, 06, 08, 10 and 12."),
        ("0 8 * * 1-5", "At 08:00 on Monday to Friday."),
        ("30 8,20 * * 0,6", "At 08:30 and 20:30 on Sunday and Saturday."),
        ("0 0 1,22,13,3 * *", "At 00:00 on the 1st, 3rd, 13th and 22nd of the month."),
        ("0 0 13 * 5", "At 00:00 on the 13th of the month and on every Friday."),
        ("0 0 13 5 5", "At 00:00 on the 13th of May and on every Friday of May."),
        ("0 0 * 6-8 1", "At 00:00 on Monday in June to August."),
        ("* * * 3 *", "Every minute, every day in March."),
        ("@yearly", "At 00:00 on the 1st of January."),
        ("TZ=Europe/Paris 30 2 * * *", "At 02:30, on the clock of Europe/Paris."),
        ("@every 90m", "Every 1 hour and 30 minutes, counted from the previous run."),
        ("@every 1s", "Every 1 second, counted from the previous run."),
    ],
)
def test_a_schedule_explains_itself(text: str, words: str) -> None:
    assert parse(text).explain() == words
