"""Ingresses and their classes."""

import re

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.addresses import check_ip, ip_warnings, parse_ip
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Halved, Plain
from kedge.apiserver.builtin.service_rules import ingress_points
from kedge.apiserver.resource import Context, Object
from kedge.kube import formats, names
from kedge.kube.fielderror import FieldError, typed

CLASS = "kubernetes.io/ingress.class"
PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
BAD_PARTS = ("//", "/./", "/../", "%2f", "%2F")
BAD_ENDS = ("/..", "/.")
NOT_DNS = "must be a DNS name, not an IP address"
LONGEST_CONTROLLER = 250
SCOPES = ("Cluster", "Namespace")
HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
BAD_DOMAIN = 'must be a domain-prefixed path (such as "acme.io/foo")'


class IngressStrategy(Halved):
    """Hooks of networking.k8s.io/v1 Ingress."""

    repeats_metadata = True

    def new_status(self) -> Object:
        """Make the status of a new object."""
        return {"loadBalancer": {}}

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new ingress, and that it tells one class."""
        errors = Errors(super().validate(obj, context))
        told = (obj["metadata"].get("annotations") or {}).get(CLASS)
        name = obj["spec"].get("ingressClassName")
        if told is not None and name is not None and told != name:
            what = "must match `ingressClassName` when both are specified"
            errors.invalid(f"annotations.{CLASS}", told, what)
        return errors

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec; what was wrong before may stay so."""
        spec, before = obj["spec"], {} if old is None else old["spec"]
        rules, backend = spec.get("rules") or [], spec.get("defaultBackend")
        if not rules and backend is None:
            what = "either `defaultBackend` or `rules` must be specified"
            errors.invalid("spec", None, what)
        if backend is not None:
            _check_backend(errors, "spec.defaultBackend", backend)
        loose = any(_is_wrong_wildcard(rule) for rule in before.get("rules") or ())
        for index, rule in enumerate(rules):
            _check_rule(errors, f"spec.rules[{index}]", rule, loose)
        loose = any(_secret_problems(tls) for tls in before.get("tls") or ())
        for index, tls in enumerate(spec.get("tls") or ()):
            _check_tls(errors, f"spec.tls[{index}]", tls, loose)
        name = spec.get("ingressClassName")
        if name is not None:
            fields.dns_subdomain(errors, "spec.ingressClassName", name)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check where the load balancer is."""
        known = {place.get("ip") for place in ingress_points(old)}
        for index, place in enumerate(ingress_points(new)):
            path = f"status.loadBalancer.ingress[{index}]"
            ip, host = place.get("ip", ""), place.get("hostname", "")
            if ip and ip not in known:
                check_ip(errors, f"{path}.ip", ip)
            if host:
                fields.dns_subdomain(errors, f"{path}.hostname", host)
                if parse_ip(host) is not None:
                    errors.invalid(f"{path}.hostname", host, NOT_DNS)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of an annotation that is on its way out, and of oddly written addresses."""
        if old is None:
            told = CLASS in (obj["metadata"].get("annotations") or {})
            if told and obj["spec"].get("ingressClassName") is None:
                what = "is deprecated, please use 'spec.ingressClassName' instead"
                return [f'annotation "{CLASS}" {what}']
            return []
        if obj["spec"] is not old["spec"]:
            return []
        return [
            text
            for index, place in enumerate(ingress_points(obj))
            for text in ip_warnings(f"status.loadBalancer.ingress[{index}]", place.get("ip", ""))
        ]


def _check_rule(errors: Errors, path: str, rule: Object, loose: bool) -> None:
    host = rule.get("host", "")
    if host:
        if parse_ip(host) is not None:
            errors.invalid(f"{path}.host", host, NOT_DNS)
        errors.each(f"{path}.host", host, _host_problems(host))
    if "http" in rule and not ("*" in host and loose):
        _check_http(errors, f"{path}.http", rule["http"])


def _host_problems(host: str) -> list[str]:
    return names.wildcard_subdomain(host) if "*" in host else names.dns_subdomain(host)


def _is_wrong_wildcard(rule: Object) -> bool:
    if "*" not in rule.get("host", "") or "http" not in rule:
        return False
    errors = Errors()
    _check_http(errors, "", rule["http"])
    return bool(errors)


def _check_http(errors: Errors, path: str, value: Object) -> None:
    paths = value.get("paths")
    if not paths:
        errors.required(f"{path}.paths")
    for index, one in enumerate(paths or ()):
        _check_path(errors, f"{path}.paths[{index}]", one)


