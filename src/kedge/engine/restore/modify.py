"""Rules of a ConfigMap by which objects are changed while they are restored: applying them."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from kedge.engine.glob import matcher
from kedge.engine.includes import Includes
from kedge.engine.restore.fields import labels, text
from kedge.engine.restore.modifiers import JsonPatch, Modifiers, ModifiersError, Rule
from kedge.engine.ruletext import RuleTextError, read_patch
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.gonumbers import as_json_number
from kedge.kube.kind import Object
from kedge.kube.patch.json import apply_json_patch
from kedge.kube.patch.merge import merge
from kedge.kube.patch.strategic import strategic
from kedge.kube.requirements import SelectorError
from kedge.kube.schema import Schema

_BAD = "error in applying patch error in applying JSON Patch {}"
_NO_YAML = "error in applying patch error in converting YAML to JSON {}"


def rules_for(modifiers: Modifiers, resource: str, obj: Object) -> Iterator[Rule | ModifiersError]:
    """Give the rules for an object as it is before any of them, and those that make no sense."""
    for rule in modifiers.rules:
        try:
            if _is_for(rule, resource, obj):
                yield rule
        except ModifiersError as exc:
            yield exc


def _is_for(rule: Rule, resource: str, obj: Object) -> bool:
    conditions = rule.conditions
    namespace = text(obj, "metadata", "namespace")
    if namespace and not Includes.of(conditions.namespaces, ()).has(namespace):
        return False
    if not matcher(conditions.group_resource, ".")(resource):
        return False
    if not conditions.name.search(text(obj, "metadata", "name")):
        return False
    if conditions.label_selector is not None:
        try:
            selector = conditions.label_selector.selector
        except SelectorError as exc:
            raise ModifiersError(f"error in creating label selector {exc}") from None
        if not selector.matches(labels(obj)):
            return False
    return _matches(rule, obj)


def _matches(rule: Rule, obj: Object) -> bool:
    for match in rule.conditions.matches or ():
        if not match.path:
            raise ModifiersError("path is required for match rule")
        test = JsonPatch("test", match.path, value=match.value)
        try:
            apply_json_patch(obj, [operation(test)])
        except ApiError as exc:
            if not _why(exc).endswith(("test failed", "missing value")):
                raise ModifiersError(cut(_why(exc))) from None
            return False
    return True


def _why(exc: ApiError) -> str:
    return str(exc.__cause__ or exc)


def operation(patch: JsonPatch) -> Object:
    """Make an operation of a JSON patch; raises ModifiersError where its value is none."""
    found = {"op": patch.operation.lower(), "path": patch.path, "value": _value(patch.value)}
    return {**found, "from": patch.from_} if patch.from_ else found


def _value(given: str) -> Any:
    """Read a value: what is quoted is a text, other JSON is what it says, the rest is a text."""
    if len(given) > 1 and given.startswith('"') and given.endswith('"'):
        return _unescaped(given)
    if given.lower() in ("true", "false"):
        return given.lower() == "true"
    if given == "null" or given[:1] in ("{", "[") or _is_number(given):
        try:
            return _whole(msgspec.json.decode(given))
        except (msgspec.MsgspecError, RecursionError) as exc:
            raise ModifiersError(f"error in decoding json patch {cut(str(exc))}") from None
    return _unescaped(f'"{given}"')


def _whole(value: Any) -> Any:
    """Write numbers as Go does, which a server takes for a whole one: `1.0` is 1."""
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return as_json_number(value) if isinstance(value, float) else value


def _unescaped(quoted: str) -> str:
    """Read a text in quotes; what is no JSON, as there are quotes in it, is meant as it stands."""
    try:
        return msgspec.json.decode(quoted, type=str)
    except msgspec.MsgspecError:
        return quoted[1:-1]


def _is_number(given: str) -> bool:
    try:
        return msgspec.json.decode(given, type=float) is not None
    except msgspec.MsgspecError:
        return False


def apply_rule(rule: Rule, obj: Object, schema: Schema | None) -> Object:
    """Change an object by a rule that is for it; raises ModifiersError.

    A test that fails leaves the object as it is.
    """
    try:
        if rule.patches:
            return _json(rule.patches, obj)
        if rule.merge_patches:
            return _merged(rule.merge_patches, obj)
        if rule.strategic_patches:
            return _strategic(rule.strategic_patches, obj, schema)
    except ApiError as exc:
        raise ModifiersError(f"error in applying patch {cut(exc.message)}") from None
    raise ModifiersError("no patch data found")


def _json(patches: list[JsonPatch], obj: Object) -> Object:
    result: Any = obj
    for patch in patches:
        change = operation(patch)
        needed = {"replace": patch.path, "copy": patch.from_}.get(change["op"])
        if needed is not None and not _has(result, needed):
            told = f"{change['op']} operation does not apply: doc is missing path: {needed}"
            raise ModifiersError(_BAD.format(cut(told)))
        try:
            result = apply_json_patch(result, [change])
        except ApiError as exc:
            if _why(exc).endswith("test failed"):
                return obj
            raise ModifiersError(_BAD.format(cut(_why(exc)))) from None
    return _object(result)


def _has(doc: Any, path: str) -> bool:
    """Tell whether a path leads to something; the server does not mind, Velero does."""
    for part in path.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(doc, dict) and key in doc:
            doc = doc[key]
        elif isinstance(doc, list) and key.isdigit() and int(key) < len(doc):
            doc = doc[int(key)]
        else:
            return False
    return True


def _merged(patches: list[Any], obj: Object) -> Object:
    result: Any = obj
    for patch in patches:
        result = merge(result, _object(_data(patch.patch_data)))
    return _object(result)


def _strategic(patches: list[Any], obj: Object, schema: Schema | None) -> Object:
    if schema is None:
        kind, version = obj.get("kind"), obj.get("apiVersion")
        raise ModifiersError(
            f"error in applying patch: the cluster tells no merge keys for {version} {kind}: "
            "use mergePatches"
        )
    result = obj
    for patch in patches:
        result = strategic(result, _object(_data(patch.patch_data)), schema)
    return result


def _data(given: str) -> Any:
    """Read a patch; a new one each time, as what is made of it is changed further."""
    return msgspec.json.decode(_as_json(given))


@lru_cache(maxsize=256)
def _as_json(given: str) -> bytes:
    try:
        return msgspec.json.encode(read_patch(given))
    except RuleTextError as exc:
        raise ModifiersError(_NO_YAML.format(exc)) from None
    except RecursionError:
        raise ModifiersError(_NO_YAML.format("it is nested too deeply")) from None


def _object(value: Any) -> Object:
    if not isinstance(value, dict):
        raise ModifiersError("error in applying patch: what is left is no object")
    return value
