"""Take times: interleaved repeats, the garbage collector held still. Knows no engine."""

import gc
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Task:
    """A piece of work: `run(loops)` gives the seconds that many loops took."""

    answers: int  # in one loop
    run: Callable[[int], float]


def python_task(answers: int, prepare: Callable[[], T], work: Callable[[T], object]) -> Task:
    """Time `work` alone: what `prepare` makes for each loop is made beforehand."""

    def run(loops: int) -> float:
        return clocked(work, [prepare() for _ in range(loops)])

    return Task(answers, run)


def clocked(work: Callable[[T], object], inputs: Iterable[T]) -> float:
    """Give the seconds that `work` takes on all inputs, without garbage collections."""
    gc.collect(0)
    gc.disable()
    try:
        begin = perf_counter()
        for item in inputs:
            work(item)
        return perf_counter() - begin
    finally:
        gc.enable()


def loops_for(task: Task, sample_seconds: float) -> int:
    """Find how many loops fill one sample. Also the warm-up."""
    loops = 1
    while (took := task.run(loops)) < sample_seconds:
        wanted = 1.2 * loops * sample_seconds / max(took, 1e-7)
        loops = max(loops + 1, min(int(wanted), 100 * loops))
    return loops


def interleaved(
    tasks: Mapping[str, Task], repeats: int, sample_seconds: float
) -> dict[str, list[float]]:
    """Sample A, B, C, A, B, C …, so that drift hits all alike; seconds per answer."""
    loops = {name: loops_for(task, sample_seconds) for name, task in tasks.items()}
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            took = task.run(loops[name])
            samples[name].append(took / (loops[name] * task.answers))
    return samples


def geometric_mean(values: Iterable[float]) -> float | None:
    """Give the geometric mean, or None of nothing."""
    listed = list(values)
    return statistics.geometric_mean(listed) if listed else None
