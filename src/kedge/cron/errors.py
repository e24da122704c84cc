"""The one error of this package: `CronError`, a `ValueError`."""

SHOWN = 60
"""How much of a bad piece a message repeats; the whole of it is in `CronError.piece`."""


class CronError(ValueError):
    """A schedule that cannot be: which field, which piece of the text, and what to do."""

    def __init__(self, reason: str, *, field: str, piece: str, position: int | None = None) -> None:
        shown = piece if len(piece) <= SHOWN else piece[: SHOWN - 1] + "…"
        super().__init__(f"{field} {shown!r}: {reason}")
        self.reason = reason
        """What is wrong and how to mend it, without the field and the piece."""
        self.field = field
        """`minute`, `hour`, `day of month`, `month`, `day of week`, or what else was wrong."""
        self.piece = piece
        """The part of the text that was refused, as it was given."""
        self.position = position
        """Where the piece starts in the text; None when it is not in the text."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.reason, self.field, self.piece, self.position)


def _rebuild(reason: str, field: str, piece: str, position: int | None) -> CronError:
    return CronError(reason, field=field, piece=piece, position=position)
