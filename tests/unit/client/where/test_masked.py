import pytest

from kedge.client.where.masked import masked
from tests.unit.client.where.material import jwt, made


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("login failed for hunter2", "hunter2"),
        ("token=abc", "abc"),
        ('{"access_token": "abc"}', "abc"),
        ("client-secret: abc", "abc"),
        ("Authorization: Bearer abc", "abc"),
        ("sent bearer abc.def", "abc.def"),
        ("password: 'open sesame'", "sesame"),
        ("bad token ABC-123", "ABC-123"),
        ("bad password pa55word", "pa55word"),
        ("https://me:abc@host/", "me:abc"),
        (f"got {jwt(None, sub='me')}", jwt(None, sub="me")[-10:]),
        ("got wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "bPxRfiCY"),
        ("got 5f4dcc3b5aa765d61d8327deb882cf99", "5f4dcc3b"),
        ("it was super-secret-token", "super"),
        ("it was s3cret", "s3cret"),
        ("it was abcdefghijklmnopqrstuvwxyzabcdef", "abcdef"),
        ("code=AQAB1234", "AQAB"),
        pytest.param(made().key.decode(), "PRIVATE", id="a private key"),
        pytest.param(made().key.decode()[:100], "PRIVATE", id="the head of a private key"),
    ],
)
def test_secrets_are_hidden(text: str, secret: str) -> None:
    assert secret not in masked(text, ["hunter2"])


@pytest.mark.parametrize(
    "text",
    [
        "token expired, please log in",
        "exec: /usr/local/lib/python3.11/site-packages/botocore: no such file",
        "dial tcp: lookup login.example-provider.org: no such host",
        "Unable to locate credentials. You can configure them by running a command.",
        "error: 401 at 2024-01-02T03:04:05Z",
        "An error occurred (UnrecognizedClientException) for host-name: can't go on, 12% done",
        "https://login.example.org/oauth/token answered (v1, k8s)",
    ],
)
def test_plain_words_are_kept(text: str) -> None:
    assert masked(text, []) == text


def test_short_words_are_not_secrets() -> None:
    assert masked("a failure", ["a", ""]) == "a failure"


def test_a_secret_at_the_cut_is_not_shown_by_half() -> None:
    text = "x " * 2046 + "correct-horse"
    assert "corr" not in masked(text, ["correct-horse"])
