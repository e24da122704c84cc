"""Named health checks, answered in the words that Kubernetes' own servers use. Pure."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from kedge.kube.gotext import quote

Check = Callable[[], str]
"""Says why it is not well; empty: it is."""


@dataclass(frozen=True, slots=True)
class Report:
    """An answer to a probe."""

    is_well: bool
    text: str


def ping() -> str:
    """Be well, as long as somebody answers at all."""
    return ""


def report(
    name: str, checks: Mapping[str, Check], excluded: Collection[str] = (), *, verbose: bool = False
) -> Report:
    """Ask all checks but the excluded ones; why one fails is told by that one alone."""
    checks = checks or {"ping": ping}
    lines, failed = [], False
    for check, ask in checks.items():
        if check in excluded:
            lines.append(f"[+]{check} excluded: ok")
        elif ask():
            failed = True
            lines.append(f"[-]{check} failed: reason withheld")
        else:
            lines.append(f"[+]{check} ok")
    unknown = sorted(set(excluded) - set(checks))
    if unknown:
        names = ",".join(quote(one) for one in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {names}")
    if not failed and not verbose:
        return Report(True, "ok")
    lines.append(f"{name} check {'failed' if failed else 'passed'}")
    return Report(not failed, "".join(f"{line}\n" for line in lines))


def report_one(checks: Mapping[str, Check], check: str) -> Report | None:
    """Ask one check; None: there is no such."""
    ask = (checks or {"ping": ping}).get(check)
    if ask is None:
        return None
    why = ask()
    return Report(False, f"internal server error: {why}\n") if why else Report(True, "ok")
