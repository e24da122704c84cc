import configparser
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kedge.controllers.nabsl.credentials import credential_problem

KEYS = "aws_access_key_id=a\naws_secret_access_key=hunter2\n"
GOOD = f"[default]\n{KEYS}"
GOOGLE = {"type": "service_account", "client_email": "a@b", "private_key": "hunter2"}
AZURE_KEY = {"storageAccountKeyEnvVar": "KEY"}
LEADING = "another address"
BORROWING = "the server's own"


def problem(provider: str, text: str | dict[str, Any], **config: str) -> str:
    data = text if isinstance(text, str) else json.dumps(text)
    return credential_problem(data.encode(), {"provider": provider, "config": config})


@pytest.mark.parametrize(
    ("provider", "text", "config"),
    [
        ("aws", GOOD, {}),
        ("velero.io/aws", GOOD, {}),
        ("aws", f"\ufeff# mine\r\n[ default ]\r\n{KEYS}", {}),
        ("aws", "[default]\nAWS_Access_Key_Id : a\naws_secret_access_key = 'b/c+d='\n", {}),
        ("aws", f"{GOOD}aws_session_token=c==\nregion = eu-west-1\noutput=json ; or not\n", {}),
        ("aws", f"[mine]\n{KEYS}", {"profile": "mine"}),
        ("aws", f"[profile mine]\n{KEYS}[default]\n{KEYS}", {"profile": "mine"}),
        ("gcp", GOOGLE, {}),
        ("gcp", {**GOOGLE, "token_uri": "https://oauth2.googleapis.com/token"}, {}),
        ("gcp", {**GOOGLE, "token_uri": "https://accounts.google.com/o/oauth2/token"}, {}),
        ("gcp", {**GOOGLE, "universe_domain": "googleapis.com"}, {}),
        (
            "gcp",
            {**GOOGLE, "universe_domain": "u.test", "token_uri": "https://oauth2.u.test/token"},
            {"universeDomain": "u.test"},
        ),
        ("azure", "KEY=eA==", AZURE_KEY),
        ("azure", 'export AZURE_TENANT_ID="x"\n# mine\nKEY = "eA=="', AZURE_KEY),
        ("azure", "AZURE_CLIENT_SECRET=x~y.z\nAZURE_CLOUD_NAME=AzurePublicCloud", {}),
        ("azure", "AZURE_CLIENT_SECRET=x", {"useAAD": "true"}),
        ("example.com/other", "OTHER_KEY=x\nmy_services=y", {}),
    ],
)
def test_keys_of_ones_own_are_taken(
    provider: str, text: str | dict[str, Any], config: dict[str, str]
) -> None:
    assert problem(provider, text, **config) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{GOOD}endpoint_url = http://10.0.0.1", LEADING),
        (f"{GOOD}Endpoint_URL: http://10.0.0.1", LEADING),
        (f"{GOOD}services = mine\n[services mine]\ns3 =\n  endpoint_url = http://x", LEADING),
        (f"{GOOD}s3 =\n    endpoint_url = http://x", "line 4"),
        (f"{GOOD}ec2_metadata_service_endpoint=http://x", LEADING),
        (f"[default]\nWeb_Identity_Token_File=/x\n{KEYS}", BORROWING),
        (f"{GOOD}credential_process=/bin/sh", BORROWING),
        (f"{GOOD}source_profile=x", BORROWING),
        (f"{GOOD}role_arn=x", BORROWING),
        (f"{GOOD}ca_bundle=/x", BORROWING),
        (f"{GOOD}sso_account_id=x", "line 4"),
        (f"{GOOD}\x0bendpoint_url=x", "control character"),
        (f"{GOOD}\rendpoint_url=x", "control character"),
        ("[default]\nregion=x", "no aws_access_key_id"),
        ("[default]\naws_access_key_id=\naws_secret_access_key=x", "no aws_access_key_id"),
        ("[default]\naws_access_key_id=#a\naws_secret_access_key=x", "no aws_access_key_id"),
        ('[default]\naws_access_key_id=""\naws_secret_access_key=x', "no aws_access_key_id"),
        ('[default]\naws_access_key_id="" #a\naws_secret_access_key=x', "no plain value"),
        (f"{GOOD}aws_access_key_id=", "no aws_access_key_id"),
        (f"{GOOD}[other]\naws_access_key_id=a", "no aws_secret_access_key"),
        (f"{GOOD}[default]\n{KEYS}", "again"),
        (f"[mine]\n{KEYS}", "the profile that is used"),
        (KEYS, "in no profile"),
        ("hunter2", "line 1"),
        (json.dumps(GOOGLE), "line 1"),
        ("", "empty"),
        (" \n", "empty"),
    ],
)
def test_a_file_of_amazon_s_has_keys_and_no_more(text: str, why: str) -> None:
    assert why in problem("aws", text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ({**GOOGLE, "gcs_base_url": "https://10.0.0.1"}, LEADING),
        ({**GOOGLE, "token_uri": "https://10.0.0.1/token"}, "token_uri"),
        ({**GOOGLE, "token_uri": "http://oauth2.googleapis.com/token"}, "token_uri"),
        ({**GOOGLE, "token_uri": "https://x.test/.googleapis.com/"}, "token_uri"),
        ({**GOOGLE, "token_uri": "https://xgoogleapis.com/token"}, "token_uri"),
        ({**GOOGLE, "token_uri": "https://a@oauth2.googleapis.com/token"}, "token_uri"),
        ({**GOOGLE, "token_uri": None}, "token_uri"),
        ({**GOOGLE, "universe_domain": "x.test"}, "universe_domain"),
        ({**GOOGLE, "Type": "external_account"}, "an entry"),
        ({**GOOGLE, "disable_oauth": True}, "an entry"),
        ({"type": "external_account", "credential_source": {"file": "/x"}}, "service account"),
        ({"type": "authorized_user"}, "service account"),
        ('{"t\\u0079pe": "external_account"}', "service account"),
        ("[]", "service account"),
        ("{", "JSON"),
        (GOOD, "JSON"),
    ],
)
def test_a_key_of_google_s_leads_to_google(text: str | dict[str, Any], why: str) -> None:
    assert why in problem("gcp", text)


