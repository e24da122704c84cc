"""What the spec of a location says, checked as Velero checks it, with the Secrets it names."""

import base64
import binascii
from typing import Final

from kedge.api.velero.reference import SecretKey
from kedge.api.velero.storage_location import ObjectStorage, StorageLocationSpec
from kedge.engine.storage.errors import LocationError
from kedge.engine.storage.secret import Secrets
from kedge.objects.place import Place

CUSTOMER_KEY: Final = "customerKeyEncryptionSecret"
"""The setting of AWS that names a Secret, and not what is in it."""


async def place_of(spec: StorageLocationSpec, secrets: Secrets) -> Place:
    """Give the place of a location; raise LocationError if its spec or a Secret is wrong."""
    storage = spec.object_storage
    bucket = storage.bucket.strip("/")
    _check(spec, bucket)
    config = dict(spec.config or {})
    return Place(
        provider=spec.provider,
        bucket=bucket,
        prefix=storage.prefix.strip("/"),
        config=config,
        credentials=await _credentials(spec.credential, secrets),
        ca=await _certificates(storage, secrets),
        customer_key=await _customer_key(config.get(CUSTOMER_KEY, ""), secrets),
    )


def _check(spec: StorageLocationSpec, bucket: str) -> None:
    if not spec.provider:
        raise LocationError("object storage provider name must not be empty")
    if not bucket:
        raise LocationError("spec.objectStorage.bucket must not be empty")
    # The names of S3's multi-region access points have slashes.
    if "/" in bucket and not bucket.startswith("arn:aws:s3:"):
        raise LocationError(
            f'backup storage location\'s bucket name "{spec.object_storage.bucket}" must not '
            "contain a '/' (if using a prefix, put it in the 'Prefix' field instead)"
        )
    if spec.object_storage.ca_cert and spec.object_storage.ca_cert_ref is not None:
        raise LocationError("cannot specify both caCert and caCertRef in objectStorage")


async def _credentials(key: SecretKey | None, secrets: Secrets) -> bytes | None:
    if key is None:
        return None
    return await secrets.entry(key, "unable to get credentials")


async def _certificates(storage: ObjectStorage, secrets: Secrets) -> bytes | None:
    if storage.ca_cert_ref is not None:
        return await secrets.entry(storage.ca_cert_ref, "error getting CA certificate from secret")
    if not storage.ca_cert:
        return None
    try:
        return base64.b64decode(storage.ca_cert, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise LocationError("spec.objectStorage.caCert is not base64") from exc


async def _customer_key(reference: str, secrets: Secrets) -> bytes | None:
    if not reference:
        return None
    name, _, key = reference.partition("/")
    if not name or not key or "/" in key:
        raise LocationError(f'config.{CUSTOMER_KEY} "{reference}" must be secretName/key')
    return await secrets.entry(SecretKey(name=name, key=key), f"config.{CUSTOMER_KEY}")
