"""Warnings of files in one volume of which one hides the other."""

from collections.abc import Iterator

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
            clashes: list[File] = []
            warnings += [
                f"volume {name} ({what}): overlapping paths: {text}"
                for text in _overlaps(files, clashes)
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
    taken: list[File] = []
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


def _overlaps(files: list[File], taken: list[File]) -> Iterator[str]:
    """Compare each file with those before it, and add it to them."""
    for path, source in files:
        path = path.rstrip("/")
        for other, origin in taken:
            if (
                path
                and other
                and (f"{other}/".startswith(f"{path}/") or f"{path}/".startswith(f"{other}/"))
            ):
                yield f"{_file(path, source)} with {_file(other, origin)}"
        taken.append((path, source))


def _file(path: str, source: str) -> str:
    return f"{quote(path)} ({source})" if source else quote(path)
