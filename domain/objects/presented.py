"""Presentation of a whole file: whether a result is nothing but what `cat` prints of it."""

from __future__ import annotations

from domain.text.output_tail import KeptOutput, OutputTail, render

_SLACK = 2
"""How many times as long a text may be as its presentation, for escape sequences that are left out."""


def presented(text: str, result: str) -> bool:
    """Whether `result` is what the model is shown when a command prints `text` and nothing else."""
    if text.rstrip("\n") == result:
        return True
    if not len(text) <= _SLACK * len(result) <= 2 * _SLACK * _SLACK * max(1, len(text)):
        return False
    tail = OutputTail()
    tail.feed(text.encode())
    return render(tail.excerpt(), KeptOutput(path=""), "") == result
