"""YAML that must say what it should and nothing else. Pure."""

from typing import Any, TypeVar

import msgspec
import yaml

from kedge.kube.foreign import cut

T = TypeVar("T")


class PolicyError(ValueError):
    """A ConfigMap that holds no rules that we can follow."""


class _Strict(yaml.CSafeLoader):
    """Refuses a key that stands twice; numbers and truths stay the texts that they are meant as."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [key.value for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1} if len(keys) > len(set(keys)) else ()
        for key in twice:
            raise yaml.YAMLError(f"mapping key {key!r} already defined")
        return super().construct_mapping(node, deep)


_Strict.yaml_implicit_resolvers = {
    mark: [each for each in resolvers if each[0] == "tag:yaml.org,2002:null"]
    for mark, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def read_text(text: object, into: type[T], what: str) -> T:
    """Read YAML into a type; raises PolicyError that begins with what was being done."""
    try:
        return msgspec.convert(_parsed(text) or {}, into)
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        reason = " ".join(str(exc).split())
        raise PolicyError(f"{what} {cut(reason)}") from None


def _parsed(text: object) -> object:
    if not isinstance(text, str):
        raise yaml.YAMLError("it is no text")
    # What stands once and is meant a million times would be read a million times.
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.CSafeLoader)):
        raise yaml.YAMLError("aliases are not allowed")
    return yaml.load(text, _Strict)
