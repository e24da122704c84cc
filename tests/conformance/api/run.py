"""Hold a conversation with a server and write down its answers."""

import asyncio
import json
import ssl
from dataclasses import dataclass
from string import Template
from typing import Any

import aiohttp
import yaml
from yarl import URL

from tests.conformance.api.mask import Mask
from tests.conformance.api.model import Conversation, Step

Answer = dict[str, Any]
DEADLINE = 60.0
AGENT = "conformance/1.0"


@dataclass(frozen=True, slots=True)
class Target:
    """A server to ask."""

    url: str
    tls: ssl.SSLContext
    tokens: dict[str, str]
    """Bearer tokens of admin, alice and bob."""


class Talk:
    """One conversation under way."""

    def __init__(
        self, target: Target, session: aiohttp.ClientSession, one: Conversation, again: int
    ) -> None:
        self.target = target
        self.session = session
        self.conversation = one
        # What a first try has left behind must not meet the second.
        word = f"c{again or ''}-{one.word}"
        self.variables = {"ns": word, "id": word}
        self.mask = Mask({self.variables["ns"]: "<ns>"})
        self.answers: list[Answer | None] = []

    async def hold(self) -> list[Answer | None]:
        """Go through all steps in a fresh namespace; None: an answer that is not compared.

        The namespace stays: servers are thrown away, and a real one takes long to empty hundreds.
        """
        namespace = {"metadata": {"name": self.variables["ns"]}}
        await self._ask(Step("POST", "/api/v1/namespaces", namespace))
        for step in self.conversation.steps:
            await self._take(step)
        return self.answers

    async def _take(self, step: Step) -> None:
        if step.method == "WATCH":
            await self._watch(step)
            return
        answer = await self._until(step)
        self._save(step, answer)
        self.answers.append(None if step.skip else self._masked(answer))

    async def _until(self, step: Step) -> Answer:
        async with asyncio.timeout(DEADLINE):
            while True:
                answer = await self._ask(step)
                if all(_at(answer, path) == wanted for path, wanted in step.until.items()):
                    return answer
                await asyncio.sleep(0.02)  # noqa: TID251 - a real server has no clock to be moved

    async def _ask(self, step: Step) -> Answer:
        if isinstance(step.body, dict) and "generateName" in (step.body.get("metadata") or {}):
            self.mask.generated(step.body["metadata"]["generateName"])
        async with self.session.request(
            step.method, self._url(step), data=self._body(step), headers=self._headers(step)
        ) as response:
            raw = await response.read()
            return {
                "code": response.status,
                "type": response.headers.get("Content-Type", ""),
                "warnings": response.headers.getall("Warning", []),
                "body": _parsed(raw, response.headers.get("Content-Type", "")),
            }

    async def _watch(self, step: Step) -> None:
        """Open a watch, do what is to be done meanwhile, and take the events."""
        headers = self._headers(step)
        async with self.session.get(self._url(step), headers=headers) as response:
            for inner in step.steps:
                await self._take(inner)
            events: list[Any] = []
            if response.status == 200:
                async with asyncio.timeout(DEADLINE):
                    while len(events) < step.events or not step.events:
                        line = await response.content.readline()
                        if not line:
                            break
                        events.append(json.loads(line))
            else:
                events.append(_parsed(await response.read()))
        self.answers.append({"code": response.status, "events": self.mask.body(events)})

    def _url(self, step: Step) -> URL:
        # As it is written: odd paths are what some conversations are about.
        return URL(self.target.url + self._filled(step.path), encoded=True)

    def _filled(self, text: str) -> str:
        return Template(text).safe_substitute(self.variables)

    def _body(self, step: Step) -> bytes | None:
        if step.body is None:
            return None
        text = step.body if isinstance(step.body, str) else json.dumps(step.body)
        return self._filled(text).encode()

    def _headers(self, step: Step) -> dict[str, str]:
        headers = {"User-Agent": AGENT, "Accept": step.accept or "application/json"}
        if step.body is not None:
            headers["Content-Type"] = step.media or "application/json"
        elif step.media:
            headers["Content-Type"] = step.media
        if step.user != "anonymous":
            token = self.target.tokens.get(step.user, "wrong")
            headers["Authorization"] = f"Bearer {token}"
        headers.update({name: self._filled(value) for name, value in step.headers.items()})
        return headers

    def _save(self, step: Step, answer: Answer) -> None:
        for name, path in step.save.items():
            self.variables[name] = str(_at(answer, path))

    def _masked(self, answer: Answer) -> Answer:
        masked = {"code": answer["code"], "type": answer["type"]}
        if answer["warnings"]:
            masked["warnings"] = [self.mask.text(text) for text in answer["warnings"]]
        return {**masked, "body": self.mask.body(answer["body"])}


def _parsed(raw: bytes, media: str = "") -> Any:
    if media == "application/yaml":
        return yaml.load(raw, Loader=yaml.BaseLoader)
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")


def _at(answer: Answer, path: str) -> Any:
    if path == "code":
        return answer["code"]
    value = answer["body"]
    for part in path.split("."):
        if isinstance(value, list):
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


async def hold(
    target: Target, conversations: list[Conversation], again: int = 0
) -> dict[str, list[Answer | None]]:
    """Hold all conversations, one after the other; `again` counts the tries before."""
    connector = aiohttp.TCPConnector(ssl=target.tls)
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        return {one.id: await Talk(target, session, one, again).hold() for one in conversations}
