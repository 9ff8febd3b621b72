"""Benchmark of everyday tasks with a given model: tasks done, and the price of each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.measure import Figures
from lab.bench.tasks.stage import Played, Stage
from lab.bench.tasks.table import TASKS
from lab.bench.tasks.task import Task

PATIENCE_S = 900.0
LEAST_DONE = 16
ALL = "all"


def measure(
    say: Callable[[str], object],
    *,
    model: str,
    api_base: str = "",
    names: Iterable[str] = (),
    transcript: Path | None = None,
    tasks: Iterable[Task] = TASKS,
) -> Rows:
    """Figures of each task, and of all together.

    Args:
        say: Told the task that begins.
        model: Name as in `model.name`.
        api_base: Address of a server in OpenAI's form; empty for the provider's own.
        names: Beginnings of the names of tasks to play; none for all.
        transcript: File for the model's answers, the words shown and the missing effects; None for no such file.
        tasks: Table of tasks.

    Raises:
        ValueError: no task's name begins so.
        MeasurementError: the agent does not come online.
    """
    wanted, table = tuple(names), tuple(tasks)
    chosen = [task for task in table if not wanted or task.name.startswith(wanted)]
    if not chosen:
        raise ValueError(f"tasks {list(wanted)}: must begin the name of a task: {[task.name for task in table]}")
    stage, rows = Stage(model, api_base, patience_s=PATIENCE_S), dict[str, Figures]()
    if transcript is not None:
        transcript.write_text("")
    with tempfile.TemporaryDirectory(prefix="agent-tasks-") as folder:
        for number, task in enumerate(chosen, 1):
            say(f"{task.name} ({number} of {len(chosen)}, {sum(row['ok'] for row in rows.values()):.0f} done)")
            played = stage.play(task, Path(folder) / "task")
            rows[task.name] = dict(played.figures)
            if transcript is not None:
                with transcript.open("a") as file:
                    file.write(record(task, played))
    return {**rows, ALL: sum_figures(rows.values())}


def sum_figures(rows: Iterable[Figures]) -> Figures:
    """Sum of each figure."""
    total = Figures()
    for row in rows:
        for name, value in row.items():
            total[name] = total.get(name, 0.0) + value
    return total


def record(task: Task, played: Played) -> str:
    """Transcript of one task, as markdown."""
    lines = [f"## {task.name}: {played.fault or 'ok'}", ""]
    lines += [f"- person: {message.text}" for message in task.messages]
    lines += [f"- model: {text!r}" for text in played.answer_texts]
    lines += [f"- shown: {answer!r}" for answer in played.answers]
    return "\n".join([*lines, "", ""])


TASKS_DONE = Benchmark(
    name="tasks",
    measure=measure,
    targets=(
        Target("tasks done", "ok", LEAST_DONE, ALL, at_least=True),
        Target("answers that show a protocol", "protocol", 0, ALL),
    ),
    columns=(
        Column("ok", "ok", ".0f"),
        Column("requests", "requests", ".0f"),
        Column("prompt tokens", "prompt_tokens", ",.0f"),
        Column("cached", "cached_tokens", ",.0f"),
        Column("completion", "completion_tokens", ",.0f"),
        Column("seconds", "seconds", ".1f"),
        Column("shows a protocol", "protocol", ".0f"),
    ),
    note=(
        "Each task has a data root, a Discord and an agent of its own. It is done if its effect is there: a file, a "
        "line in reminders.md, the words of the answer, the file that was sent."
    ),
)
