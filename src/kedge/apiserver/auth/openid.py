"""How others can check service-account tokens: the documents of OpenID discovery."""

from typing import Any

from kedge.apiserver.auth.jwt import ALGORITHM, Signer

KEYS_PATH = "/openid/v1/jwks"
CONFIGURATION_PATH = "/.well-known/openid-configuration"
KEYS_MEDIA = "application/jwk-set+json"


def configuration(signer: Signer, url: str) -> dict[str, Any]:
    """Make the document at `/.well-known/openid-configuration` of the server at `url`."""
    return {
        "issuer": signer.issuer,
        "jwks_uri": url + KEYS_PATH,
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    }


def keys(signer: Signer) -> dict[str, Any]:
    """Make the document at `/openid/v1/jwks`."""
    return {"keys": [signer.jwk]}
