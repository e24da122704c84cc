"""Objects in a file, in YAML or JSON: one, several, or lists of them."""

from collections.abc import Iterator
from typing import Any

import click

from kedge.cli.errors import Failure


def read_objects(path: str, api_version: str, kind: str) -> list[dict[str, Any]]:
    """Read the objects of a kind from a file, `-` is stdin; Failure if there are none."""
    found = [
        one
        for one in read_all(path)
        if one.get("apiVersion") == api_version and one.get("kind") == kind
    ]
    if not found:
        raise Failure(f"there is no {kind} of {api_version} in {path}")
    return found


def read_all(path: str) -> list[dict[str, Any]]:
    """Read the objects of all kinds from a file, `-` is stdin; Failure if it can not be read."""
    import yaml

    try:
        with click.open_file(path, encoding="utf-8") as file:
            documents = list(yaml.load_all(file, _loader()))
    except OSError as exc:
        raise Failure(f"can not read {path}: {exc.strerror or exc}") from exc
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as exc:
        raise Failure(f"{path} is neither YAML nor JSON: {_one_line(exc)}") from exc
    return [one for document in documents for one in _objects(document)]


def _objects(document: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(document, dict):
        return
    items = document.get("items")
    if str(document.get("kind", "")).endswith("List") and isinstance(items, list):
        for item in items:
            if isinstance(item, dict):
                head = {"apiVersion": document.get("apiVersion")}
                head["kind"] = str(document["kind"]).removesuffix("List")
                yield head | item
    else:
        yield document


def _loader() -> Any:
    """Make a safe loader that leaves times as they are written, as Kubernetes does."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers = {  # noqa: RUF012 - the name and the type are those of PyYAML
            first: [one for one in rules if one[0] != "tag:yaml.org,2002:timestamp"]
            for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return Loader


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
