"""Guard of what a worker wrote: no secret, no markup, no text of the runtime's, no echo but of people's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from domain.text.imitation import OWN_LINES, imitates
from domain.text.presentable import without_hidden
from domain.text.secret_look import looks_secret
from domain.workspace.answers.answer_json import quotation
from domain.workspace.answers.own_words import own_lines
from messages.turn import SpokenTurn

LONGEST_ECHO = 80
"""Characters in a row that no text may share with the conversation, except for people's own words."""
SPOKEN_CHARS = 2_000_000
"""Most characters of messages and outputs to compare: messages before outputs, newer before older."""
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
    r"(?i)<!--|-->|```|~~~|^\s*(?:#{1,6}(?:\s|$)|>|\|)|!\[[^\]]*\]\(|\]\((?:javascript|data|https?):"
    r"|</[a-z]|<[a-z][\w-]*(?:\s[^<>]*)?/>|<[a-z][\w-]*\s[\w-]+\s*="
    r"|<(?:a|b|body|br|code|details|div|em|font|form|head|hr|html|i|iframe|img|input|li|link|meta|object|ol|p|pre|script"
    r"|span|strong|style|sub|summary|sup|svg|table|td|th|tr|u|ul|video)\s*>"
)

_SECRET = "must hold no secret"
ECHO = f"must not repeat {LONGEST_ECHO} characters or more of an answer, an output, code or a quotation"

IsSecret = Callable[[str], bool]
"""True if a text holds a secret."""


class Spoken:
    """Words of turns for comparison: words that people wrote may be kept word for word, all other words may not.

    Rules have to stand whole, so people's own lines are allowed in any text, also if an answer or an output repeats the
    lines. Answers, outputs, code and quotations are no person's rule: a text may not share `LONGEST_ECHO` characters in
    a row with this material.
    """

    def __init__(self, turns: Iterable[SpokenTurn]) -> None:
        """Start without a compared text.

        Args:
            turns: The oldest first.
        """
        newest = tuple(turns)[::-1]
        texts = (text for turn in newest for text in (turn.answer, turn.text))
        printed = (text for turn in newest for text in reversed(turn.results))
        self._all = _Stretches(chain(texts, printed))
        self._own = _Stretches(" ".join(own_lines(turn.text)) for turn in newest)

    def has_words_of(self, text: str) -> bool:
        """True if a text shares `LONGEST_ECHO` characters in a row with a text, half of them not people's own."""
        plain = _plain(text)
        shared = self._all.places_in(plain)
        if not shared:
            return False
        own = {at for start in self._own.places_in(plain) for at in range(start, start + LONGEST_ECHO)}
        return any(
            sum(at not in own for at in range(start, start + LONGEST_ECHO)) >= LONGEST_ECHO // 2 for start in shared
        )


class _Stretches:
    """Stretches of `LONGEST_ECHO` characters of some texts.

    Any text with a stretch of this length in common contains a whole block, since blocks lie side by side. For each
    block found, all stretches of this length around the block are remembered, so even a highly repetitive text is
    searched only once.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the first `SPOKEN_CHARS` characters of the texts."""
        self._texts: list[str] = []
        self._places: dict[str, list[tuple[int, int]]] = {}
        """Block -> texts with the block, and positions; empty for a block already found."""
        self._stretches: set[int] = set()
        """Hashes, for the stretches themselves could take a hundred times the room of the texts."""
        left = SPOKEN_CHARS
        for each in dict.fromkeys(texts):
            text = _plain(each[:left])
            left -= len(each[:left])
            self._add(text)

    def places_in(self, plain: str) -> frozenset[int]:
        """Beginnings of all stretches in a plain text that also occur in the indexed texts."""
        starts = set[int]()
        for at in range(len(plain) - _ECHO_STEP + 1):
            if (block := plain[at : at + _ECHO_STEP]) in self._places:
                self._meet(block)
                starts.update(range(max(0, at - _ECHO_STEP), at + 1))
        return frozenset(
            start
            for start in starts
            if start + LONGEST_ECHO <= len(plain) and hash(plain[start : start + LONGEST_ECHO]) in self._stretches
        )

    def _add(self, text: str) -> None:
        if len(text) < LONGEST_ECHO:
            return
        for at in range(0, len(text) - _ECHO_STEP + 1, _ECHO_STEP):
            self._places.setdefault(text[at : at + _ECHO_STEP], []).append((len(self._texts), at))
        self._texts.append(text)

    def _meet(self, block: str) -> None:
        """Remember the stretches around a block, once."""
        places, self._places[block] = self._places[block], []
        for number, at in places:
            text = self._texts[number]
            for start in range(max(0, at - _ECHO_STEP), min(at, len(text) - LONGEST_ECHO) + 1):
                self._stretches.add(hash(text[start : start + LONGEST_ECHO]))


def flaw_of(text: str, spoken: Spoken | None = None, is_secret: IsSecret = looks_secret) -> str:
    """Reason why a text may not be written, as the end of a sentence; empty if allowed.

    A secret is looked for first, because what has another flaw is quoted by errors.
    """
    bare = without_hidden(text)
    if is_secret(text) or (bare != text and is_secret(bare)):
        return _SECRET
    if _CONTROL.search(text):
        return "must have no control characters"
    lines: Sequence[str] = text.splitlines()
    if _INJECTED.search(text) or any(imitates(line, _FOREIGN) for line in lines):
        return "must hold nothing of what the runtime adds to a conversation"
    if any(_MARKUP.search(line) for line in lines):
        return "must have no markup"
    if bare != text:
        return "must have no hidden characters"
    if spoken is not None and spoken.has_words_of(text):
        return ECHO
    return ""


def name_text(text: str, flaw: str) -> str:
    """Name of a text with such a flaw in an error: the text's beginning, but no part of a secret."""
    return "(secret)" if flaw == _SECRET else quotation(text)


def _plain(text: str) -> str:
    return " ".join(without_hidden(text).casefold().split())
