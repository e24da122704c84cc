"""Single values changed in the text of a kubeconfig; comments and all else stay."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from kedge.client.where import document
from kedge.client.where.errors import ConfigError

_UNUSUAL = (yaml.YAMLError, StopIteration, AttributeError, IndexError, TypeError, ValueError)
"""What goes wrong where a text is not as plain as most; what comes out is compared anyway."""


def changed(text: bytes, user: str, changes: Mapping[str, str], file: str) -> bytes:
    """Set values of a user's `auth-provider.config`; the text has been read without an error.

    Where the text cannot be changed in place (aliases, tags), it is written anew.
    """
    wanted = document.read(text, file)
    _config(wanted, user).update(changes)
    try:
        edited = _in_place(text.decode("utf-8-sig"), user, changes)
        if document.read(edited, file) == wanted:
            return edited
    except (ConfigError, *_UNUSUAL):
        pass
    return document.write(wanted)


def _config(top: Any, user: str) -> dict[Any, Any]:
    """Give the mapping that holds the tokens."""
    entry = next(one for one in top["users"] if (one or {}).get("name") == user)
    provider = entry["user"]["auth-provider"]
    if provider.get("config") is None:
        provider["config"] = {}
    config: dict[Any, Any] = provider["config"]
    return config


def _in_place(text: str, user: str, changes: Mapping[str, str]) -> bytes:
    config = _node(text, user)
    there = {key.value: value for key, value in config.value}
    edits = []
    for name, value in changes.items():
        if name in there:
            edits.append(_replaced(there[name], json.dumps(value), text))
        else:
            first = config.value[0][0].start_mark
            after = ", " if config.flow_style else "\n" + " " * first.column
            new = f"{json.dumps(name)}: {json.dumps(value)}{after}"
            edits.append((first.index, first.index, new))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text.encode()


def _replaced(node: Any, new: str, text: str) -> tuple[int, int, str]:
    start, end = node.start_mark.index, node.end_mark.index
    # Nothing at all stands right after its colon; a block of lines ends where the next one begins.
    before = " " if start == end else ""
    after = "\n" if text[start:end].endswith("\n") else ""
    return start, end, before + new + after


def _node(text: str, user: str) -> Any:
    """Find the mapping that holds the tokens, in the first document."""
    loader = yaml.CSafeLoader(text)
    try:
        loader.check_node()
        top = loader.get_node()
    finally:
        loader.dispose()
    entry = next(one for one in _get(top, "users").value if _get(one, "name").value == user)
    return _get(_get(_get(entry, "user"), "auth-provider"), "config")


def _get(node: Any, name: str) -> Any:
    return next(value for key, value in reversed(node.value) if key.value == name)
