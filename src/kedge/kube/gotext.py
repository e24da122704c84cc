"""Values as Go prints them (`%q`, `%v`, encoding/json), for messages that must match exactly."""

from typing import Any, Final

_SHORT: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}
# encoding/json keeps its output safe inside HTML and JavaScript.
_JSON_ESCAPES: Final = {code: f"\\u{code:04x}" for code in range(0x20)} | {
    ord('"'): '\\"',
    ord("\\"): "\\\\",
    ord("\b"): "\\b",
    ord("\f"): "\\f",
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}
_REPLACEMENT: Final = "\ufffd"


class Struct(dict[str, Any]):
    """A Go struct: unlike a map, its fields are written in their own order."""


def quote(text: str) -> str:
    """Write text as `%q` does."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_quoted, text))}"'


def _quoted(char: str) -> str:
    short = _SHORT.get(char)
    if short is not None:
        return short
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # half of a pair: no text in Go can hold it
        return _REPLACEMENT
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def to_json(value: Any) -> str:
    """Write a value as encoding/json does: no spaces, maps sorted by key, HTML escaped."""
    if isinstance(value, str):
        return _json_text(value)
    if isinstance(value, dict):
        items = value.items() if isinstance(value, Struct) else sorted(value.items())
        return f"{{{','.join(f'{_json_text(key)}:{to_json(item)}' for key, item in items)}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(to_json, value))}]"
    if isinstance(value, float):
        # A number that knows how it was written stays as it was.
        return str(getattr(value, "text", "")) or _json_float(value)
    return _constant(value, "null")


def _json_text(text: str) -> str:
    escaped = text.translate(_JSON_ESCAPES)
    if not escaped.isascii():
        escaped = escaped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return f'"{escaped}"'


def _constant(value: Any, nothing: str) -> str:
    if value is None:
        return nothing
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _json_float(value: float) -> str:
    size = abs(value)
    if size != 0 and (size < 1e-6 or size >= 1e21):
        digits, _, power = _exponent_form(value).partition("e")
        # One digit where one is enough: 1e-7, though 1e+21.
        return f"{digits}e-{power[2:]}" if power.startswith("-0") else f"{digits}e{power}"
    return _plain_form(value)


def to_text(value: Any) -> str:
    """Write a value as `%v` does: `map[a:1 b:[x y]]`, `<nil>`, `1e+06`."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{to_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(to_text, value))}]"
    if isinstance(value, float):
        return float_text(value)
    return _constant(value, "<nil>")


def float_text(value: float) -> str:
    """Write a float64 as `%v` does, which is `%g` with as few digits as tell it apart."""
    form = _exponent_form(value)
    power = int(form.partition("e")[2])
    # The bounds of %g when the precision is the shortest one.
    return form if power < -4 or power >= 6 else _plain_form(value)


def _exponent_form(value: float) -> str:
    """Shortest digits as d.ddde±dd."""
    sign, digits, power = _digits(value)
    point = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{sign}{point}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _plain_form(value: float) -> str:
    """Shortest digits without an exponent."""
    sign, digits, power = _digits(value)
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    if len(digits) <= power + 1:
        return f"{sign}{digits}{'0' * (power + 1 - len(digits))}"
    return f"{sign}{digits[: power + 1]}.{digits[power + 1 :]}"


def _digits(value: float) -> tuple[str, str, int]:
    """Sign, significant digits, and the power of ten of the first of them."""
    mantissa, _, exponent = f"{value!r}".partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, rest = mantissa.lstrip("-").partition(".")
    digits = (whole + rest).lstrip("0")
    lead = len(whole) - 1 - (len(whole + rest) - len(digits))
    return sign, digits.rstrip("0") or "0", lead + int(exponent or 0) if digits else 0


_TYPES: Final = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    dict: "map[string]interface {}",
    list: "[]interface {}",
    type(None): "%!s(<nil>)",  # what Go prints for the type of nothing
}


def type_text(value: Any) -> str:
    """Name the type of a decoded JSON value as Go does."""
    return _TYPES[type(value)]


_KINDS: Final = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    dict: "object",
    list: "array",
    type(None): "null",
}


def json_kind(value: Any) -> str:
    """Name the kind of a JSON value as Go's decoder does in its errors."""
    return _KINDS[type(value)]
