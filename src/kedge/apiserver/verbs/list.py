"""List: a consistent page of a collection."""

from kedge.apiserver.call import Call
from kedge.apiserver.forms import Forms, Found
from kedge.apiserver.http.query import EXACT, ListOptions, list_options
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.objects import Objects
from kedge.apiserver.resource import Resource
from kedge.apiserver.verbs.labels import Labels
from kedge.apiserver.verbs.selection import Selection
from kedge.apiserver.verbs.token import Place, decode_token, encode_token
from kedge.apiserver.verbs.versions import listed_revision
from kedge.kube.errors import BadRequest, Expired
from kedge.kube.refusals import LIST_EXPIRED, continue_expired, too_large_version
from kedge.store import Compacted, FutureRevision

CHUNK = 500


class List:
    """Answers list requests."""

    def __init__(self, objects: Objects, forms: Forms) -> None:
        """Read from these objects, answer in these forms."""
        self.objects = objects
        self.forms = forms
        self.labels = Labels(objects.log)

    async def __call__(self, call: Call) -> Reply:
        """One page, in the form the client wants."""
        options = list_options(call.query, watch=False)
        found = await self.find(call.resource, call.namespace, options, call.name)
        return self.forms.collection(call, found)

    async def find(
        self, resource: Resource, namespace: str, options: ListOptions, name: str = ""
    ) -> Found:
        """Give the rows of one page."""
        selection = Selection(resource, options, name)
        prefix = f"{resource.prefix}{namespace}/" if namespace else resource.prefix
        place = self._place(options)
        after = prefix + place.after if place.after else None
        at = None if place.revision < 0 else place.revision
        try:
            if at is None and after is None and selection.by_labels_only:
                quick = await self._by_labels(resource, prefix, limit_of(options), selection)
                if quick is not None:
                    return quick
            return await self._collect(prefix, at, after, limit_of(options), selection)
        except Compacted:
            if options.token:
                raise continue_expired(encode_token(Place(place.after, -1))) from None
            raise Expired(LIST_EXPIRED) from None
        except FutureRevision:
            raise too_large_version(place.revision, self.objects.log.revision) from None

    def _place(self, options: ListOptions) -> Place:
        revision = listed_revision(options.revision)
        if options.token:
            place = decode_token(options.token)
            if options.revision and options.revision != "0":
                raise BadRequest("specifying resource version is not allowed when using continue")
            return place
        current = self.objects.log.revision
        if revision > current:
            raise too_large_version(revision, current)
        exact = options.match == EXACT or (not options.match and options.limit > 0 and revision)
        return Place("", revision if exact else -1)

    async def _by_labels(
        self, resource: Resource, prefix: str, limit: int, selection: Selection
    ) -> Found | None:
        """Find the rows without reading those that do not match; None: that does not help here."""
        assert selection.labels is not None
        keys = await self.labels.find(resource.prefix, prefix, selection.labels.matches)
        if keys is None or (limit and len(keys) >= limit):
            return None
        revision = self.objects.log.revision
        return Found(await self.labels.read(keys, revision), revision)

    async def _collect(
        self, prefix: str, at: int | None, after: str | None, limit: int, selection: Selection
    ) -> Found:
        found = Found()
        matches = selection.matches
        step = limit if limit and matches is None else max(limit, CHUNK) if limit else None
        while True:
            page = await self.objects.log.list(prefix, at=at, after=after, limit=step)
            at = found.revision = page.revision
            for position, record in enumerate(page.records):
                if matches is None or matches(record.value):
                    found.records.append(record)
                    if limit and len(found.records) == limit:
                        left = (
                            len(page.records) - position - 1 + (page.remaining if page.more else 0)
                        )
                        self._page_end(
                            found, record.key.removeprefix(prefix), left, matches is None
                        )
                        return found
            if not page.more:
                return found
            after = page.records[-1].key

    def _page_end(self, found: Found, last: str, left: int, countable: bool) -> None:
        if left:
            found.token = encode_token(Place(last, found.revision))
            found.remaining = left if countable else None


def limit_of(options: ListOptions) -> int:
    """Give how many objects a page has; what comes from a cache, whatever its age, has no pages."""
    return 0 if options.limit < 0 or options.revision == "0" else options.limit
