"""Warnings of files in one volume of which one hides the other."""

from collections.abc import Iterator

from kedge.apiserver.http.warning import MOST_RUNES
from kedge.apiserver.resource import Object
from kedge.kube.gotext import quote

File = tuple[str, str]
"""A path, and where it comes from."""


def overlap_warnings(volumes: list[Object]) -> list[str]:
    """Warn of paths in a volume that are the same or lie within each other."""
    warnings: list[str] = []
    for volume in volumes:
        name = quote(volume.get("name", ""))
        for kind, what in _sources(volume):
            files = [(item.get("path", ""), "") for item in kind.get("items") or ()]
            warnings += [
                f"volume {name} ({what}): overlapping paths: {text}"
                for text in _overlaps(files, Taken())
            ]
        if "projected" in volume:
            warnings += _projected(volume["projected"], name)
    return warnings


def _sources(volume: Object) -> Iterator[tuple[Object, str]]:
    if "configMap" in volume:
        yield volume["configMap"], f"ConfigMap {quote(volume['configMap'].get('name', ''))}"
    if "secret" in volume:
        yield volume["secret"], f"Secret {quote(volume['secret'].get('secretName', ''))}"
    if "downwardAPI" in volume:
        yield volume["downwardAPI"], "DownwardAPI"


def _projected(volume: Object, name: str) -> list[str]:
    warnings: list[str] = []
    taken = Taken()
    for source in volume.get("sources") or ():
        if not source:
            warnings.append(f"volume {name} (Projected) has no sources provided")
            continue
        warnings += [
            f"volume {name} (Projected): overlapping paths: {text}"
            for text in _overlaps(_files(source), taken)
        ]
    return warnings


def _files(source: Object) -> list[File]:
    """List the files of the first source that has any."""
    for key, kind in (("configMap", "ConfigMap"), ("secret", "Secret"), ("downwardAPI", "")):
        if (source.get(key) or {}).get("items"):
            what = f"{kind} {quote(source[key].get('name', ''))}" if kind else "DownwardAPI"
            return [(item.get("path", ""), what) for item in source[key]["items"]]
    if "serviceAccountToken" in source:
        return [(source["serviceAccountToken"].get("path", ""), "ServiceAccountToken")]
    return []


class Tree:
    """Files by their path, to find those above and below another one."""

    def __init__(self) -> None:
        """Begin empty."""
        self.files: list[tuple[int, File]] = []
        self.below: dict[str, Tree] = {}

    def clashes(self, path: str) -> list[File]:
        """Give the files that are, hold or lie within this path, in the order they came."""
        found: list[tuple[int, File]] = []
        tree: Tree | None = self
        for part in path.split("/"):
            tree = tree.below.get(part) if tree else None
            found += tree.files if tree else ()
        trees = list(tree.below.values()) if tree else []
        while trees and len(found) <= MOST_RUNES:
            tree = trees.pop()
            found += tree.files
            trees += tree.below.values()
        return [file for _, file in sorted(found)]

    def add(self, number: int, file: File) -> None:
        """Take in one more file."""
        tree = self
        for part in file[0].split("/"):
            tree = tree.below.setdefault(part, Tree())
        tree.files.append((number, file))


class Taken(Tree):
    """The files of one volume so far."""

    count = 0
    told = 0


def _overlaps(files: list[File], taken: Taken) -> Iterator[str]:
    """Compare each file with those before it, and add it to them."""
    for path, source in files:
        path = path.rstrip("/")
        if not path or taken.told > MOST_RUNES:
            continue
        for other, origin in taken.clashes(path):
            taken.told += 1
            yield f"{_file(path, source)} with {_file(other, origin)}"
        taken.count += 1
        taken.add(taken.count, (path, source))


def _file(path: str, source: str) -> str:
    return f"{quote(path)} ({source})" if source else quote(path)
