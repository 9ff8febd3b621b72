"""Wording of a logged message: the runtime's lines unchanged, all other lines with imitations defused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.log.event import Event
from domain.log.revision import told_chars
from domain.text.imitation import defuse
from domain.turn.attachments import attachment_lines, defused_sections
from domain.turn.prompt import prompt_header, quotation_lines
from domain.turn.skill import arguments_of, defused_invocation
from domain.turn.speaker import Speakers


def prompt_of(event: Event, meta: Mapping[str, Any], speakers: Speakers) -> str:
    """A person's message as shown to the model: header, quoted message, words, files.

    Args:
        event: The logged message.
        meta: Metadata of the message.
        speakers: Speakers of the window, up to this message; the author is added.
    """
    author = str(meta.get("author", ""))
    header = prompt_header(author, event.at, speakers.beside(author, str(meta.get("author_id", ""))))
    quotation = _quotation(meta, speakers)
    return f"{header}\n{quotation}{_words(event.content, meta)}{attachment_lines(meta)}"


def typed_words(content: str, typed: object) -> str:
    """Part of a logged message's content that a person typed; text of files and skills does not count."""
    if not isinstance(typed, int):
        return content
    return content[:typed] if typed else arguments_of(content)


def _words(content: str, meta: Mapping[str, Any]) -> str:
    """Typed text, then the runtime's additions, in which only the runtime's own frames stay intact."""
    typed, quoted = meta.get("typed"), told_chars(meta)
    if not isinstance(typed, int):
        return defuse(content)
    added = content[typed + quoted :]
    skill = None if typed or quoted else defused_invocation(added)
    words = defuse(content[:typed]) + content[typed : typed + quoted]
    return words + (defused_sections(added) if skill is None else skill)


def _quotation(meta: Mapping[str, Any], speakers: Speakers) -> str:
    """Quotation of the answered message, unless the conversation showed it at logging time; with a newline at the end.

    The log stores if the message was shown, so the wording of a request never changes.
    """
    quote = meta.get("quote")
    if not isinstance(quote, dict) or quote.get("shown"):
        return ""
    author = str(quote.get("author", ""))
    beside = speakers.beside(author, str(quote.get("author_id", "")))
    return quotation_lines(author, str(quote.get("text", "")), beside)
