"""Hanging workers: how long turns wait when no worker ever answers."""

from __future__ import annotations

import json
import sys
from itertools import count

from actors.kernel import ManualClock
from domain.workspace.files.session_state import SessionState, rendered_session
from lab.bench.continuity.agent import BenchAgent, window_of
from lab.bench.continuity.place import embed, files_of, folder
from lab.bench.continuity.talk import talk
from lab.bench.continuity.workers import CONSOLIDATE, ScriptedWorkers
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


ANSWER = "Very well; there is more to say about it some other time, as far as I can see."


class HangingWorkers:
    """Model that answers turns, and workers until it is first asked for a purpose; from then on no worker."""

    def __init__(self, hangs_from: str = "") -> None:
        """Nobody has been asked.

        Args:
            hangs_from: The purpose; empty for hanging from the beginning.
        """
        self._workers = ScriptedWorkers(())
        self._hangs_from = hangs_from
        self._hangs = not hangs_from

    def answer(self, request: ModelRequest) -> str | None:
        """What it says, if it does."""
        if not request.purpose:
            return ANSWER
        self._hangs |= request.purpose == self._hangs_from
        return None if self._hangs else self._workers.answer(request)


def hanging(turns: int) -> Figures:
    """Waits of turns while workers hang: with a state of the work, without one, and from the first cut on.

    Args:
        turns: Of each window, a few of which cut its history.
    """
    waits = {
        "": _waits(turns, HangingWorkers(), has_state=True),
        "_stateless": _waits(turns, HangingWorkers(), has_state=False),
        "_cut": _waits(turns, HangingWorkers(CONSOLIDATE), has_state=True),
    }
    late = {name: [place for place, wait_s in enumerate(each) if wait_s > LATE_S] for name, each in waits.items()}
    after = [wait_s for name, each in waits.items() for wait_s in each[late[name][0] + 1 if late[name] else 0 :]]
    return {
        "hang_turns": len(waits) * turns,
        **{f"hang_delayed{name}": len(places) for name, places in late.items()},
        "hang_longest_s": max(max(each) for each in waits.values()),
        "hang_after_s": max(after, default=0),
    }


def _waits(turns: int, workers: HangingWorkers, *, has_state: bool) -> list[float]:
    """Of each turn, until the model was asked."""
    window, numbers = window_of(0), count(1)
    with folder() as root:
        files = files_of(root, window)
        files.mkdir(parents=True)
        if has_state:
            (files / "SESSION.md").write_bytes(rendered_session(_STATE, b""))
        with BenchAgent(root, workers.answer, embed, SETTINGS, clock=ManualClock()) as agent:
            waits = []
            for text, _ in talk("en", turns, seed="hanging"):
                waits.append(agent.say(window, text, next(numbers)).waited_s)
                agent.rest(10)
            return waits


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sys.stdout.write(json.dumps(hanging(**json.loads(sys.argv[1]))))