def _check_path(errors: Errors, path: str, one: Object) -> None:
    kind, file, where = one.get("pathType"), one.get("path", ""), f"{path}.path"
    if kind is None:
        errors.required(f"{path}.pathType", "pathType must be specified")
        return
    if kind not in PATH_TYPES:
        errors.unsupported(f"{path}.pathType", typed(kind), PATH_TYPES)
    elif not file.startswith("/") and (file or kind != "ImplementationSpecific"):
        errors.invalid(where, file, "must be an absolute path")
    if kind in ("Exact", "Prefix"):
        for part in BAD_PARTS:
            if part in file:
                errors.invalid(where, file, f"must not contain '{part}'")
        for end in BAD_ENDS:
            if file.endswith(end):
                errors.invalid(where, file, f"cannot end with '{end}'")
    _check_backend(errors, f"{path}.backend", one.get("backend") or {})


def _check_backend(errors: Errors, path: str, backend: Object) -> None:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        errors.invalid(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        check_reference(errors, f"{path}.resource", resource)
    elif service is not None:
        _check_service(errors, path, service)
    else:
        errors.invalid(path, "", "resource or service backend is required")


def _check_service(errors: Errors, path: str, service: Object) -> None:
    name, port = service.get("name", ""), service.get("port") or {}
    if name:
        errors.each(f"{path}.service.name", name, names.label_1035_name(name))
    else:
        errors.required(f"{path}.service.name")
    word, number = port.get("name", ""), port.get("number", 0)
    if word and number:
        errors.invalid(path, "", "cannot set both port name & port number")
    elif word:
        errors.each(f"{path}.service.port.name", word, formats.port_name(word))
    elif number:
        fields.in_range(errors, f"{path}.service.port.number", number, 1, 65535)
    else:
        errors.required(path, "port name or number is required")


def check_reference(errors: Errors, path: str, reference: Object) -> None:
    """Check a reference to an object of any kind."""
    group = reference.get("apiGroup")
    if group is not None:
        fields.dns_subdomain(errors, f"{path}.apiGroup", group)
    check_segments(errors, path, reference, ("kind", "name"))


def check_segments(errors: Errors, path: str, value: Object, wanted: tuple[str, ...]) -> None:
    """Check that fields are there and fit in a path."""
    for name in wanted:
        text = value.get(name, "")
        if text:
            errors.each(f"{path}.{name}", text, names.path_segment(text))
        else:
            errors.required(f"{path}.{name}")


def _check_tls(errors: Errors, path: str, tls: Object, loose: bool) -> None:
    for index, host in enumerate(tls.get("hosts") or ()):
        errors.each(f"{path}.hosts[{index}]", host, _host_problems(host))
    if not loose:
        errors.each(f"{path}.secretName", tls.get("secretName", ""), _secret_problems(tls))


def _secret_problems(tls: Object) -> list[str]:
    name = tls.get("secretName", "")
    return names.dns_subdomain(name) if name else []


class IngressClassStrategy(Plain):
    """Hooks of networking.k8s.io/v1 IngressClass."""

    namespaced = False
    repeats_metadata = True

    def default(self, obj: Object) -> None:
        """Fill in the scope of the parameters."""
        parameters = (obj.get("spec") or {}).get("parameters")
        if parameters is not None and parameters.get("scope") is None:
            parameters["scope"] = "Cluster"

    def check_change(self, errors: Errors, new: Object, old: Object) -> None:
        """Check that the controller stays."""
        controller = new["spec"].get("controller", "")
        before = old["spec"].get("controller", "")
        fields.immutable(errors, "spec.controller", controller, before)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check controller and parameters."""
        controller = obj["spec"].get("controller", "")
        if names.size(controller) > LONGEST_CONTROLLER:
            errors.too_long("spec.controller", LONGEST_CONTROLLER)
        _check_domain_path(errors, "spec.controller", controller)
        parameters = obj["spec"].get("parameters")
        if parameters is not None:
            check_reference(errors, "spec.parameters", parameters)
            _check_scope(errors, "spec.parameters", parameters)


def _check_domain_path(errors: Errors, path: str, text: str) -> None:
    host, _, file = text.partition("/")
    if not text:
        errors.required(path)
    elif not host or not file:
        errors.invalid(path, text, BAD_DOMAIN)
    else:
        fields.dns_subdomain(errors, path, host)
        if not re.fullmatch(HTTP_PATH, file):
            errors.invalid(path, file, names.pattern_rule("Invalid path", HTTP_PATH))


def _check_scope(errors: Errors, path: str, parameters: Object) -> None:
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope not in SCOPES:
        errors.unsupported(f"{path}.scope", scope, SCOPES)
    elif scope == "Cluster":
        if namespace is not None:
            errors.forbidden(f"{path}.namespace", "`parameters.scope` is set to 'Cluster'")
    elif namespace is None:
        errors.required(f"{path}.namespace", "`parameters.scope` is set to 'Namespace'")
    else:
        fields.dns_label(errors, f"{path}.namespace", namespace)
