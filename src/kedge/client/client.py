"""The verbs of the Kubernetes API, for typed kinds and for plain dicts alike."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Any, TypeVar

from kedge.aio.clock import Clock, SystemClock
from kedge.aio.closing import Closing
from kedge.client import exec as executing
from kedge.client import logs, requests, reviews
from kedge.client.discovery import Discovery
from kedge.client.errors import BadAnswer
from kedge.client.exec import Command, Input, Result, Session
from kedge.client.http import Observer, Transport, unobserved
from kedge.client.patches import Patch
from kedge.client.requests import (
    AS_USUAL,
    EVERYTHING,
    PLAINLY,
    Deletion,
    Following,
    Request,
    Selection,
    Writing,
)
from kedge.client.responses import Page, Response, check, read, read_page
from kedge.client.reviews import Decision, Question, User
from kedge.client.settings import ClientSettings
from kedge.client.status import StatusChange, Statuses, StatusOf
from kedge.client.watch import Watch
from kedge.client.where import Access
from kedge.kube.errors import ApiError
from kedge.kube.kind import Kind, Object

T = TypeVar("T")


class Client(Closing):
    """Speaks to one API server as one user. Every verb raises ApiError or ClientError."""

    def __init__(
        self,
        access: Access,
        settings: ClientSettings | None = None,
        clock: Clock | None = None,
        observer: Observer = unobserved,
    ) -> None:
        """Connect when it is first used; close it, or use it as a context manager."""
        self.access = access
        self.settings = settings or ClientSettings()
        self.clock = clock or SystemClock()
        self.transport = Transport(access, self.settings, self.clock, observer)
        self.discovery = Discovery(self.transport, self.clock)
        self._statuses = Statuses(self.transport, self.discovery)

    async def close(self) -> None:
        """Close the connections."""
        await self.transport.close()

    async def get(self, kind: Kind[T], name: str, namespace: str | None = None) -> T:
        """Read one object; raises NotFound."""
        return read(await self.send(requests.get(kind, name, namespace)), kind.model)

    async def list(
        self, kind: Kind[T], selection: Selection = EVERYTHING, version: str = ""
    ) -> AsyncIterator[T]:
        """Read objects one after the other; the next page is asked for when it is needed."""
        async for page in self.pages(kind, selection, version=version):
            if page.misfits:
                first = page.misfits[0]
                raise BadAnswer(f"{kind} {first.object.metadata.name!r}: {first.why}")
            for item in page.items:
                yield item

    async def pages(
        self,
        kind: Kind[T],
        selection: Selection = EVERYTHING,
        size: int | None = None,
        version: str = "",
    ) -> AsyncIterator[Page[T]]:
        """Read a list page by page; raises Expired where it took too long to go on."""
        token = ""
        while True:
            page = await self.page(kind, selection, size, token, version)
            yield page
            token, version = page.token, ""
            if not token:
                return

    async def page(
        self,
        kind: Kind[T],
        selection: Selection = EVERYTHING,
        size: int | None = None,
        token: str = "",
        version: str = "",
    ) -> Page[T]:
        """Read one page of a list; a `size` of 0 is all in one.

        Of a `version` of 0 the server gives what it has at hand, which may be a little old; of
        another one what has seen at least that. Else it makes sure that it has seen all writes, for
        which a list after a write may have to wait.
        """
        size = self.settings.page if size is None else size
        request = requests.page(kind, selection, size, token, version)
        return read_page(await self.send(request), kind)

    async def create(
        self, kind: Kind[T], obj: T, namespace: str | None = None, writing: Writing = PLAINLY
    ) -> T:
        """Make an object; raises AlreadyExists."""
        request = requests.create(kind, obj, namespace, self._named(writing))
        return read(await self.send(request), kind.model)

    async def update(
        self, kind: Kind[T], obj: T, namespace: str | None = None, writing: Writing = PLAINLY
    ) -> T:
        """Put an object in the place of the version it was made from; raises Conflict."""
        request = requests.update(kind, obj, namespace, self._named(writing))
        return read(await self.send(request), kind.model)

    async def patch(
        self,
        kind: Kind[T],
        name: str,
        change: Patch,
        namespace: str | None = None,
        writing: Writing = PLAINLY,
    ) -> T:
        """Change a part of an object; raises NotFound, and Conflict where it names a version."""
        request = requests.patch(kind, name, change, namespace, self._named(writing))
        return read(await self.send(request), kind.model)

    async def patch_status(
        self,
        kind: Kind[T],
        name: str,
        change: Patch,
        namespace: str | None = None,
        writing: Writing = PLAINLY,
    ) -> T:
        """Change the status of an object, in the way that this server takes it."""
        named = self._named(writing)
        return await self._statuses.patch(kind, name, change, namespace, named)

    async def write_status(
        self, kind: Kind[T], over: StatusOf, change: Object, writing: Writing = PLAINLY
    ) -> T:
        """Change the status of an object that is still in this version; raises Conflict.

        It does what a merge patch does that names the version. But the server gets the whole status
        and need not put it together, which is less work for it.
        """
        return await self._statuses.write(kind, over, change, self._named(writing))

    async def patch_statuses(
        self, kind: Kind[T], changes: Sequence[StatusChange], writing: Writing = PLAINLY
    ) -> Sequence[T | ApiError]:
        """Change the status of several objects in turn, with little more work than for one.

        What the server says to each is given in its place. Raises ClientError.
        """
        return await self._statuses.patch_all(kind, changes, self._named(writing))

    async def update_status(
        self, kind: Kind[T], obj: T, namespace: str | None = None, writing: Writing = PLAINLY
    ) -> T:
        """Put the status of an object in the place of the older one; raises Conflict."""
        return await self._statuses.update(kind, obj, namespace, self._named(writing))

    async def delete(
        self,
        kind: Kind[Any],
        name: str,
        namespace: str | None = None,
        deletion: Deletion = AS_USUAL,
    ) -> Object:
        """Delete an object; gives it back while it is still there, else a Status."""
        response = await self.send(requests.delete(kind, name, namespace, deletion))
        return read(response, dict)

    async def delete_collection(
        self, kind: Kind[Any], selection: Selection = EVERYTHING, deletion: Deletion = AS_USUAL
    ) -> None:
        """Delete all objects that are selected."""
        check(await self.send(requests.delete_collection(kind, selection, deletion)))

    @asynccontextmanager
    async def watch(
        self,
        kind: Kind[T],
        selection: Selection = EVERYTHING,
        following: Following = requests.FROM_NOW,
    ) -> AsyncIterator[Watch[T]]:
        """Follow the changes of a collection; raises Expired where the version is too old."""
        async with self.transport.open(requests.watch(kind, selection, following)) as stream:
            yield Watch(kind, stream)

    async def exec(  # noqa: PLR0913 - one argument for each thing that may be wanted
        self,
        name: str,
        namespace: str,
        command: Sequence[str],
        *,
        container: str | None = None,
        stdin: Input | None = None,
        tty: bool = False,
        timeout_seconds: float | None = None,
    ) -> Result:
        """Run a command in a container of a pod to its end; raises DeadlineExceeded.

        Where it takes too long, or the connection is lost (Disconnected), it may run on.
        """
        seconds = self.settings.exec_seconds if timeout_seconds is None else timeout_seconds
        wanted = Command(command, container, stdin is not None, tty)
        return await executing.run(self.transport, name, namespace, wanted, stdin, seconds)

    def exec_session(
        self, name: str, namespace: str, command: Command
    ) -> AbstractAsyncContextManager[Session]:
        """Run a command in a container of a pod, and speak with it while it runs."""
        return executing.session(self.transport, name, namespace, command)

    def logs(  # noqa: PLR0913 - one argument for each thing that may be wanted
        self,
        name: str,
        namespace: str,
        *,
        container: str | None = None,
        follow: bool = False,
        previous: bool = False,
        since_seconds: int | None = None,
        since_time: datetime | None = None,
        tail_lines: int | None = None,
        timestamps: bool = False,
        limit_bytes: int | None = None,
    ) -> AsyncGenerator[bytes, None]:
        r"""Read the log of a container line by line, without the `\n`; raises Disconnected.

        Whoever stops before the end closes it (`contextlib.aclosing`).
        """
        wanted = logs.Log(
            container,
            follow,
            previous,
            since_seconds,
            since_time,
            tail_lines,
            timestamps,
            limit_bytes,
        )
        return logs.lines(self.transport, name, namespace, wanted)

    async def may(
        self,
        verb: str,
        what: Kind[Any] | str,
        namespace: str | None = None,
        name: str = "",
        subresource: str = "",
    ) -> Decision:
        """Ask whether we may do something; see `Question` for the words."""
        question = Question(verb, what, namespace, name, subresource)
        return reviews.decision(await self.send(reviews.may_i(question)))

    async def may_they(self, user: User, question: Question) -> Decision:
        """Ask whether somebody else may do something; raises Forbidden where we may not ask."""
        return reviews.decision(await self.send(reviews.may_they(user, question)))

    async def whoami(self) -> User:
        """Ask who we are for the server; raises NotFound on those before Kubernetes 1.28."""
        return reviews.user(await self.send(reviews.who_am_i()))

    async def send(self, request: Request) -> Response:
        """Send any other request; its answer may tell of a failure."""
        return await self.transport.send(request)

    def _named(self, writing: Writing) -> Writing:
        if writing.manager or not self.settings.manager:
            return writing
        return Writing(self.settings.manager, writing.dry_run, writing.validation)
