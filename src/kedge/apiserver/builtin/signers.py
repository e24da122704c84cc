"""Names of those who sign certificates: `example.com/signer-name`."""

from collections.abc import Callable

from kedge.apiserver.builtin.fields import Errors
from kedge.kube import names
from kedge.kube.gotext import quote

Check = Callable[[str], list[str]]
FORM = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
LONGEST_PATH = names.SUBDOMAIN_LIMIT + names.LABEL_LIMIT + 1
LONGEST = names.SUBDOMAIN_LIMIT + LONGEST_PATH + 1


def check_signer(errors: Errors, path: str, name: str) -> None:
    """Check the name of a signer."""
    if not name:
        errors.required(path)
        return
    domain, *rest = name.split("/")
    if len(rest) != 1:
        errors.invalid(path, name, FORM)
        return
    if names.size(domain) > names.SUBDOMAIN_LIMIT:
        errors.too_long(path, names.SUBDOMAIN_LIMIT)
    _check_labels(errors, path, domain, names.dns_label)
    if "." not in domain:
        what = "should be a domain with at least two segments separated by dots"
        errors.invalid(path, domain, what)
    _check_labels(errors, path, rest[0], names.dns_subdomain)
    if names.size(rest[0]) > LONGEST_PATH:
        errors.too_long(path, LONGEST_PATH)
    if names.size(name) > LONGEST:
        errors.too_long(path, LONGEST)


def _check_labels(errors: Errors, path: str, text: str, check: Check) -> None:
    for label in text.split("."):
        problems = check(label)
        if problems:
            errors.each(path, text, (f"validating label {quote(label)}: {one}" for one in problems))
            return
