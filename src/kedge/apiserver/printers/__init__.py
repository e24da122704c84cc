"""How kubectl shows the built-in kinds: their columns, and the cells of an object."""

from kedge.apiserver.printers.table import printer_for

__all__ = ["printer_for"]
