"""Hanging workers: how long turns wait when no worker ever answers."""

from __future__ import annotations

import json
import sys
from itertools import count

from actors.kernel import ManualClock
from domain.workspace.session_state import SessionState, rendered_session
from lab.bench.continuity.agent import BenchAgent, window_of
from lab.bench.continuity.place import embed, files_of, folder
from lab.bench.continuity.talk import talk
from lab.bench.measure import Figures, silence_log
from messages.model import ModelRequest

LATE_S = 1.0
"""A turn that waits longer, by the agent's clock, is delayed."""
SETTINGS: dict[str, object] = {
    "layers.workspace": True,
    "workspace.recall": True,
    "workspace.session": True,
    "workspace.compaction": True,
    "workspace.llm": True,
    "memory.enabled": False,
    "model.max_history_tokens": 1_000,
}
_STATE = SessionState(title="Work", current_state=("It has begun.",), constraints=("Ask Mona first.",))


def _behave(request: ModelRequest) -> str | None:
    return None if request.purpose else "Very well; there is more to say about it some other time, as far as I can see."


def hanging(turns: int) -> Figures:
    """Waits of turns while workers hang, with a state of the work and without one.

    Args:
        turns: Of each window, a few of which cut its history.
    """
    waits = {has_state: _waits(turns, has_state=has_state) for has_state in (True, False)}
    late = {name: [place for place, wait_s in enumerate(each) if wait_s > LATE_S] for name, each in waits.items()}
    after = [wait_s for name, each in waits.items() for wait_s in each[_after(late[name]) :]]
    return {
        "hang_turns": 2 * turns,
        "hang_delayed": len(late[True]),
        "hang_delayed_stateless": len(late[False]),
        "hang_longest_s": max(max(each) for each in waits.values()),
        "hang_after_s": max(after, default=0),
    }


def _after(late: list[int]) -> int:
    """The place of the first turn behind the first that was late."""
    return late[0] + 1 if late else 0


def _waits(turns: int, *, has_state: bool) -> list[float]:
    """Of each turn, until the model was asked."""
    window, numbers = window_of(0), count(1)
    with folder() as root:
        files = files_of(root, window)
        files.mkdir(parents=True)
        if has_state:
            (files / "SESSION.md").write_bytes(rendered_session(_STATE, b""))
        with BenchAgent(root, _behave, embed, SETTINGS, clock=ManualClock()) as agent:
            waits = []
            for text, _ in talk("en", turns, seed="hanging"):
                waits.append(agent.say(window, text, next(numbers)).waited_s)
                agent.rest(10)
            return waits


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sys.stdout.write(json.dumps(hanging(**json.loads(sys.argv[1]))))
