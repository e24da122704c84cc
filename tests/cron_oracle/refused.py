"""The oracle's one exception."""


class Refused(ValueError):
    """The oracle does not accept this text."""
