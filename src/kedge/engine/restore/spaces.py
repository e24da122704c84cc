"""Namespaces into which objects come back: each is made once, before the first of them."""

from kedge.archive.contents import Contents
from kedge.archive.item import Place
from kedge.engine.journal import Journal
from kedge.engine.restore.fields import table
from kedge.engine.restore.hand import Hand, NamespaceError
from kedge.engine.restore.identity import ItemError, read
from kedge.engine.restore.ledger import Ledger, Result
from kedge.engine.restore.once import Once
from kedge.engine.restore.select import NAMESPACES
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.kind import Object

KEY = "v1/Namespace"


def namespace_from(contents: Contents, source: str, target: str) -> Object:
    """Make a Namespace like the one of the backup; a blank one if it has none."""
    made: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": target}}
    place = Place(NAMESPACES, "", source)
    data = contents.get(place)
    if data is None:
        return made
    try:
        kept = read(place, data)
    except ItemError:
        return made
    for field in ("labels", "annotations"):
        if table(kept, "metadata", field):
            made["metadata"][field] = kept["metadata"][field]
    if table(kept, "spec"):
        made["spec"] = kept["spec"]
    return made


class Spaces:
    """Makes namespaces, and knows which are there and which can not be."""

    def __init__(self, contents: Contents, hand: Hand, ledger: Ledger, journal: Journal) -> None:
        """Make them by a hand."""
        self._contents = contents
        self._hand = hand
        self._ledger = ledger
        self._journal = journal
        self._results: Once[str, Result] = Once()

    async def ensure(self, source: str, target: str) -> Result:
        """Make a namespace like one of the backup unless it is there, and tell what became of it.

        What it is like is up to the first of the namespaces that go into it.
        """
        return await self._results.get(target, lambda: self._ensure(source, target))

    async def _ensure(self, source: str, target: str) -> Result:
        namespace = namespace_from(self._contents, source, target)
        place = Place(NAMESPACES, "", target)
        try:
            made = await self._hand.ensure(namespace)
        except (ApiError, NamespaceError, ValueError) as exc:
            why = cut(str(exc))
            self._journal.error(why)
            self._ledger.add(KEY, place, Result.FAILED)
            self._hand.tell(place, Result.FAILED, why)
            return Result.FAILED
        if made:
            self._journal.info("Created namespace", resource=NAMESPACES, name=target)
        result = Result.CREATED if made else Result.SKIPPED
        if made:
            self._ledger.add(KEY, place, result)
        return result
