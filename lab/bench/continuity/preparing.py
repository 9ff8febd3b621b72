"""Preparation of a turn: how long a workspace with much in its files takes for its contribution."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from time import perf_counter, process_time

from actors.kernel import ManualClock
from lab.bench.continuity.agent import BenchAgent, window_of
from lab.bench.continuity.constraints import WORKS
from lab.bench.continuity.hanging import SETTINGS
from lab.bench.continuity.place import embed, files_of, folder
from lab.bench.continuity.talk import talk
from lab.bench.measure import Figures, percentile, settle, silence_log
from messages.base import RequestId, TurnId
from messages.turn import PrepareTurn, TurnContribution
from messages.workspace import workspace_of

SIZES = {"SESSION.md": 8_000, "MEMORY.md": 46_000, "HISTORY.md": 46_000}
"""Bytes; together 100 KB."""
_WINDOW = window_of(0)
_WARM_UP = 50
_EVERY = 10
"""Turns, before one of which somebody edits a file."""


def prepared(turns: int) -> Figures:
    """Times of contributions.

    Args:
        turns: That are prepared, the first fifty not measured.
    """
    with folder(on_disk=True) as root:
        files = files_of(root, _WINDOW)
        files.mkdir(parents=True)
        for name, size in SIZES.items():
            (files / name).write_text(_text(name, size))
        clock = ManualClock()
        with BenchAgent(root, lambda _request: "", embed, SETTINGS | {"workspace.llm": False}, clock=clock) as agent:
            questions = _questions()
            ids = count(1)
            for _ in range(_WARM_UP):
                _asked(agent, next(questions), next(ids))
            settle()
            unchanged, edited = list[tuple[float, float]](), list[tuple[float, float]]()
            for number in range(turns):
                is_edited = number % _EVERY == 0
                if is_edited:
                    _edit(files / "MEMORY.md", number)
                (edited if is_edited else unchanged).append(_asked(agent, next(questions), next(ids)))
    walls, cpus = ([1000 * each for each in times] for times in zip(*unchanged, strict=True))
    return {
        "prepare_turns": len(unchanged),
        "prepare_kb": sum(SIZES.values()) / 1000,
        "prepare_p50_ms": percentile(walls, 0.5),
        "prepare_p95_ms": percentile(walls, 0.95),
        "prepare_cpu_p95_ms": percentile(cpus, 0.95),
        "prepare_edited_p95_ms": 1000 * percentile([wall_s for wall_s, _ in edited], 0.95),
        "prepare_edited_cpu_p95_ms": 1000 * percentile([cpu_s for _, cpu_s in edited], 0.95),
    }


def _asked(agent: BenchAgent, text: str, number: int) -> tuple[float, float]:
    """How long one contribution takes, by the clock and on the processor, in seconds."""
    request = PrepareTurn(
        request_id=RequestId(f"r{number}"),
        reply_to=agent.edge.address,
        window=_WINDOW,
        turn_id=TurnId(f"t{number}"),
        author_id="1",
        author_name="Alice",
        text=text,
        visible=(),
        log="logs/discord-thread/1/20260130T142355Z_0001.md",
    )
    began, cpu_began = perf_counter(), process_time()
    reply = agent.ask(workspace_of(_WINDOW), request)
    took = perf_counter() - began, process_time() - cpu_began
    assert isinstance(reply, TurnContribution), reply
    return took


def _questions() -> Iterator[str]:
    """Direct questions, acts and other talk in turn, without an end."""
    chance = random.Random("questions")
    constraints = [each for work in WORKS for each in work.constraints]
    while True:
        each = chance.choice(constraints)
        yield from (each.direct, each.act, chance.choice(WORKS).go_on)
        yield from (text for text, _ in talk("en", 3, seed=str(chance.random())))


def _text(name: str, size: int) -> str:
    """A file of about that size: bullets of talk below the headings that it has, with some constraints among them."""
    facts = [each.fact for work in WORKS for each in work.constraints]
    said = [text for text, _ in talk("en", size // 60, seed=name)]
    bullets = [f"- {text}" for text in (*facts, *said)]
    headings = {
        "SESSION.md": ["# Current State", "# Constraints", "# Next Steps"],
        "MEMORY.md": ["## Preferences", "## Constraints", "## Decisions", "## Open Loops"],
        "HISTORY.md": [f"## 2026-01-{day:02}T10:00Z to 2026-01-{day:02}T12:00Z" for day in range(1, 28)],
    }[name]
    share, lines, chars = size / len(headings), list[str](), 0
    for number, heading in enumerate(headings, 1):
        lines += [heading, ""]
        while bullets and chars < number * share:
            lines.append(bullets.pop())
            chars += len(lines[-1].encode()) + 1
        lines.append("")
    return "\n".join(lines)


def _edit(path: Path, number: int) -> None:
    with path.open("a") as file:
        file.write(f"- Somebody noted matter {number} here.\n")


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sys.stdout.write(json.dumps(prepared(**json.loads(sys.argv[1]))))
