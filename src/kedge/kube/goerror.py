"""What Go's decoders say of a text that they do not take."""


class GoError(Exception):
    """A text that Go does not decode; `text` is Go's error, for whoever knows the request."""

    def __init__(self, text: str) -> None:
        """Keep Go's words."""
        super().__init__(text)
        self.text = text
