"""Shortening: the beginning of a text, with a word on how much is left out."""

from __future__ import annotations

from domain.text.mention import without_names

_LEFT_OUT = "[left out: "


def shorten(text: str, most_chars: int) -> str:
    """The beginning of `text`, with a note on the omitted part."""
    if len(text) <= most_chars:
        return text
    room = most_chars - len(_LEFT_OUT) - 24
    return f"{text[:room]}\n{_LEFT_OUT}{len(text) - room:,} characters]"


def is_beginning(words: str, text: str) -> bool:
    """True if `words` are `text`, perhaps shortened; names beside ids do not count."""
    beginning = words.partition(f"\n{_LEFT_OUT}")[0]
    return without_names(text).startswith(without_names(beginning))
