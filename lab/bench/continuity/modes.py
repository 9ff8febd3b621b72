"""Modes of a model in upkeep: its right answers, failures, nonsense, silence or delay."""

from __future__ import annotations

from lab.bench.workspace.agent import Late

FAILS_AFTER_S = 29.0
SLOW_S = 12.0
MODES = ("off", "on", "failing", "failing_late", "garbage", "hanging", "slow")


def behave_as(mode: str, answer: str) -> str | Late | None:
    """Answer of a model in a mode; empty for a failure, None for silence.

    Args:
        mode: A mode from `MODES`.
        answer: The right answer.
    """
    match mode:
        case "failing":
            return ""
        case "failing_late":
            return Late("", FAILS_AFTER_S)
        case "garbage":
            return "I would rather not."
        case "hanging":
            return None
        case "slow":
            return Late(answer, SLOW_S)
        case _:
            return answer
