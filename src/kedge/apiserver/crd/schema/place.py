"""Paths of fields as errors name them."""


def child(path: str, name: str) -> str:
    """Name a field; an empty path is the object itself."""
    return f"{path}.{name}" if path else name


def shown(path: str) -> str:
    """Write a path as an error does: Go's nil path is the object itself."""
    return path or "<nil>"
