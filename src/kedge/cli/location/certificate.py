"""The certificates that a storage location says are to be trusted."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.client import Client


async def certificate(client: Client, place: str, name: str) -> bytes:
    """Read the PEM of a location, of which there may be none; raises ValueError.

    A Secret that is named comes before what is written into the location itself.
    """
    from kedge.cli.location.kind import LOCATIONS
    from kedge.kube.errors import NotFound

    if not name:
        return b""
    try:
        location = await client.get(LOCATIONS, name, place)
    except NotFound:
        return b""
    reference = part(location, "spec", "objectStorage", "caCertRef")
    if reference:
        secret, key = str(reference.get("name") or ""), str(reference.get("key") or "")
        return await _of_secret(client, place, secret, key)
    return _decoded(part(location, "spec", "objectStorage", "caCert") or "", f"caCert of {name}")


async def _of_secret(client: Client, place: str, name: str, key: str) -> bytes:
    from kedge.kube.errors import NotFound
    from kedge.kube.kind import plain

    if not key:
        raise ValueError("caCertRef key is empty")
    try:
        secret = await client.get(plain("v1", "Secret", "secrets"), name, place)
    except NotFound as exc:
        raise ValueError(f"certificate secret {name} not found in namespace {place}") from exc
    data = secret.get("data") or {}
    if key not in data:
        raise ValueError(f"key {key} not found in secret {name}")
    return _decoded(data[key], f"key {key} of secret {name}")


def _decoded(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise ValueError(f"{what} is not base64") from exc
