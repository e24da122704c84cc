"""Warning headers (RFC 7234, code 299), as kubectl shows them."""


def warning_header(text: str) -> str:
    """One header's value."""
    clean = "".join(char if char >= " " and char != "\x7f" else " " for char in text)
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'
