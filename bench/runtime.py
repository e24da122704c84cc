"""Measure the client and the runtime against other libraries, in one run.

See docs/benchmarks-runtime.md.
"""

import argparse
import sys
from contextlib import nullcontext

from parts import machine
from parts.keeping import keep
from parts.runtime.plan import CLUSTER, FULL, IDLE, QUICK, Effort, Section, sections
from parts.runtime.processes import Contestant, Failed, Load, embedded, feed
from parts.runtime.report import render
from parts.runtime.result import Result, as_json, releases
from parts.runtime.task import Task


def main() -> int:
    """Run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of under a minute")
    parser.add_argument("--only", help="sections to run, by name, with commas between them")
    parser.add_argument("--who", help="one library alone")
    asked = parser.parse_args()
    effort = QUICK if asked.quick else FULL
    names = asked.only.split(",") if asked.only else None
    chosen = [section.only(asked.who) for section in sections(effort)]
    chosen = [s for s in chosen if s.counts and (names is None or s.name in names)]
    try:
        result = measure(chosen, effort)
    except Failed as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 1
    sys.stdout.write(render(result))
    sys.stdout.write("\n" + keep("runtime", as_json(result)))
    return 0


def measure(chosen: list[Section], effort: Effort) -> Result:
    """Do all work from the feed, then that of the embedded server; meanwhile, some are idle."""
    facts = machine.brief()
    result = Result(facts, releases(), effort)
    by_name = {section.name: section for section in chosen}
    idle, served = by_name.pop(IDLE, None), by_name.pop(CLUSTER, None)
    places = sorted(place for section in chosen if section.is_fed for place in section.places)
    with feed(places) as load:
        for turn in range(effort.rounds):
            for section in by_name.values():
                if turn < section.rounds:
                    take_turns(section, load, result, turn)
        with embedded(served.resource, effort.clustered) if served else nullcontext() as server:
            resting = all_started(idle, load) if idle else {}
            if served and server:
                take_turns(served, server, result, 0)
            for who, contestant in resting.items():
                say(f"{IDLE}: {who}")
                result.add(IDLE, who, contestant.result())
    return result


def take_turns(section: Section, load: Load, result: Result, turn: int) -> None:
    """Let one contestant after the other do the work."""
    for who in section.counts:
        if turn and who in section.once:
            continue
        say(f"{section.name}, round {turn + 1}: {who}")
        result.add(section.name, who, started(section, who, load).result())


def all_started(section: Section, load: Load) -> dict[str, Contestant]:
    """Let all begin at once: they do nothing but wait."""
    return {who: started(section, who, load) for who in section.counts}


def started(section: Section, who: str, load: Load) -> Contestant:
    """Start the process of one contestant."""
    return Contestant(
        Task(
            who=who,
            what=section.what,
            kubeconfig=load.kubeconfig,
            resource=section.resource,
            namespace=section.namespace(who),
            count=section.counts[who],
            seconds=section.seconds,
        )
    )


def say(text: str) -> None:
    """Show on a terminal what takes so long."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}\r")


if __name__ == "__main__":
    sys.exit(main())
