"""Presentation of a whole file: whether a result is nothing but what `cat` prints of it."""

from __future__ import annotations

from domain.text.output_tail import KeptOutput, OutputTail, render

_SHORTER, _LONGER = 2, 4
"""How many times as short its presentation may be, for escape sequences are left out; and as long, for its marks."""


def presented(text: str, result: str) -> bool:
    """Whether `result` is what the model is shown when a command prints `text` and nothing else."""
    if text.rstrip("\n") == result:
        return True
    if len(text) > _SHORTER * len(result) or len(result) > _LONGER * max(1, len(text)):
        return False
    tail = OutputTail()
    tail.feed(text.encode())
    return render(tail.excerpt(), KeptOutput(path=""), "") == result
