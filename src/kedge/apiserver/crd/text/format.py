"""The string formats that Kubernetes enforces, as its libraries check them."""

import ipaddress
import re
from collections.abc import Callable
from datetime import date
from unicodedata import category

from kedge.apiserver.crd.text import uri

Test = Callable[[str], bool]

_UUID = "[0-9a-f]{8}-?[0-9a-f]{4}-?%s[0-9a-f]{%d}-?%s[0-9a-f]{%d}-?[0-9a-f]{12}"
_OCTET = r"(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])"
_SPACE = r"[\t\n\f\r ]*"


def _pattern(text: str, flags: re.RegexFlag = re.ASCII) -> Test:
    match = re.compile(text, flags | re.ASCII).fullmatch
    return lambda value: match(value) is not None


_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_TIME = re.compile(r"(\d{2}):(\d{2}):(\d{2})(.[0-9]+)?(z|[+-]\d{2}:\d{2})", re.ASCII)
_DURATION = re.compile(r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
_LONG_NUMBER = re.compile("[1-9][0-9]{18}")  # past the int64 of nanoseconds
_LOOSE_DURATION = re.compile(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)")
_UNITS = (
    ("ns", "nano"),
    ("us", "µs", "micro"),
    ("ms", "milli"),
    ("s", "sec"),
    ("m", "min"),
    ("h", "hr", "hour"),
    ("d", "day"),
    ("w", "wk", "week"),
)
_CARD = re.compile(
    "4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    "|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)
_V4 = re.compile(r"\d+(?:\.\d+){3}", re.ASCII)


def is_date(text: str) -> bool:
    """Whether this is a full-date of RFC 3339."""
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    try:
        date(year or 4, month, day)  # Go knows the year 0, a leap year
    except ValueError:
        return False
    return True


def is_datetime(text: str) -> bool:
    """Whether this is a date-time of RFC 3339; a leap second is not."""
    day, mark, rest = text.lower().partition("t")
    found = _TIME.fullmatch(rest.partition("t")[0]) if mark else None
    if found is None or not is_date(day):
        return False
    return found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def is_duration(text: str) -> bool:
    """Whether this is a duration of Go, or one in words such as `3 days`."""
    if _LONG_NUMBER.search(text):
        return False
    if _DURATION.fullmatch(text):
        return True
    return any(_is_unit(unit.lower()) for _, unit in _LOOSE_DURATION.findall(text))


def _is_unit(word: str) -> bool:
    return any(word in names or word.startswith(names[-1]) for names in _UNITS)


def is_ipv4(text: str) -> bool:
    """Whether this is an address with a dot; leading zeros are tolerated."""
    return "." in text and parse_ip(text) is not None


def is_ipv6(text: str) -> bool:
    """Whether this is an address with a colon."""
    return ":" in text and parse_ip(text, sloppy=False) is not None


def is_cidr(text: str) -> bool:
    """Whether this is an address, a slash and the length of a prefix."""
    address, mark, length = text.partition("/")
    parsed = parse_ip(address) if mark else None
    if parsed is None or not length.isascii() or not length.isdigit():
        return False
    return int(length) <= (128 if ":" in address else 32)


def parse_ip(
    text: str, sloppy: bool = True
) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address; None if it is none. Sloppy reading takes leading zeros in IPv4."""
    if "%" in text:
        return None
    if ":" not in text and sloppy and _V4.fullmatch(text):
        text = ".".join(str(int(part)) for part in text.split("."))
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def is_mac(text: str) -> bool:
    """Whether this is a MAC address of 6, 8 or 20 bytes in one of three notations."""
    for mark, width in ((":", 2), ("-", 2), (".", 4)):
        parts = text.split(mark)
        if len(parts) * width // 2 in (6, 8, 20) and all(_is_hex(part, width) for part in parts):
            return True
    return False


def _is_hex(text: str, width: int) -> bool:
    return len(text) == width and all(char in "0123456789abcdefABCDEF" for char in text)


def is_hostname(text: str) -> bool:
    """Whether this is a host name; letters and symbols of any script will do."""
    labels = text.split(".")
    if len(text.encode()) > 255 or any(len(label.encode()) > 63 for label in labels):
        return False
    if len(labels) == 1:
        return _is_single_label(text)
    *inner, top = labels
    return all(map(_is_inner_label, inner)) and 2 <= len(top) <= 63 and all(map(_is_letter, top))


def _is_single_label(text: str) -> bool:
    if not text or not _is_host_char(text[0]):
        return False
    rest = text[2:] if text[1:2] == "-" else text[1:]
    return len(rest) <= 62 and all(map(_is_host_char, rest))


def _is_inner_label(text: str) -> bool:
    if not text or not _is_host_char(text[0]) or not _is_host_char(text[-1]):
        return False
    return len(text) <= 63 and all(char == "-" or _is_host_char(char) for char in text)


def _is_host_char(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char in "$+<=>^`|~"
    return category(char)[0] in "SL"


def _is_letter(char: str) -> bool:
    return category(char)[0] == "L"


def is_email(text: str) -> bool:
    """Say whether this is a mail address."""
    from kedge.apiserver.crd.text import mailbox  # its patterns take longer to compile than most

    return mailbox.is_address(text)


def is_isbn10(text: str) -> bool:
    """Whether this is an ISBN of ten digits."""
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if re.fullmatch("[0-9]{9}X|[0-9]{10}", digits) is None:
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((i + 1) * value for i, value in enumerate(values)) % 11 == 0


def is_isbn13(text: str) -> bool:
    """Whether this is an ISBN of thirteen digits."""
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if re.fullmatch("[0-9]{13}", digits) is None:
        return False
    total = sum((3 if i % 2 else 1) * int(digit) for i, digit in enumerate(digits[:12]))
    return int(digits[12]) == (10 - total % 10) % 10


def is_credit_card(text: str) -> bool:
    """Whether this is a card number, by its prefix and its check digit."""
    digits = re.sub("[^0-9]+", "", text)
    if _CARD.fullmatch(digits) is None:
        return False
    values = [int(digit) for digit in reversed(digits)]
    doubled = [v * 2 - 9 if v > 4 else v * 2 for v in values[1::2]]
    return (sum(values[::2]) + sum(doubled)) % 10 == 0


def is_object_id(text: str) -> bool:
    """Whether these are twelve bytes in hex."""
    return _is_hex(text, 24)


_FORMATS: dict[str, Test] = {
    "bsonobjectid": is_object_id,
    "uri": uri.is_request_uri,
    "email": is_email,
    "hostname": is_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "cidr": is_cidr,
    "mac": is_mac,
    "uuid": _pattern(_UUID % ("", 4, "", 4), re.IGNORECASE),
    "uuid3": _pattern(_UUID % ("3", 3, "", 4), re.IGNORECASE),
    "uuid4": _pattern(_UUID % ("4", 3, "[89ab]", 3), re.IGNORECASE),
    "uuid5": _pattern(_UUID % ("5", 3, "[89ab]", 3), re.IGNORECASE),
    "isbn": lambda text: is_isbn10(text) or is_isbn13(text),
    "isbn10": is_isbn10,
    "isbn13": is_isbn13,
    "creditcard": is_credit_card,
    "ssn": lambda text: re.fullmatch(r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}", text) is not None,
    "hexcolor": _pattern("#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _pattern(
        rf"rgb\({_SPACE}{_OCTET}{_SPACE},{_SPACE}{_OCTET}{_SPACE},{_SPACE}{_OCTET}{_SPACE}\)"
    ),
    "byte": _pattern(
        "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
    ),
    "password": lambda text: True,
    "date": is_date,
    "duration": is_duration,
    "datetime": is_datetime,
}


def is_known(name: str) -> bool:
    """Whether a schema's format is enforced; dashes do not count."""
    return name.replace("-", "") in _FORMATS


def find(name: str) -> Test | None:
    """Give the test of a format, or None where nothing is enforced."""
    return _FORMATS.get(name.replace("-", "")) if name else None
