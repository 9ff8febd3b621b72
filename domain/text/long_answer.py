"""Long answers, too long for messages: a first message with the beginning, and a file with the whole text."""

from __future__ import annotations

from dataclasses import dataclass

from domain.text.characters import units
from domain.text.splitting import LIMIT, split

MOST_MESSAGES = 6
FILE_NAME = "answer.md"
LONGEST_FILE_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class AnswerMessages:
    """Form in which a text is shown."""

    parts: tuple[str, ...]
    """Texts of the messages."""
    attached: str = ""
    """Content of the first message's file; empty for no file."""


def in_messages(text: str) -> AnswerMessages:
    """`text` in at most `MOST_MESSAGES` messages, else its beginning with a file; no parts for a blank text."""
    is_long = units(text.strip()) > MOST_MESSAGES * LIMIT  # however it is cut
    if not is_long or len(text.encode()) > LONGEST_FILE_BYTES:
        parts = split(text)
        if len(parts) <= MOST_MESSAGES or len(text.encode()) > LONGEST_FILE_BYTES:
            return AnswerMessages(parts)
    note = f"\n\n-# This is the beginning; the whole answer, {len(text):,} characters, is in {FILE_NAME}."
    beginning = split(text.strip()[: 2 * LIMIT], LIMIT - units(note), is_growing=True)[:1]  # never all of a long text
    return AnswerMessages(("".join((*beginning, note)).strip(),), text)
