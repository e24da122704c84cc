from typing import Any

import pytest
from aiohttp import HttpVersion11
from aiohttp.http_parser import RawRequestMessage
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from kedge.apiserver.http.connection import LONG_FIELD, shortened


def message(**headers: str) -> RawRequestMessage:
    fields: Any = CIMultiDictProxy(CIMultiDict(headers))
    return RawRequestMessage(
        "GET", "/", HttpVersion11, fields, (), False, None, False, False, URL("/")
    )


@pytest.mark.parametrize("name", ["Accept", "accept", "User-Agent"])
def test_what_is_taken_apart_is_cut(name: str) -> None:
    cut = shortened(message(**{name: "a" * (LONG_FIELD + 1), "Authorization": "b" * 10_000}))
    assert cut.headers["Accept" if name != "User-Agent" else name] == "a" * LONG_FIELD
    assert cut.headers["Authorization"] == "b" * 10_000


def test_what_is_short_stays() -> None:
    whole = message(Accept="application/json", Host="a")
    assert shortened(whole).headers == whole.headers
