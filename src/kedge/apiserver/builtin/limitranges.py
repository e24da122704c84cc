"""Limit ranges: bounds and defaults for what containers, pods and claims ask for."""

from uuid import uuid4

from kedge.apiserver.builtin import amounts
from kedge.apiserver.builtin.amounts import Amounts
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.builtin.pods.resources import check_container_resource
from kedge.apiserver.builtin.resourcenames import can_overcommit, check_resource
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import typed
from kedge.kube.quantity import Quantity, parse_quantity

LISTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
TYPES = ("Pod", "Container", "PersistentVolumeClaim")
# Beyond this a thousandth does not fit in 64 bits.
LARGEST_MILLI = (2**63 - 1) // 1000


class LimitRangeStrategy(Plain):
    """Hooks of v1 LimitRange."""

    def default(self, obj: Object) -> None:
        """Fill in the defaults of containers from the bounds, and round all amounts."""
        for item in (obj.get("spec") or {}).get("limits") or ():
            if item.get("type") == "Container":
                _fill(item, "default", item.get("max"))
                _fill(item, "defaultRequest", item.get("default"))
                _fill(item, "defaultRequest", item.get("min"))
            for name in LISTS:
                if item.get(name):
                    amounts.round_all(item[name])

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Give a name to what has none."""
        if not obj["metadata"].get("name"):
            obj["metadata"]["name"] = str(uuid4())

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the object as if it were new."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check every item, and that no type is there twice."""
        seen = set()
        for index, item in enumerate((obj.get("spec") or {}).get("limits") or ()):
            path, kind = f"spec.limits[{index}]", item.get("type") or ""
            _check_type(errors, f"{path}.type", kind)
            if kind in seen:
                errors.duplicate(f"{path}.type", typed(kind))
            seen.add(kind)
            _check_item(errors, path, kind, item)


def _fill(item: Object, name: str, source: Amounts | None) -> None:
    if source:
        target = item.setdefault(name, {})
        for key, amount in source.items():
            target.setdefault(key, amount)


def _check_type(errors: Errors, path: str, kind: str) -> None:
    problems = names.qualified_name(kind)
    if problems:
        errors.each(path, typed(kind), problems)
    elif "/" not in kind and kind not in TYPES:
        errors.invalid(path, typed(kind), "must be a standard limit type or fully qualified")


def _check_item(errors: Errors, path: str, kind: str, item: Object) -> None:
    lists = {name: item.get(name) or {} for name in LISTS}
    check = check_container_resource if kind in ("Pod", "Container") else check_resource
    for name, values in lists.items():
        if name == "maxLimitRequestRatio" and kind == "PersistentVolumeClaim":
            _check_storage(errors, path, lists)
        if kind == "Pod" and name in ("default", "defaultRequest"):
            if values:
                errors.forbidden(f"{path}.{name}", "may not be specified when `type` is 'Pod'")
                lists[name] = {}
            continue
        for key in values:
            check(errors, f"{path}.{name}[{key}]", key)
    keys = dict.fromkeys(key for values in lists.values() for key in values)
    for key in keys:
        _check_bounds(errors, path, key, {name: values.get(key) for name, values in lists.items()})


def _check_storage(errors: Errors, path: str, lists: dict[str, Amounts]) -> None:
    if "storage" not in lists["min"] and "storage" not in lists["max"]:
        what = "either minimum or maximum storage value is required, but neither was provided"
        errors.required(f"{path}.limits", what)


Bounds = dict[str, str | None]


def _check_bounds(errors: Errors, path: str, key: str, bounds: Bounds) -> None:
    least, most = bounds["min"], bounds["max"]
    limit, request = bounds["default"], bounds["defaultRequest"]

    def ordered(low: str | None, high: str | None, at: str, value: str | None, what: str) -> None:
        if low is not None and high is not None and amounts.compare(low, high) > 0:
            errors.invalid(f"{path}.{at}[{key}]", value, what)

    ordered(least, most, "min", least, f"min value {least} is greater than max value {most}")
    what = f"min value {least} is greater than default request value {request}"
    ordered(least, request, "defaultRequest", request, what)
    what = f"default request value {request} is greater than max value {most}"
    ordered(request, most, "defaultRequest", request, what)
    what = f"default request value {request} is greater than default limit value {limit}"
    ordered(request, limit, "defaultRequest", request, what)
    what = f"min value {least} is greater than default value {limit}"
    ordered(least, limit, "default", least, what)
    what = f"default value {limit} is greater than max value {most}"
    ordered(limit, most, "default", most, what)
    _check_ratio(errors, f"{path}.maxLimitRequestRatio[{key}]", bounds)
    if limit is None or request is None or can_overcommit(key):
        return
    if amounts.compare(limit, request):
        what = f"default value {limit} must equal to defaultRequest value {request} in {key}"
        errors.invalid(f"{path}.defaultRequest[{key}]", request, what)


def _check_ratio(errors: Errors, path: str, bounds: Bounds) -> None:
    ratio, least, most = bounds["maxLimitRequestRatio"], bounds["min"], bounds["max"]
    if ratio is None:
        return
    if amounts.compare(ratio, "1") < 0:
        errors.invalid(path, ratio, f"ratio {ratio} is less than 1")
    if least is None or most is None or not amounts.sign(least):
        return
    texts = (ratio, least, most)
    if all(amounts.whole(text) < LARGEST_MILLI for text in texts):
        asked, low, high = map(_milli, texts)
        asked /= 1000
    else:
        asked, low, high = (float(amounts.whole(text)) for text in texts)
    bound = high / low
    if asked > bound:
        errors.invalid(path, ratio, f"ratio {ratio} is greater than max/min = {bound:f}")


def _milli(text: str) -> float:
    amount = parse_quantity(text)
    return float(amounts.whole(str(Quantity(amount.digits, amount.power + 3))))
