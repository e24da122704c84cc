"""The cluster that is looked at, and what is known of it once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.status.view import View

if TYPE_CHECKING:
    from kedge.client import Client, Response


@dataclass(frozen=True, slots=True)
class Patient:
    """What all checks look at."""

    client: Client
    view: View
    version: Response
    """The answer to `/version`."""

    @property
    def namespace(self) -> str:
        """Where Velero's objects are looked for."""
        return self.view.found.namespace

    @property
    def present(self) -> datetime:
        """The time by our clock."""
        return self.view.present

    @property
    def program(self) -> str:
        """What people type for this command."""
        return self.view.program
