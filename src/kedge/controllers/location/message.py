"""Why a location can not be used, in words that can be shown to everybody. Pure."""

import re
from typing import Final

from kedge.kube.gotext import quote

_SIGNED: Final = re.compile(
    r"([?&])(sig|se|st|sp|spr|sv|sr|sip|srt|ss|X-Amz-[A-Za-z-]+|AWSAccessKeyId|Signature)=[^&\s<>\"']+"
)
"""Parameters of URLs that let whoever has them in."""
_XML_MESSAGE: Final = re.compile(r"<Message>(.*?)</Message>", re.DOTALL)
_XML_CODE: Final = re.compile(r"<Code>(\w+)</Code>|ERROR CODE:\s*(\w+)")
_PLAIN: Final = re.compile(r"RESPONSE\s+\d+:\s+\d+\s+([^\n]+)")
_NUMBER: Final = "\nRequestId:"
"""What follows differs each time, and says nothing."""
_LIMIT: Final = 1024


def unavailable(name: str, cause: str) -> str:
    """Say that a location can not be used, as Velero does."""
    return f"BackupStorageLocation {quote(name)} is unavailable: {tidy(cause)}"


def tidy(cause: str) -> str:
    """Leave out what is secret, and the pages that some stores answer with.

    >>> tidy("GET https://host/a?sv=1&sig=abc failed")
    'GET https://host/a?sv=***REDACTED***&sig=***REDACTED*** failed'
    """
    text = _SIGNED.sub(r"\1\2=***REDACTED***", cause)
    code, words = _XML_CODE.search(text), _XML_MESSAGE.search(text) or _PLAIN.search(text)
    if code:
        text = code[1] or code[2]
        if words and words[1].strip():
            text = f"{text}: {words[1].split(_NUMBER)[0]}"
    text = " ".join(text.split())
    return text if len(text) <= _LIMIT else text[:_LIMIT] + "…"
