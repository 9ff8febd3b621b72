"""Discord's reader of markdown in small: a list of patterns of which the first that matches wins, on each level anew.

The reader shares no code with the product.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class ShownCharacter(NamedTuple):
    """One character on the screen."""

    character: str
    formats: frozenset[str]


QUOTE = re.compile(r"(?: *>>> +[\s\S]+)|(?: *>(?!>>) +[^\n]*(?:\n *>(?!>>) +[^\n]*)*\n?)")
QUOTE_MARK = re.compile(r"^ *>(?:>>)? ?", re.MULTILINE)
HEADING = re.compile(r" *(#{1,3})[ \t]+([^\n]+)(?:\n|$)")
SMALL = re.compile(r" *-#[ \t]+([^\n]+)(?:\n|$)")
ITEM = re.compile(
    r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)"
    r"([^\n]*(?:\n(?=[ \t]+\S)(?![ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]| *(?:>|#{1,3}|-#)[ \t])[^\n]+)*)(?:\n|$)"
)
ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
FENCE = re.compile(r"```(?:([a-zA-Z0-9_+\-.#]+?)\n)?\n*([^\n][^`]*?)\n*```")
CODE = re.compile(r"(`{1,2})([\s\S]*?[^`])\1(?!`)")
LINK = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\()]|\\.)*?)>?(?:\s+\"[^\"]*\")?\s*\)"
)
TAG = re.compile(r"<(?:@[!&]?|#|a?:\w+:|t:|/[^<>:]+:|https?://)[^\s>]*>")
URL = re.compile(r"https?://[^\s<|]+[^<.,:;\"'\]\s|*_~]")
INLINE = {
    "italic": re.compile(
        r"_((?:__|\\[\s\S]|[^\\_])+?)_\b|\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)"
    ),
    "bold": re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)"),
    "underlined": re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)"),
    "struck": re.compile(r"~~([\s\S]+?)~~(?!_)"),
    "hidden": re.compile(r"\|\|([\s\S]+?)\|\|"),
}

BEGINNINGS = frozenset("\\`[<h_*~|")
"""First characters of all that is more than a character within a line."""


def render(text: str) -> list[ShownCharacter]:
    """All that is shown but blanks, in order."""
    return [
        characters
        for characters in _Reader().read(text, frozenset(), at_line=True)
        if not characters.character.isspace()
    ]


class _Reader:
    def __init__(self) -> None:
        self._indents: list[int] = []

    def read(self, text: str, formats: frozenset[str], *, at_line: bool = False) -> list[ShownCharacter]:
        characters: list[ShownCharacter] = []
        at = 0
        while at < len(text):
            is_line = at_line if at == 0 else text[at - 1] == "\n"
            consumed, more = (is_line and self._block(text, at, formats)) or self._inline(text, at, formats)
            characters += more
            at = consumed
        return characters

    def _block(self, text: str, at: int, formats: frozenset[str]) -> tuple[int, list[ShownCharacter]] | None:
        if "quoted" not in formats and (match := QUOTE.match(text, at)):
            words = QUOTE_MARK.sub("", match[0], count=match[0].lstrip().startswith(">>>"))
            self._indents.clear()
            return match.end(), self.read(words, formats | {"quoted"}, at_line=True)
        if match := HEADING.match(text, at):
            self._indents.clear()
            return match.end(), self.read(match[2], formats | {f"heading {len(match[1])}"})
        if match := SMALL.match(text, at):
            self._indents.clear()
            return match.end(), self.read(match[1], formats | {"small"})
        if match := ITEM.match(text, at):
            indent = len(match[1].expandtabs(4))
            while self._indents and self._indents[-1] >= indent:
                self._indents.pop()
            self._indents.append(indent)
            depth = len(self._indents) - 1
            return match.end(), self.read(match[2], formats | ({f"level {depth}"} if depth else set()))
        if text[at] != "\n" and not text[at].isspace():
            self._indents.clear()
        return None

    def _inline(self, text: str, at: int, formats: frozenset[str]) -> tuple[int, list[ShownCharacter]]:
        if text[at] not in BEGINNINGS:
            return at + 1, [ShownCharacter(text[at], formats)]
        if match := ESCAPE.match(text, at):
            return match.end(), [ShownCharacter(match[1], formats)]
        if match := FENCE.match(text, at):
            return match.end(), _plain(match[2], formats | {f"code {match[1] or ''}"})
        if match := CODE.match(text, at):
            return match.end(), _plain(match[2], formats | {"code"})
        if match := LINK.match(text, at):
            return match.end(), self.read(match[1], formats | {f"link {match[2]}"})
        if match := TAG.match(text, at) or URL.match(text, at):
            return match.end(), [ShownCharacter(match[0], formats)]
        matches = [(name, match) for name, rule in INLINE.items() if (match := rule.match(text, at))]
        if matches:
            name, match = max(matches, key=lambda one: len(one[1][0]))
            return match.end(), self.read(next(filter(None, match.groups())), formats | {name})
        return at + 1, [ShownCharacter(text[at], formats)]


def _plain(text: str, formats: frozenset[str]) -> list[ShownCharacter]:
    return [ShownCharacter(character, formats) for character in text]
