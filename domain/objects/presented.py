"""Presentation of a whole file: comparison of a result with the output of `cat`."""

from __future__ import annotations

from domain.text.output_tail import KeptOutput, OutputTail, render

_SHORTER, _LONGER = 2, 4
"""Factors of length: a presentation may be shorter, without escape sequences, and longer, with marks."""


def is_presented(text: str, result: str) -> bool:
    """True if `result` is the model's view of a command that prints only `text`."""
    if text.rstrip("\n") == result:
        return True
    if len(text) > _SHORTER * len(result) or len(result) > _LONGER * max(1, len(text)):
        return False
    tail = OutputTail()
    tail.feed(text.encode())
    return render(tail.excerpt(), KeptOutput(path=""), "") == result
