"""Commands of a shell as far as their text tells: words and redirections, without running or expanding anything.

No parser of bash: what a substitution or a variable stands for is not known, and odd text is read as far as it goes.
`shlex` would know neither ends of lines nor substitutions nor here-documents, and takes as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

LOOKED_AT = 20_000
"""Characters of a command to read, here-documents not counted; text beyond is ignored."""
LONGEST = 100_000
"""Characters to read with here-documents; text beyond is ignored."""
_PIECES = 1_500
"""Parts of words and operators to read."""
_MOST_BRACED = 20
"""Largest number of words from one word with braces."""
_LONGEST_BRACED = 500
"""Most characters of a word with braces."""

_PIECE = re.compile(
    r"""
      (?P<blank>[ \t\r]+)
    | (?P<joined>\\\n)
    | (?P<redirection>(?:(?<![^ \t\r\n;&|()])\d{1,3})?(?:<<<|<<-|<<|<>|<&|>&|>>|>\||[<>](?!\())|&>>?)
    | (?P<operator>\n|&&|\|\||;;?&?|\|&?|&|[<>]?\(|\))
    | (?P<comment>(?<![^ \t\r\n;&|()])\#[^\n]*)
    | (?P<single>\$?'[^']*')
    | (?P<double>\$?"(?:[^"\\]|\\.)*")
    | (?P<escape>\\.)
    | (?P<substitution>\$[({]|`|\$[\w@*\#?$!-])
    | (?P<plain>\$|[^ \t\r\n'"\\$`;&|()<>]+)
    | (?P<odd>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_NESTED = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|(?P<begin>[({])|(?P<end>[)}])""", re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\$`])|\\\n')
_UNKNOWN = re.compile(r"(?<!\\)(?:\\\\)*[$`]")
_WILD = re.compile(r"([*?\[])")
_BRACES = re.compile(r"([^{}]*)\{([^{},]*,[^{}]*)\}(.*)", re.DOTALL)
_TABS = re.compile(r"\n\t+")


class Word(NamedTuple):
    """One word of a command."""

    text: str
    """Word without quotes."""
    pattern: str = ""
    """Pattern of a word that a shell expands to file names: the word, with quoted parts in brackets as literals."""
    is_known: bool = True
    """True if the command is given exactly this word: no variable, substitution or `~` stands in the text."""


class Redirection(NamedTuple):
    """File that a command reads or writes."""

    operator: str
    """Without the descriptor's number."""
    target: Word


@dataclass(slots=True)
class Step:
    """One simple command."""

    before: str
    """Operators between the preceding step and this step, e.g. `&&(`; a line end counts as an operator."""
    parts: list[Word | Redirection] = field(default_factory=list)
    """Words and redirections in the order of the text."""

    @property
    def words(self) -> list[Word]:
        """Words of the step without redirections."""
        return [part for part in self.parts if isinstance(part, Word)]


@dataclass(frozen=True, slots=True)
class Command:
    """Text of a command, in steps."""

    steps: tuple[Step, ...]
    after: str
    """Operators after the last step."""
    is_whole: bool
    """True if all of the text was read, and every quotation has an end."""


def parse_command(text: str) -> Command:
    """Steps of a command; accepts any text, in time bounded by `LOOKED_AT` and `LONGEST`."""
    reader = _Reader(text[:LONGEST])
    reader.read()
    return Command(tuple(reader.steps), "".join(reader.joint), reader.is_whole and len(text) <= LONGEST)


class _Reader:
    """Reader of one text from beginning to end."""

    def __init__(self, text: str) -> None:
        self.steps: list[Step] = []
        self.joint: list[str] = []
        self.is_whole = True
        self._text = text
        self._at = 0
        self._end = LOOKED_AT
        self._left = _PIECES
        self._is_in_step = False
        self._redirection = ""
        self._ends: list[str] = []  # of here-documents that begin at the next line
        self._has_no_tabs = False
        self._word = _Draft()

    def read(self) -> None:
        """Read the whole text, up to the bound on pieces."""
        while self._left > 0 and (match := _PIECE.match(self._text, self._at, self._end)) is not None:
            self._left -= 1
            self._at = match.end()
            self._take(match.lastgroup, match[0])
        self._end_word()
        self.is_whole = self.is_whole and self._at == len(self._text) and not self._ends

    def _take(self, kind: str | None, piece: str) -> None:
        match kind:
            case "plain":
                self._word.add(piece)
            case "blank" | "comment":
                self._end_word()
            case "operator":
                self._end_step(piece)
            case "joined":
                pass
            case "redirection":
                self._end_word()
                self._redirection = piece.lstrip("0123456789")
            case "single":
                self._word.add_quoted(piece.lstrip("$")[1:-1], is_known=piece[0] != "$" or "\\" not in piece)
            case "double":
                inner = piece.lstrip("$")[1:-1]
                is_known = _UNKNOWN.search(inner) is None
                self._word.add_quoted(_ESCAPED.sub(r"\1", inner) if "\\" in inner else inner, is_known=is_known)
            case "escape":
                self._word.add_quoted(piece[1], is_known=True)
            case "substitution":
                self._word.add_quoted("", is_known=False)
                self._skip_substitution(piece)
            case _:
                self.is_whole = False  # a quote without an end

    def _end_word(self) -> None:
        if not self._word.has_begun:
            return
        words = self._word.words()
        self._word = _Draft()
        operator, self._redirection = self._redirection, ""
        if operator in ("<<", "<<-"):
            self._ends.append(words[0].text)
            if operator == "<<-":
                self._drop_tabs()
        if not self._is_in_step:
            self.steps.append(Step("".join(self.joint)))
            self.joint.clear()
            self._is_in_step = True
        self.steps[-1].parts += [Redirection(operator, words[0])] if operator else words

    def _end_step(self, operator: str) -> None:
        self._end_word()
        self._redirection = ""
        self._is_in_step = False
        self.joint.append(operator)
        if operator == "\n" and self._ends:
            for end in self._ends:
                self._skip_heredoc(end)
            self._ends.clear()

    def _skip_substitution(self, piece: str) -> None:
        if piece == "`":
            end = self._text.find("`", self._at)
            self._skip_to(end + 1 if end >= 0 else None)
        elif piece in ("$(", "${"):
            self._skip_to(self._end_of_nest())

    def _end_of_nest(self) -> int | None:
        """Position behind the bracket that was opened last; None if the bracket is not closed."""
        depth = 1
        for match in _NESTED.finditer(self._text, self._at, self._end):
            self._left -= 1
            depth += (match.lastgroup == "begin") - (match.lastgroup == "end")
            if depth == 0:
                return match.end()
            if self._left <= 0:
                break
        return None

    def _skip_heredoc(self, end: str) -> None:
        line = self._at - 1
        while (line := self._text.find(f"\n{end}", line)) >= 0:
            after = line + 1 + len(end)
            if self._text[after : after + 1] in ("", "\n"):
                begin = self._at
                self._skip_to(min(after + 1, len(self._text)))
                self._end += self._at - begin
                return
            line = after
        self._skip_to(None)

    def _skip_to(self, place: int | None) -> None:
        """Go on at `place`; None means the end, with an unclosed construct before."""
        self.is_whole = self.is_whole and place is not None
        self._at = len(self._text) if place is None else place

    def _drop_tabs(self) -> None:
        """Remove the tabs at the beginnings of all coming lines, for a here-document's end."""
        if not self._has_no_tabs:
            self._text = self._text[: self._at] + _TABS.sub("\n", self._text[self._at :])
            self._has_no_tabs = True


class _Draft:
    """Draft of a word, assembled from pieces."""

    def __init__(self) -> None:
        self.has_begun = False
        self._text: list[str] = []
        self._pattern: list[str] = []
        self._is_wild = False
        self._is_known = True
        self._is_quoted = False

    def add(self, piece: str) -> None:
        """Add an unquoted piece."""
        self._is_known = self._is_known and (self.has_begun or piece[0] != "~")
        self._is_wild = self._is_wild or _WILD.search(piece) is not None
        self._text.append(piece)
        self._pattern.append(piece)
        self.has_begun = True

    def add_quoted(self, piece: str, *, is_known: bool) -> None:
        """Add a literal piece, or a piece of unknown value."""
        self._is_known = self._is_known and is_known
        self._is_quoted = True
        self._text.append(piece)
        self._pattern.append(_WILD.sub(r"[\1]", piece))
        self.has_begun = True

    def words(self) -> list[Word]:
        """Word, or several words from a shell's expansion of braces."""
        text = "".join(self._text)
        if "{" in text and not self._is_quoted and self._is_known and len(text) <= _LONGEST_BRACED:
            return [Word(each, each if self._is_wild else "") for each in _expand_braces(text)]
        return [Word(text, "".join(self._pattern) if self._is_wild else "", self._is_known)]


def _expand_braces(text: str) -> list[str]:
    """Words from the expansion of a word with braces, as far as no braces are nested."""
    whole = [""]
    while (braces := _BRACES.fullmatch(text)) is not None:
        head, choices, text = braces.groups()
        whole = [f"{before}{head}{choice}" for before in whole for choice in choices.split(",")][:_MOST_BRACED]
    return [before + text for before in whole]
