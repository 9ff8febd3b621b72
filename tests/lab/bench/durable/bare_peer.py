"""Peer without any record: either begins each turn of its file anew, or forgets a turn at its death."""

from __future__ import annotations

import os
from pathlib import Path

from lab.bench.durable.peer_steps import Steps, command_of, first_message, result_message, steps_of_arguments, turns

AGAIN = "again"
FORGETS = "forgets"


def main() -> None:
    """Play the last turn again if the mode says so, then each new one."""
    steps = steps_of_arguments()
    begun = Path(steps.folder, "turn")
    if steps.mode == AGAIN and begun.exists():
        play(steps, int(begun.read_text()))
    steps.report_ready()
    for turn in turns():
        begun.write_text(str(turn))
        play(steps, turn)
        begun.unlink()


def play(steps: Steps, turn: int) -> None:
    """Play a turn, with a nonce that no other life has."""
    request = steps.ask([first_message(turn)])
    call = request["tool_calls"][0]
    output = steps.run(command_of(call))
    answer = steps.ask([first_message(turn), request, result_message(call, output)])
    steps.post(answer["content"], f"{turn}-{os.getpid()}")
