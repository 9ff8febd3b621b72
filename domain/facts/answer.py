"""Answers in kept form: words without thoughts, and the reason against keeping an answer."""

from __future__ import annotations

from collections.abc import Sequence

from domain.facts.sound_text import sound
from domain.text.answer.stream import AnswerStream
from domain.text.answer.thoughts import has_mark, part_thoughts
from domain.text.answer.written_call import without_template_end

MOST_CHARS = 1_000_000
"""Most characters of a kept answer, with thoughts and calls."""


def kept_words(answer: AnswerStream, texts: Sequence[str]) -> str:
    """Words of an answer, or of a refusal in their place.

    Args:
        answer: Is whole.
        texts: Of the request; where people speak of marks of thoughts, an answer may name them.
    """
    text = sound(answer.assembly.text)
    if has_mark(text) or "<|" in text:
        text = part_thoughts(text, is_topic=any(has_mark(each) for each in texts)).answer
    return without_template_end(text) or sound(answer.assembly.refusal)


def problem_of(answer: AnswerStream) -> str:
    """Reason why an answer is incomplete so far; empty for a complete answer."""
    if answer.error:
        return "its server reported an error in the middle of the answer"
    if answer.is_broken:
        return f"its server ended it by {answer.assembly.finish_reason[:40]!r}"
    if not answer.choices:
        return "it holds no answer in OpenAI's format"
    if not (answer.is_done or answer.assembly.finish_reason):
        return "it has no end"
    if answer.has_holes:
        return "a part of it is not JSON"
    if answer.assembly.is_cut:
        return f"it is longer than {MOST_CHARS} characters"
    return ""
