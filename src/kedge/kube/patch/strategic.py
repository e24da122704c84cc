"""Strategic merge patch: a merge that knows which lists are merged, and by which key.

Directives in a patch: `$patch` (replace, delete) in an object or a list, `$retainKeys` in an
object, and beside a list `$setElementOrder/<list>` and `$deleteFromPrimitiveList/<list>`.
"""

from typing import Any, Final

from kedge.kube.errors import ApiError, BadRequest, UnknownError
from kedge.kube.gotext import quote, to_text, type_text
from kedge.kube.patch.elements import Elements, StrategicError, bad_type, element_kind
from kedge.kube.refusals import generic
from kedge.kube.schema import Schema

Object = dict[str, Any]

_DIRECTIVE: Final = "$patch"
_RETAIN: Final = "$retainKeys"
_ORDER: Final = "$setElementOrder"
_DELETE: Final = "$deleteFromPrimitiveList"
_DROPPED: Final[Any] = object()

_BAD_RETAIN: Final = "invalid patch format of retainKeys"
_BAD_ORDER: Final = "invalid patch format of setElementOrder list"
_BAD_DELETE: Final = "invalid patch format of primitive list"
_BAD_REQUESTS: Final = frozenset({_BAD_RETAIN, _BAD_ORDER, _BAD_DELETE})


def strategic(target: Object, patch: Object, schema: Schema) -> Object:
    """Lay the patch over the target, or raise the error that the server answers with.

    The patch is used up: directives go, and what they were about. What is left is what a real
    server quotes when the result does not fit its type.
    """
    try:
        return _merge_map(target, patch, schema)
    except StrategicError as error:
        raise _api_error(str(error)) from error


def _api_error(text: str) -> ApiError:
    if text in _BAD_REQUESTS:
        return BadRequest(text)
    if text == "lists of lists are not supported":
        return generic(422, text)
    return UnknownError(text)  # Kubernetes has no code for the rest: 500 without a reason


def _merge_map(target: Object, patch: Object, schema: Schema | None) -> Object:
    if _DIRECTIVE in patch:
        return _replaced(patch)
    result = dict(target)
    if _RETAIN in patch:
        _retain(result, patch)
    if any(key.startswith(_ORDER) for key in patch):
        _merge_ordered(result, patch, schema)
    for key, value in patch.items():
        _merge_field(result, key, value, schema)
    return result


def _replaced(patch: Object) -> Object:
    directive = patch[_DIRECTIVE]
    if directive == "replace":
        del patch[_DIRECTIVE]
        return dict(patch)
    if directive == "delete":
        return {}
    raise _bad_directive(patch)


def _bad_directive(patch: Object) -> StrategicError:
    return StrategicError(
        f"unknown patch type: {_as_text(patch[_DIRECTIVE])} in map: {to_text(patch)}"
    )


def _as_text(value: Any) -> str:
    """Write a value as `%s` does: what is no text within it is marked."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{_as_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_as_text, value))}]"
    return "%!s(<nil>)" if value is None else f"%!s({type_text(value)}={to_text(value)})"


def _retain(result: Object, patch: Object) -> None:
    """Take away what is not named; the patch may not set what is not named."""
    kept = patch.pop(_RETAIN)
    if not isinstance(kept, list):
        raise StrategicError(_BAD_RETAIN)
    for key, value in patch.items():
        if value is not None and not key.startswith((_DELETE, _ORDER)) and key not in kept:
            raise StrategicError(_BAD_RETAIN)
    for key in [key for key in result if key not in kept]:
        del result[key]


def _merge_field(result: Object, key: str, value: Any, schema: Schema | None) -> None:
    deletes = key.startswith(_DELETE)
    if deletes:
        key = _listed(key, _BAD_DELETE) or key
    if value is None:
        result.pop(key, None)
        return
    if key not in result or type(result[key]) is not type(value):
        if not deletes:
            _discard_nulls(value)
            _set(result, key, _without_directives(value))
        return
    if isinstance(value, dict):
        field = _lookup(schema, key)
        replaces = _strategy(field) == "replace"
        result[key] = value if replaces else _merge_map(result[key], value, field)
    elif isinstance(value, list):
        field = _lookup_list(schema, key)
        result[key] = _merge_list(result[key], value, field, deletes)
    else:
        result[key] = value


def _discard_nulls(value: Any) -> None:
    """Take null fields out, at every depth; nulls that are items of a list stay."""
    if isinstance(value, dict):
        for key in [key for key, item in value.items() if item is None]:
            del value[key]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _discard_nulls(item)


def _set(result: Object, key: str, value: Any) -> None:
    if value is _DROPPED:
        result.pop(key, None)
    else:
        result[key] = value


def _listed(key: str, problem: str) -> str:
    """Take the name of the list from a directive beside it."""
    prefix, slash, name = key.partition("/")
    if not slash or prefix not in (_ORDER, _DELETE):
        raise StrategicError(problem)
    return name


def _without_directives(value: Any) -> Any:
    """Leave out objects that hold a `$patch`, at every depth: there is nothing to patch."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return _DROPPED
        items = ((key, _without_directives(item)) for key, item in value.items())
        return {key: item for key, item in items if item is not _DROPPED}
    if isinstance(value, list):
        return [item for item in map(_without_directives, value) if item is not _DROPPED]
    return value


