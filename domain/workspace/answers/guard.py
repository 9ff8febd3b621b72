"""Guard of what a worker wrote: no secret, no markup, nothing of the runtime's, no long words of somebody else's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from domain.curated.secret_look import looks_secret
from domain.text.imitation import OWN_LINES, imitates
from domain.workspace.answers.answer_json import shown
from messages.turn import SpokenTurn

LONGEST_ECHO = 80
"""Characters in a row that no text may have in common with what was said."""
_ECHO_STEP = LONGEST_ECHO // 2
_FOREIGN = tuple(
    line
    for line in OWN_LINES
    if line.name in ("header of a message", "block", "memories of a block", "frame of a skill", "record of a log")
)
_INJECTED = re.compile(
    r"(?i)injected[ _-]*context"
    r"|</?\s*(?:runtime_context|user_message|system|assistant|instructions|tool_\w+|function_\w+)\b"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_MARKUP = re.compile(
    r"(?i)<!--|-->|```|~~~|^\s*(?:#{1,6}\s|>|\|)|!\[[^\]]*\]\(|\]\((?:javascript|data|https?):"
    r"|</[a-z]|<[a-z][\w-]*(?:\s[^<>]*)?/>|<[a-z][\w-]*\s[\w-]+\s*="
    r"|<(?:a|b|body|br|code|details|div|em|font|form|head|hr|html|i|iframe|img|input|li|link|meta|object|ol|p|pre|script"
    r"|span|strong|style|sub|summary|sup|svg|table|td|th|tr|u|ul|video)\s*>"
)

_SECRET = "must hold no secret"

IsSecret = Callable[[str], bool]
"""Whether a text holds a secret."""


class Spoken:
    """Words of turns, to compare others with."""

    def __init__(self, turns: Iterable[SpokenTurn]) -> None:
        texts = (text for turn in turns for text in (turn.text, turn.answer, *turn.results))
        self._texts = [text for each in texts if len(text := _plain(each)) >= LONGEST_ECHO]
        self._blocks = {
            text[at : at + _ECHO_STEP]
            for text in self._texts
            for at in range(0, len(text) - _ECHO_STEP + 1, _ECHO_STEP)
        }

    def has_words_of(self, text: str) -> bool:
        """Whether a text has `LONGEST_ECHO` characters in a row in common with one of them."""
        plain = _plain(text)
        near = [at for at in range(len(plain) - _ECHO_STEP + 1) if plain[at : at + _ECHO_STEP] in self._blocks]
        starts = {start for at in near for start in range(max(0, at - _ECHO_STEP), at + 1)}
        return any(
            plain[start : start + LONGEST_ECHO] in spoken
            for start in starts
            if start + LONGEST_ECHO <= len(plain)
            for spoken in self._texts
        )


def flaw_of(text: str, spoken: Spoken | None = None, is_secret: IsSecret = looks_secret) -> str:
    """Why a text may not be written, as the end of a sentence; empty if it may."""
    if _CONTROL.search(text):
        return "must have no control characters"
    lines: Sequence[str] = text.splitlines()
    if _INJECTED.search(text) or any(imitates(line, _FOREIGN) for line in lines):
        return "must hold nothing of what the runtime adds to a conversation"
    if any(_MARKUP.search(line) for line in lines):
        return "must have no markup"
    if is_secret(text):
        return _SECRET
    if spoken is not None and spoken.has_words_of(text):
        return f"must not repeat {LONGEST_ECHO} characters or more of what was said word for word"
    return ""


def told(text: str, flaw: str) -> str:
    """How an error names a text with such a flaw: its beginning, but nothing of a secret."""
    return "(secret)" if flaw == _SECRET else shown(text)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
