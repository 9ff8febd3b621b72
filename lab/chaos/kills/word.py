"""Pending work of a running agent: its status, requested again and again through the operator's socket."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

CALM = 3
"""Idle answers in a row to wait for: work moving between two actors may show at neither."""
LONG_CALM = 60
"""Idle answers in a row after which missing answers count as lost."""
_OWED = ("owed_turns", "to_be_indexed")
_AT_REST = {"ready", "working", "listening"}
_STATEFUL = ("memory", "object-store", "fact-index", "facts", "gateway", "scheduler")


class Word:
    """Word of an agent in a life."""

    def __init__(self, data_root: Path) -> None:
        """Begin without requests."""
        self._data_root = data_root
        self.calm = 0
        """Answers in a row without pending work."""
        self.owed: tuple[str, ...] = ("an answer",)
        """Debts by the newest answer."""
        self.reminders_until: datetime | None = None
        """Time of the last check for reminders; None without remaining reminders."""

    def ask(self) -> int:
        """Ask once; return the number of answers in a row without pending work."""
        try:
            status = ask_operator(self._data_root, "status")
        except (AgentNotRunningError, RefusalError) as error:
            self.owed = (str(error),)
        else:
            self.owed = owed_by(status)
            self.reminders_until = find_last_look(status)
        self.calm = 0 if self.owed else self.calm + 1
        return self.calm


def gateway_base(data_root: Path) -> str:
    """Base of the paths of a running agent's gateway.

    Raises:
        AgentNotRunningError: no agent answers.
        LookupError: it has no gateway yet.
    """
    port = ask_operator(data_root, "status")["actors"]["gateway"]["port"]
    if not port:
        raise LookupError("the gateway does not listen yet")
    return f"http://127.0.0.1:{port}/v1"


def owed_by(status: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of an agent's pending work, by its status.

    Addresses that are asked for the status itself are at work while they answer; further answers tell the two apart.
    """
    system, actors = status["system"], status["actors"]
    owed = [f"{name} is at work" for name in system["some_at_work"]]
    owed += [f"{name} does not answer" for name in (*status["late"], *system["not_answering"])]
    owed += [f"{name}: {what} {count}" for name in actors for what in _OWED if (count := actors[name].get(what, 0))]
    states = {name: actors[name]["state"] for name in _STATEFUL if name in actors}
    return (*owed, *(f"{name} is {state}" for name, state in states.items() if state not in _AT_REST))


def find_last_look(status: Mapping[str, Any]) -> datetime | None:
    """Time of the last check for reminders; None without remaining reminders, or if the scheduler was late."""
    scheduler = status["actors"].get("scheduler", {})
    return datetime.fromisoformat(scheduler["last_look"]) if scheduler.get("reminders") else None
