"""The text of a kubeconfig, YAML or JSON, as plain data; scalars mean what they mean to kubectl."""

import re
from typing import Any, ClassVar, Final

import yaml

from kedge.client.where.errors import ConfigError

DEEPEST: Final = 100
"""Levels of nesting: far more than a kubeconfig has, far fewer than libyaml's stack can take."""
_TAG: Final = "tag:yaml.org,2002:"
_TRUE: Final = {"y", "yes", "true", "on"}
_NUMBER: Final = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\.[iI][nN][fF]|\.[nN][aA][nN]"
    r"|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?)"
)
_PLAIN: Final = {
    "null": re.compile(r"(?:~|null|Null|NULL|)"),
    "bool": re.compile(
        r"(?:[yYnN]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)"
    ),
    "int": _NUMBER,
    "merge": re.compile(r"<<"),
}


class _Loader(yaml.CSafeLoader):
    """YAML 1.1 as Go reads it: no dates, no numbers to the base of sixty."""

    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = {}  # type: ignore[misc]

    def number(self, node: yaml.ScalarNode) -> int | float:
        text = str(node.value).replace("_", "").lower()
        base = 8 if re.fullmatch(r"[-+]?0[0-7]+", text) else 0
        try:
            return int(text, base)
        except ValueError:
            return float(text.replace(".inf", "inf").replace(".nan", "nan"))

    def boolean(self, node: yaml.ScalarNode) -> bool:
        return str(node.value).lower() in _TRUE

    def text(self, node: yaml.ScalarNode) -> str:
        return str(node.value)


for _name, _pattern in _PLAIN.items():
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(f"(?:{_pattern.pattern})\\Z"), None)
_Loader.add_constructor(_TAG + "int", _Loader.number)
_Loader.add_constructor(_TAG + "float", _Loader.number)
_Loader.add_constructor(_TAG + "bool", _Loader.boolean)
_Loader.add_constructor(_TAG + "timestamp", _Loader.text)
_Loader.add_constructor(_TAG + "merge", _Loader.text)


class _Dumper(yaml.SafeDumper):
    """Quotes what the loader would not read as text."""

    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = _Loader.yaml_implicit_resolvers  # type: ignore[misc]


def write(value: Any) -> bytes:
    """Give a text that reads as this value."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text.encode()


def read(text: bytes, file: str) -> Any:
    """Give the first document of a text; raises ConfigError, which shows nothing of the text."""
    try:
        _check_depth(text, file)
        loader = _Loader(text)
        try:
            return loader.get_data() if loader.check_data() else None  # type: ignore[no-untyped-call]
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        error = ConfigError(f"{file}: not valid YAML{where}")
    except (yaml.YAMLError, ValueError, RecursionError):
        error = ConfigError(f"{file}: not valid YAML, nor text in UTF-8")
    # Raised out here, so that the parser's error, which quotes the text, is not kept with it.
    raise error


def _check_depth(text: bytes, file: str) -> None:
    """Refuse what nests too deep: the C loader would overflow its stack."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise ConfigError(f"{file}: nested more than {DEEPEST} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentEndEvent):
            return
