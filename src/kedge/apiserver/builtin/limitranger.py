"""Limit ranges at work: defaults for new pods, and bounds for pods and claims."""

from collections.abc import Iterable, Iterator

from kedge.apiserver.builtin import amounts
from kedge.apiserver.builtin.amounts import Amounts
from kedge.apiserver.builtin.pods.resources import sums
from kedge.apiserver.resource import Object
from kedge.kube.quantity import parse_quantity

ANNOTATION = "kubernetes.io/limit-ranger"
CLAIM = "PersistentVolumeClaim"
KINDS = (("containers", "container"), ("initContainers", "init container"))
POD_LEVEL = ("cpu", "memory")


def set_defaults(pod: Object, ranges: Iterable[Object]) -> None:
    """Give the containers of a new pod the defaults of its namespace, in place."""
    for one in ranges:
        requests: Amounts = {}
        limits: Amounts = {}
        for item in _items(one):
            if item.get("type") == "Container":
                requests.update(item.get("defaultRequest") or {})
                limits.update(item.get("default") or {})
        told = [
            text
            for kind, words in KINDS
            for container in pod["spec"].get(kind) or ()
            for text in _fill(container, words, requests, limits)
        ]
        if told:
            metadata = pod["metadata"]
            annotations = metadata["annotations"] = metadata.get("annotations") or {}
            annotations[ANNOTATION] = f"LimitRanger plugin set: {'; '.join(told)}"


def _items(limit_range: Object) -> list[Object]:
    return (limit_range.get("spec") or {}).get("limits") or []


def _fill(container: Object, words: str, requests: Amounts, limits: Amounts) -> Iterator[str]:
    resources = container.get("resources") or {}
    for kind, defaults in (("request", requests), ("limit", limits)):
        given = resources.get(f"{kind}s") or {}
        missing = {name: amount for name, amount in defaults.items() if name not in given}
        if missing:
            resources = container["resources"] = {**resources, f"{kind}s": {**given, **missing}}
            yield f"{', '.join(sorted(missing))} {kind} for {words} {container.get('name', '')}"


def pod_problem(pod: Object, ranges: Iterable[Object]) -> str:
    """Say which bounds a pod breaks, of the first limit range that it does not keep."""
    spec = pod["spec"]
    for one in ranges:
        found: list[str] = []
        for item in _items(one):
            if item.get("type") == "Container":
                for kind, _ in KINDS:
                    for container in spec.get(kind) or ():
                        found += _problems("Container", item, container.get("resources") or {})
            elif item.get("type") == "Pod":
                found += _problems("Pod", item, _whole(spec))
        if found:
            return _joined(found)
    return ""


def claim_problem(claim: Object, ranges: Iterable[Object]) -> str:
    """Say which bounds a claim breaks, of the first limit range that it does not keep."""
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    for one in ranges:
        found: list[str] = []
        for item in _items(one):
            if item.get("type") != CLAIM:
                continue
            for name, bound in (item.get("min") or {}).items():
                found += _least(CLAIM, name, bound, {"requests": requests})
            for name, bound in (item.get("max") or {}).items():
                found += _most_request(name, bound, requests)
        if found:
            return _joined(found)
    return ""


def _joined(problems: list[str]) -> str:
    texts = list(dict.fromkeys(problems))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _whole(spec: Object) -> Object:
    """Give requests and limits of a whole pod."""
    told = spec.get("resources") or {}
    total: Object = {}
    for kind in ("requests", "limits"):
        total[kind] = dict(sums(spec, kind))
        own = told.get(kind) or {}
        total[kind].update({name: own[name] for name in POD_LEVEL if name in own})
    return total


def _problems(kind: str, item: Object, resources: Object) -> Iterator[str]:
    for name, bound in (item.get("min") or {}).items():
        yield from _least(kind, name, bound, resources)
    for name, bound in (item.get("max") or {}).items():
        yield from _most(kind, name, bound, resources)
    for name, bound in (item.get("maxLimitRequestRatio") or {}).items():
        yield from _ratio(kind, name, bound, resources)


def _given(resources: Object, name: str) -> tuple[str | None, str | None]:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    return requests.get(name), limits.get(name)


def _least(kind: str, name: str, bound: str, resources: Object) -> Iterator[str]:
    request, limit = _given(resources, name)
    text = f"minimum {name} usage per {kind} is {bound}"
    if request is None:
        yield f"{text}.  No request is specified"
    elif amounts.compare(request, bound) < 0:
        yield f"{text}, but request is {request}"
    elif limit is not None and amounts.compare(limit, bound) < 0:
        yield f"{text}, but limit is {limit}"


def _most(kind: str, name: str, bound: str, resources: Object) -> Iterator[str]:
    request, limit = _given(resources, name)
    text = f"maximum {name} usage per {kind} is {bound}"
    if limit is None:
        yield f"{text}.  No limit is specified"
    elif amounts.compare(limit, bound) > 0:
        yield f"{text}, but limit is {limit}"
    elif request is not None and amounts.compare(request, bound) > 0:
        yield f"{text}, but request is {request}"


def _most_request(name: str, bound: str, requests: Amounts) -> Iterator[str]:
    text, request = f"maximum {name} usage per {CLAIM} is {bound}", requests.get(name)
    if request is None:
        yield f"{text}.  No request is specified"
    elif amounts.compare(request, bound) > 0:
        yield f"{text}, but request is {request}"


def _ratio(kind: str, name: str, bound: str, resources: Object) -> Iterator[str]:
    request, limit = _given(resources, name)
    text = f"{name} max limit to request ratio per {kind} is {bound}"
    if request is None or not amounts.sign(request):
        yield f"{text}, but no request is specified or request is 0"
    elif limit is None or not amounts.sign(limit):
        yield f"{text}, but no limit is specified or limit is 0"
    else:
        ratio = parse_quantity(limit).fraction() / parse_quantity(request).fraction()
        if ratio > parse_quantity(bound).fraction():
            yield f"{text}, but provided ratio is {float(ratio):f}"
