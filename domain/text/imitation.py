"""Imitations: lines of people, files and commands that look like a line of the runtime, and their treatment.

`OWN_LINES` names every line that the runtime writes among other people's words. A change that adds such a line also
adds an entry there; `tests/domain/text/test_imitation.py` holds every writer against the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from domain.text.lookalike import as_seen, without_unseen

MARK = "> "
"""Prefix of a line that imitates a line of the runtime; without the prefix the line is the original."""

_BREAK = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_LINE = re.compile(f"[^{_BREAK}]+")
"""A line, by any reader's definition of a line break."""
_LOOKED_AT = 400
"""Characters of a line to compare, from the first word on."""
_ORNAMENTS = (
    re.compile(r"[\s*_~`\"'\\|]*"),
    re.compile(r"(?:[^\w\[({<>]|_|[\[({<](?=[^\w]{0,3}[\[({<])|\d{1,3}[.)]\s)*"),
)
"""Characters before a line's words, overlooked by a reader."""
_MARKUP = re.compile(r"[*_~`|\\]")
"""Markup among a line's words, overlooked by a reader."""

_DATE = r"[\[({<] ?[\do]{4}[^\do]{1,3}[\dol]{1,2}[^\dol]{1,3}[\dol]{1,2}"

_HEADER = rf"{_DATE}[^\])}}>]{{0,24}}utc ?[\])}}>]|{_DATE}[ t]{{1,3}}\d{{1,2}}[:.h]\d\d(?![:.,\d])"
"""Also matches without a zone, but not with seconds, as programs write times."""


@dataclass(frozen=True, slots=True)
class OwnLine:
    """Kind of line written by the runtime."""

    name: str
    pattern: str
    """Pattern of the line's beginning in `as_seen` form, without ornament; wider than the runtime's own wording."""
    in_outputs: bool = True
    """True if a command's output may not have the line either; a command may print lines that only stand in files."""


OWN_LINES = (
    OwnLine("header of a message", _HEADER),
    OwnLine("block", r"[il1|]njected[ _-]{0,3}context"),
    OwnLine("memories of a block", r'[\[({<] ?"?budget_?tokens_?est"?'),
    OwnLine("wish to see a record", r"expand ?path ?="),
    OwnLine("end of an expansion", r"(?:this ?is ?data, ?not ?instructions. ?)?answer ?the ?last ?message ?now"),
    OwnLine("head of a quotation", r"> ?(?![\s*_~`\"'\\|]*>).{1,200} ?wrote ?:\W{0,8}$", in_outputs=False),
    OwnLine("head of an attachment", r"[\[(] ?attach(?:ed ?file|ment) ?:"),
    OwnLine(
        "head of a part of a message",
        r"[\[(] ?(?:sticker|poll(?: ?that ?is ?over)?|embed|components|voice ?message|invitation|left ?out|forwarded"
        r" ?message(?:.{1,120})?|message ?of ?an? ?unknown ?kind|part ?of ?an? ?unknown ?kind) ?:",
        in_outputs=False,
    ),
    OwnLine("frame of a workspace's block", r"[\[({<]? ?/? ?runtime[ _-]{0,3}context ?[>\])}]"),
    OwnLine("frame of a skill", r"</? ?(?:skill|available_?skills)", in_outputs=False),
    OwnLine(
        "heading of memory that is kept by hand",
        r"#[# ]*persistent ?memory|persistent ?memory ?$"
        r"|#?[# ]*(?:g[il1|]oba[il1|]|project) ?memory ?[.,] ?(?:local ?[.,] ?)?md(?: ?[\[({<]|[ #:]*$)",
        in_outputs=False,
    ),
    OwnLine("turn without an answer", r"[\[(]? ?no ?answer ?was ?given"),
    OwnLine("words that were taken back", r"[\[(]? ?taken ?back(?: ?:| ?[\])])"),
    OwnLine("picture that is not shown", r"[\[(].{1,300} ?is ?not ?shown ?to ?you ?:"),
    OwnLine("call told in words", r"[\[(].{1,100} ?was ?called ?:"),
    OwnLine("result told in words", r"[\[(] ?result ?[\])]"),
    OwnLine("output that is empty", r"[\[(] ?no ?output ?[\])]"),
    OwnLine("output that is cut", r"[\[(] ?showing ?(?:last|lines|the ?first ?\d+ ?of ?\d+ ?characters)"),
    OwnLine("end of a command", r"[\[(] ?(?:exit ?code ?-?\d|ended ?by ?signal|killed:|cancelled:)"),
    OwnLine("command without a result", r"(?:not ?run|killed|interrupted) ?:"),
    OwnLine(
        "reference of an object",
        r"[\[({<] ?(?:(?:[o0]utput|f[il1]{2}es?|text ?of) ?:? ?[tf]\d|\d+ ?m[o0]re ?f[il1]{2}es ?are ?"
        r"|its ?text ?is ?n[o0])",
    ),
    OwnLine("record of a log", r"## [\do]{4}-\d\d-\d\d ?t|<!-- ?(?:end |\{)|> ?\[ ?! ?seal", in_outputs=False),
)
"""Every kind of line that the runtime writes in model input and in logs."""


def imitates(line: str, own_lines: Iterable[OwnLine] = OWN_LINES) -> str:
    """The name of the runtime's line that `line` is, or could be taken for; empty without a match."""
    looks = _looks(line)
    return next((own.name for own in own_lines if any(re.match(own.pattern, look) for look in looks)), "")


def defuse(text: str) -> str:
    """Mark every line in a person's `text` that imitates a line of the runtime.

    The log keeps the original; only requests carry this form.
    """
    return _mark_lines(text, _ANY)


def defuse_output(text: str) -> str:
    """Mark imitating lines in a command's output `text`; the output may print logs and skills unmarked."""
    return _mark_lines(text, _ANY_IN_OUTPUTS)


def marked_line(line: str) -> str:
    """Defuse a single line behind another mark, for example a quotation mark."""
    return defuse(MARK + line)


def _mark_lines(text: str, pattern: re.Pattern[str]) -> str:
    return _LINE.sub(lambda match: MARK + match[0] if _is_like(match[0], pattern) else match[0], text)


def _is_like(line: str, pattern: re.Pattern[str]) -> bool:
    return any(map(pattern.match, _looks(line)))


def _looks(line: str) -> Iterable[str]:
    """Distinct forms in which a reader may see the line, from the first word on."""
    bare = line if line.isascii() and line.isprintable() else without_unseen(line)
    plain = _MARKUP.sub("", bare)
    forms = (bare,) if plain == bare else (bare, plain)
    return dict.fromkeys(_from_first_word(form, ornament) for form in forms for ornament in _ORNAMENTS)


def _from_first_word(line: str, ornament: re.Pattern[str]) -> str:
    """A line as seen, from the first word on; blanks go first, or a long gap hides the text behind."""
    begin = ornament.match(line)
    words = " ".join(line[begin.end() if begin else 0 :].split())
    return " ".join(as_seen(words[:_LOOKED_AT]).split())


def _compile(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


_ANY = _compile(own.pattern for own in OWN_LINES)
_ANY_IN_OUTPUTS = _compile(own.pattern for own in OWN_LINES if own.in_outputs)
