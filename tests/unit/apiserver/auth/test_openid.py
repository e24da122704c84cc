"""Documents of OpenID discovery."""

from cryptography.hazmat.primitives.asymmetric import ec

from kedge.apiserver.auth import openid
from kedge.apiserver.auth.jwt import Signer


def test_documents_tell_how_to_check_tokens() -> None:
    signer = Signer(ec.generate_private_key(ec.SECP256R1()), "https://issuer")
    assert openid.configuration(signer, "https://127.0.0.1:6443") == {
        "issuer": "https://issuer",
        "jwks_uri": "https://127.0.0.1:6443/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }
    assert openid.keys(signer) == {"keys": [signer.jwk]}
