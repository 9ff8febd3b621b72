"""Words of a line of shell, cut into simple commands: what a look at them needs, and not what running them would."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LOOKED_AT = 4_000
"""Characters of a line, its here-documents not counted."""
LONGEST = 100_000
"""Characters of a line with them."""
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\\\n|(?<![^\s;|&()])\#[^\n]*)
    |(?P<redirect>\d{0,3}(?:&>>|&>|>>|>\||<>|<<<|>&|<&|>|<))
    |(?P<pipe>\|&|\|(?!\|))
    |(?P<end>\n|&&|\|\||;;|;|&)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<word>(?:[^\s;|&()<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)
    |(?P<odd>.)""",
    re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(
    r"""\\(?P<escaped>.)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^'"\\]+)""", re.DOTALL
)
_ESCAPED = re.compile(r'\\([$`"\\\n])')
_HEREDOC = re.compile(r"""<<-?[ \t]*(?:'(?P<single>[^'\n]+)'|"(?P<double>[^"\n]+)"|\\?(?P<plain>[\w.-]+))""")
_WILD = frozenset("*?[")
_SUBSTITUTED = frozenset("$`")


@dataclass(frozen=True, slots=True)
class Word:
    """One word, as the shell would hand it on."""

    text: str
    is_literal: bool = True
    """Whether nothing is put into it: no variable, no other command's output, no home folder."""
    is_pattern: bool = False
    """Whether it has wildcards."""

    @property
    def is_name(self) -> bool:
        """Whether it stands for itself."""
        return self.is_literal and not self.is_pattern


@dataclass(slots=True)
class Simple:
    """One simple command."""

    words: list[Word] = field(default_factory=list)
    redirections: list[tuple[Word, bool]] = field(default_factory=list)
    """Target, and whether it is read."""
    is_piped: bool = False
    """Whether it hands its output to another one, or gets one's."""
    opened: int = 0
    """Subshells that begin before it."""
    closed: int = 0
    """Subshells that end behind it."""


def simple_commands(line: str) -> Iterator[Simple]:
    """The simple commands of a line, in order; what stands in here-documents is none."""
    current = Simple()
    target: str | None = None
    for token in _TOKEN.finditer(_without_heredocs(line[:LONGEST])[:LOOKED_AT]):
        kind, text = token.lastgroup, token[0]
        match kind:
            case "word" if target is not None:
                if target:
                    current.redirections.append((_word(text), target == "<"))
                target = None
            case "word":
                current.words.append(_word(text))
            case "redirect":
                operator = text.lstrip("0123456789")
                target = {"<": "<", "<>": "<"}.get(operator, "" if operator in ("<<<", ">&", "<&") else ">")
            case "pipe":
                current.is_piped = True
                yield current
                current, target = Simple(is_piped=True), None
            case "end" | "open":
                if current.words or current.redirections or current.closed:
                    yield current
                    current = Simple()
                current.opened += kind == "open"
                target = None
            case "close":
                current.closed += 1
            case _:
                continue
    yield current


def _word(text: str) -> Word:
    """A word without its quotes."""
    parts: list[str] = []
    is_literal, is_pattern = text[0] != "~", False
    for piece in _PIECE.finditer(text):
        match piece.lastgroup:
            case "escaped":
                parts.append("" if piece["escaped"] == "\n" else piece["escaped"])
            case "single":
                parts.append(piece["single"])
            case "double":
                is_literal = is_literal and _SUBSTITUTED.isdisjoint(_ESCAPED.sub("", piece["double"]))
                parts.append(_ESCAPED.sub(r"\1", piece["double"]))
            case _:
                is_literal = is_literal and _SUBSTITUTED.isdisjoint(piece["plain"])
                is_pattern = is_pattern or not _WILD.isdisjoint(piece["plain"])
                parts.append(piece["plain"])
    return Word("".join(parts), is_literal, is_pattern)


def _without_heredocs(line: str) -> str:
    """A line without the bodies of here-documents."""
    if "<<" not in line:
        return line
    kept: list[str] = []
    ends: list[str] = []
    for each in line.split("\n"):
        if ends:
            if each.strip() == ends[0]:
                ends.pop(0)
            continue
        ends += [found[found.lastgroup or 0] for found in _HEREDOC.finditer(each)]
        kept.append(_HEREDOC.sub("", each))
    return "\n".join(kept)