def _lookup(schema: Schema | None, key: str) -> Schema:
    """Find what is known of a field; Kubernetes does not mind the case of its letters."""
    name = _struct_name(schema)
    if not name:
        kind = "map" if schema is not None and schema.is_map else "interface"
        told = "merging an object in json but data type is not struct, instead is"
        raise StrategicError(f"{told}: {kind}")
    fields = schema.fields if schema is not None and schema.type == "object" else {}
    field = fields.get(key)
    if field is None:
        folded = key.casefold()
        field = next((f for name, f in fields.items() if name.casefold() == folded), None)
    if field is None:
        told = f"unable to find api field in struct {name} for the json field"
        raise StrategicError(f"{told} {quote(key)}")
    return field


def _struct_name(schema: Schema | None) -> str:
    """Give the name of a Go struct; nothing for maps and for what may be anything."""
    if schema is None or schema.is_map:
        return ""
    return schema.name or schema.go_type.rpartition(".")[2]


def _lookup_list(schema: Schema | None, key: str) -> Schema:
    field = _lookup(schema, key)
    if field.type != "array":
        raise StrategicError("expected slice or array type, but got: struct")
    return field


def _strategy(field: Schema) -> str:
    """Give how the field is patched, retainKeys aside."""
    if "," not in field.patch_strategy:
        return "" if field.patch_strategy == "retainKeys" else field.patch_strategy
    return next(each for each in field.patch_strategy.split(",") if each != "retainKeys")


def _merge_list(target: list[Any], patch: list[Any], field: Schema, deletes: bool) -> list[Any]:
    if _strategy(field) != "merge" and not deletes:
        return patch
    if not target and not patch:
        return target
    if element_kind(target, patch) is dict:
        return _merge_objects(target, patch, field)
    plain = Elements("")
    if deletes:
        gone = set(map(plain.identity, patch))
        return [item for item in target if plain.identity(item) not in gone]
    merged = plain.distinct([*target, *patch])
    if not patch:
        return merged
    return Elements(field.merge_key).in_order(merged, wanted=patch, live=target)


def _merge_objects(target: list[Any], patch: list[Any], field: Schema) -> list[Any]:
    key = field.merge_key
    if not key:
        kind = "struct" if field.items is None or field.items.name else field.items.type
        raise StrategicError(f"cannot merge lists without merge key for {kind}")
    elements = Elements(key)
    target, patch = _special(target, patch, elements)
    merged = list(target)
    places = elements.places(merged)
    for item in patch:
        identity = elements.identity(item)
        place = places.get(identity)
        if place is None:
            places[identity] = len(merged)
            merged.append(item)
        else:
            merged[place] = _merge_map(merged[place], item, field.items)
    return elements.in_order(merged, wanted=patch, live=target)


def _special(
    target: list[Any], patch: list[Any], elements: Elements
) -> tuple[list[Any], list[Any]]:
    """Carry out the directives among the items; give the target and the patch without them."""
    plain: list[Any] = []
    replaces = False
    for item in patch:
        if _DIRECTIVE not in item:
            plain.append(item)
        elif item[_DIRECTIVE] == "delete":
            gone = elements.identity(item)
            target = [each for each in target if elements.identity_or_none(each) != gone]
        elif item[_DIRECTIVE] == "replace":
            replaces = True
        elif item[_DIRECTIVE] == "merge":
            raise StrategicError("merging lists cannot yet be specified in the patch")
        else:
            raise _bad_directive(item)
    return (plain, []) if replaces else (target, plain)


def _merge_ordered(result: Object, patch: Object, schema: Schema | None) -> None:
    """Merge the lists whose order is told; the rest of the patch does without them."""
    for key in [key for key in patch if key.startswith(_ORDER)]:
        order = patch.pop(key)
        if not isinstance(order, list):
            raise bad_type([], order)
        name = _listed(key, _BAD_ORDER)
        for holder in (result, patch):
            if name in holder and not isinstance(holder[name], list):
                raise bad_type([], holder[name])
        field = _lookup_list(schema, name)
        live, changes = result.get(name), patch.get(name)
        elements = Elements(field.merge_key)
        _check_order(changes or [], order, elements)
        if live is None and changes is None:
            continue
        if changes is None:
            merged = live or []
        elif live is None:
            merged = _without_directives(changes)
        else:
            merged = _merge_list(live, changes, field, deletes=False)
        told, others = elements.split(merged, order)
        if element_kind(live or [], changes or []) is dict:
            for item in (*told, *order, *others, *(live or [])):
                elements.insist_on_key(item)
        result[name] = elements.arranged(told, others, wanted=order, live=live or [])
        patch.pop(name, None)


def _check_order(changes: list[Any], order: list[Any], elements: Elements) -> None:
    """Insist that the items of the patch come in the order that it tells."""
    if not order or not changes:
        return
    items = changes
    if elements.key:
        for item in changes:
            if not isinstance(item, dict):
                raise bad_type({}, item)
        items = [item for item in changes if item.get(_DIRECTIVE) != "delete"]
    item = place = 0
    while item < len(items) and place < len(order):
        if isinstance(items[item], dict) and _DIRECTIVE in items[item]:
            item += 1
        else:
            item += elements.equal(items[item], order[place])
            place += 1
    if item < len(items):
        told = f"The order in patch list:\n{to_text(changes)}\n doesn't match {_ORDER} list:"
        raise StrategicError(f"{told}\n{to_text(order)}\n")
