"""Rules for how a pod resolves names and what it is called."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.addresses import check_ip
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.fielderror import Shown
from kedge.kube.gotext import to_json

MOST_NAMESERVERS = 3
MOST_SEARCHES = 32
LONGEST_SEARCHES = 2048
DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")


def check_dns(errors: Errors, path: str, spec: Object) -> None:
    """Check the resolver's configuration; `path` is that of dnsConfig."""
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None":
        if config is None:
            errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            what = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            errors.required(f"{path}.nameservers", what)
            return
    if config:
        _check_servers(errors, f"{path}.nameservers", config.get("nameservers") or [])
        _check_searches(errors, f"{path}.searches", config.get("searches") or [])
        for index, option in enumerate(config.get("options") or ()):
            if not option.get("name"):
                errors.required(f"{path}.options[{index}]", "must not be empty")


def _check_servers(errors: Errors, path: str, servers: list[str]) -> None:
    if len(servers) > MOST_NAMESERVERS:
        what = f"must not have more than {MOST_NAMESERVERS} nameservers"
        errors.invalid(path, Shown(to_json(servers)), what)
    for index, server in enumerate(servers):
        check_ip(errors, f"{path}[{index}]", server)


def _check_searches(errors: Errors, path: str, searches: list[str]) -> None:
    if len(searches) > MOST_SEARCHES:
        what = f"must not have more than {MOST_SEARCHES} search paths"
        errors.invalid(path, Shown(to_json(searches)), what)
    if len(" ".join(searches).encode()) > LONGEST_SEARCHES:
        what = (
            f"must not have more than {LONGEST_SEARCHES} characters (including spaces) "
            "in the search list"
        )
        errors.invalid(path, Shown(to_json(searches)), what)
    for index, search in enumerate(searches):
        if search != ".":
            search = search.removesuffix(".")
            problems = names.dns_subdomain_with_underscore(search)
            errors.each(f"{path}[{index}]", search, problems)


def check_host_aliases(errors: Errors, path: str, aliases: list[Object]) -> None:
    """Check the entries for the pod's hosts file."""
    for index, alias in enumerate(aliases):
        check_ip(errors, f"{path}[{index}].ip", alias.get("ip", ""))
        for at, name in enumerate(alias.get("hostnames") or ()):
            fields.dns_subdomain(errors, f"{path}[{index}].hostnames[{at}]", name)


def check_host_network(errors: Errors, path: str, spec: Object, is_pod: bool) -> None:
    """Check that ports of a pod in the host's network are the host's; `path` is the spec's."""
    if not spec.get("hostNetwork"):
        return
    for index, container in enumerate(spec.get("containers") or ()):
        for at, port in enumerate(container.get("ports") or ()):
            outer, inner = port.get("hostPort", 0), port.get("containerPort", 0)
            if (is_pod or outer) and outer != inner:
                where = f"{path}.containers[{index}].ports[{at}].hostPort"
                what = "must match `containerPort` when `hostNetwork` is true"
                errors.invalid(where, outer, what)
