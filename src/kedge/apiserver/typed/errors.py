"""What can be wrong with a body, in the words of Go's decoders."""

from kedge.kube.goerror import GoError


class TypeMismatch(GoError):
    """A JSON value that does not fit a Go type; the place is named by whoever decodes around it."""

    def __init__(self, word: str, go_type: str) -> None:
        """Keep Go's word for the value ("number 1.5") and for the type ("int32")."""
        super().__init__(f"json: cannot unmarshal {word} into Go value of type {go_type}")
        self.word = word
        self.go_type = go_type

    def at(self, struct: str, path: str) -> GoError:
        """Make the same error for a field of a struct."""
        return GoError(
            f"json: cannot unmarshal {self.word} into Go struct field "
            f"{struct}.{path} of type {self.go_type}"
        )
