"""The revision log on SQLite: knows keys, bytes and revisions, and nothing of Kubernetes."""

from kedge.store.errors import (
    Compacted,
    FutureRevision,
    KeyExists,
    Mismatch,
    SlowSubscriber,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreLocked,
)
from kedge.store.log import Log
from kedge.store.record import Page, Record
from kedge.store.settings import StoreSettings
from kedge.store.watch import Subscription

__all__ = [
    "Compacted",
    "FutureRevision",
    "KeyExists",
    "Log",
    "Mismatch",
    "Page",
    "Record",
    "SlowSubscriber",
    "StoreClosed",
    "StoreCorrupt",
    "StoreError",
    "StoreForeign",
    "StoreFull",
    "StoreLocked",
    "StoreSettings",
    "Subscription",
]
