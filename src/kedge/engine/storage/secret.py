"""Entries of Secrets, as locations name them."""

import base64
import binascii
from typing import Final

from kedge.api.velero.reference import SecretKey
from kedge.client import Client
from kedge.engine.storage.errors import LocationError
from kedge.kube.errors import NotFound
from kedge.kube.kind import Kind, Object

SECRET: Final[Kind[Object]] = Kind("", "v1", "Secret", "secrets", dict)


class Secrets:
    """Reads the Secrets of one namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        """Read with this client, in this namespace."""
        self._client = client
        self._namespace = namespace

    async def entry(self, key: SecretKey, what: str) -> bytes | None:
        """Read one entry; None if it is missing and may be. Raises LocationError with `what`."""
        try:
            secret = await self._client.get(SECRET, key.name, self._namespace)
        except NotFound as exc:
            if key.optional:
                return None
            raise LocationError(
                f'{what}: there is no Secret "{key.name}" in namespace "{self._namespace}"'
            ) from exc
        data = secret.get("data")
        text = data.get(key.key) if isinstance(data, dict) else None
        if text is None:
            if key.optional:
                return None
            raise LocationError(f'{what}: Secret "{key.name}" has no entry "{key.key}"')
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, TypeError, ValueError) as exc:
            raise LocationError(
                f'{what}: entry "{key.key}" of Secret "{key.name}" is not base64'
            ) from exc