@pytest.mark.parametrize(
    ("text", "config", "why"),
    [
        ("AZURE_TENANT_ID=x", {"useAAD": "true"}, BORROWING),
        ("AZURE_SUBSCRIPTION_ID=x\nAZURE_RESOURCE_GROUP=y", {}, BORROWING),
        ("AZURE_STORAGE_KEY=eA==", {}, BORROWING),
        ("AZURE_CLIENT_SECRET=", {}, BORROWING),
        ("AZURE_CLIENT_SECRET= # x", {}, BORROWING),
        ("AZURE_TENANT_ID=x\n# AZURE_CLIENT_SECRET=x", {}, BORROWING),
        ("AZURE_CLIENT_SECRET=$NOTHING", {}, "no plain value"),
        ("AZURE_CLIENT_SECRET='' # x", {}, "no plain value"),
        ("AZURE_CLIENT_SECRET=x\nAZURE_CLIENT_SECRET=", {}, "again"),
        ("AZURE_CLIENT_SECRET: x", {}, "line 1"),
        ("AZURE_CLIENT_SECRET=x\nAZURE_CLIENT_CERTIFICATE_PATH=/x", {}, BORROWING),
        ("AZURE_CLIENT_SECRET=x\nAZURE_FEDERATED_TOKEN_FILE=/x", {}, BORROWING),
        ("AZURE_CLIENT_SECRET=x\nAZURE_AUTHORITY_HOST=https://x", {}, "line 2"),
        ("AZURE_CLIENT_SECRET=x", AZURE_KEY, "storageAccountKeyEnvVar"),
        (
            "AZURE_CLIENT_CERTIFICATE_PATH=/x",
            {"storageAccountKeyEnvVar": "AZURE_CLIENT_CERTIFICATE_PATH"},
            BORROWING,
        ),
    ],
)
def test_lines_of_azure_s_have_a_key_or_a_secret(
    text: str, config: dict[str, str], why: str
) -> None:
    assert why in problem("azure", text, **config)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{GOOD}endpoint_url=x", LEADING),
        (f"{GOOD}services = x", LEADING),
        ("[default]\ncredential_process=/bin/sh", BORROWING),
        ({**GOOGLE, "gcs_base_url": "https://x"}, LEADING),
    ],
)
def test_of_providers_that_nobody_knows_the_worst_is_refused(
    text: str | dict[str, Any], why: str
) -> None:
    assert why in problem("example.com/other", text)


def test_what_is_no_text_is_no_credential() -> None:
    assert credential_problem(b"\xff\xfe", {"provider": "aws"}) == "it is no text"


FINE = [
    ("[default]", "aws_access_key_id=a", "aws_secret_access_key: 'b'"),
    ("[ other ]", "# endpoint_url=x", " AWS_ACCESS_KEY_ID = a # b", "aws_secret_access_key=b"),
]
ODD = [
    *("[default]", "[default", "aws_access_key_id =", "aws_secret_access_key", ";x", "", "=x"),
    *("endpoint_url=x", "  endpoint_url=x", "\tendpoint_url : x", "s3 =", "[services x]"),
]
BLOCKS = st.lists(st.sampled_from([*FINE, *((line,) for line in ODD)]), max_size=3)


@given(BLOCKS, st.sampled_from(["\n", "\r\n", "\r", "\x0c", "\u2028"]))
@example([FINE[1]], "\n")
def test_what_is_taken_is_read_as_keys_by_others_too(
    blocks: list[tuple[str, ...]], end: str
) -> None:
    text = end.join(line for block in [FINE[0], *blocks] for line in block)
    if problem("aws", text):
        return
    found = configparser.RawConfigParser(default_section="")
    found.read_string(text)
    for name in found.sections():
        assert set(found[name]) == {"aws_access_key_id", "aws_secret_access_key"}
        assert all(found[name].values())


@given(
    st.sampled_from(["aws", "gcp", "azure", "other"]), st.text("ab=:[]{}\"'\n\r #;$_", max_size=40)
)
def test_no_secret_is_told(provider: str, noise: str) -> None:
    text = noise.replace("a", "hunter2 ").replace("b", "hunter2")
    assert "hunter2" not in problem(provider, text)
