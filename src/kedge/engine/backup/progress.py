"""How far a backup has come."""

from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """Objects in all and objects done; read it whenever you like."""

    total: int = 0
    """An estimate, until the end."""
    done: int = 0

    def count(self) -> None:
        """Count an object that is done."""
        self.done += 1
        if self.done > self.total:
            self.total = self.done

    def expect(self, more: int) -> None:
        """Count objects that have become known."""
        self.total += more

    def finish(self) -> None:
        """End: there are as many as are done."""
        self.total = self.done
