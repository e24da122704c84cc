"""Ranges of costs and sizes, which stop growing at the largest 64-bit number."""

import math
from dataclasses import dataclass

from kedge.apiserver.crd.cel.node import Node
from kedge.apiserver.crd.cel.types import Type

LARGEST = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """At least, and at most."""

    least: int
    most: int

    @staticmethod
    def fixed(value: int) -> "Estimate":
        """Give a range of one number."""
        return Estimate(value, value)

    def add(self, other: "Estimate") -> "Estimate":
        """Add two ranges."""
        return Estimate(
            min(self.least + other.least, LARGEST), min(self.most + other.most, LARGEST)
        )

    def multiply(self, other: "Estimate") -> "Estimate":
        """Multiply two ranges."""
        return Estimate(
            min(self.least * other.least, LARGEST), min(self.most * other.most, LARGEST)
        )

    def times(self, factor: float) -> "Estimate":
        """Multiply by a factor, rounded up."""
        return Estimate(_times(self.least, factor), _times(self.most, factor))

    def union(self, other: "Estimate") -> "Estimate":
        """Cover both ranges."""
        return Estimate(min(self.least, other.least), max(self.most, other.most))


def _times(value: int, factor: float) -> int:
    result = math.ceil(float(value) * factor)
    return min(result, LARGEST)


ZERO, ONE, UNKNOWN = Estimate(0, 0), Estimate(1, 1), Estimate(0, LARGEST)


@dataclass(frozen=True, slots=True)
class Operand:
    """What is known of an argument: its place, type and size."""

    node: Node | None
    path: tuple[str, ...]
    type: Type
    size: Estimate | None

    @property
    def known(self) -> Estimate:
        """Its size, or any."""
        return self.size or UNKNOWN
