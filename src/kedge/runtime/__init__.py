"""The controller machinery: watcher, cache, wake, queue, controller, manager."""

from kedge.runtime.cache import Cache
from kedge.runtime.controller import AWAIT_CHANGE, Controller, Reconcile, Result, Terminal
from kedge.runtime.entry import Change, Entry
from kedge.runtime.key import Key
from kedge.runtime.manager import Manager, ManagerSettings, On
from kedge.runtime.queue import Queue, QueueSettings
from kedge.runtime.source import Keeping
from kedge.runtime.wake import itself, label, mapped, owner, when
from kedge.runtime.watcher import Watcher, WatchSettings

__all__ = [
    "AWAIT_CHANGE",
    "Cache",
    "Change",
    "Controller",
    "Entry",
    "Keeping",
    "Key",
    "Manager",
    "ManagerSettings",
    "On",
    "Queue",
    "QueueSettings",
    "Reconcile",
    "Result",
    "Terminal",
    "WatchSettings",
    "Watcher",
    "itself",
    "label",
    "mapped",
    "owner",
    "when",
]
