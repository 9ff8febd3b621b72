"""Name of a thread, made from its first message: one plain line within Discord's limits."""

from __future__ import annotations

import re
import unicodedata

from domain.text.mention import NAME, YOU

MOST_CHARS = 100
"""Characters that Discord allows in a channel's name; counted in UTF-16 code units to be on the safe side."""
_LONGEST_READ = 4_000
_CODE = re.compile(r"(`{3,})(?:[A-Za-z0-9_+-]*\n)?(.*?)(?:\1|\Z)|(`{1,2})(?!`)(.+?)(?<!`)\3(?!`)", re.DOTALL)
_SPOILER = re.compile(r"\|\|.+?\|\|", re.DOTALL)
_MENTION = re.compile(rf"<([@#])[!&]?[0-9]{{15,20}}>(?:{NAME})?")
_EMOJI = re.compile(r"<a?(:\w{1,32}:)[0-9]{15,20}>")
_TIME = re.compile(rf"<t:-?[0-9]{{1,13}}(?::[a-zA-Z])?>(?:{NAME})?")
_COMMAND = re.compile(r"<(/[^:<>]{1,100}):[0-9]{15,20}>")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\(<?[^)\s>]+>?(?: \"[^\"\n]*\")?\)")
_BARE_LINK = re.compile(r"<(https?://[^\s<>]+)>")
_LEADING = re.compile(r"^[ \t]*(?:>{1,3}[ \t]+|#{1,3}[ \t]+|-#[ \t]+|[-*+][ \t]+|[0-9]{1,3}\.[ \t]+)+", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*{1,3}|~~|__|(?<!\w)_(?=\w))(?=\S)(.+?)(?<=\S)\1(?!\w(?<=_))", re.DOTALL)
_ESCAPE = re.compile(r"\\([*_`~|<>#\[\]()\\:-])")
_LITERAL = 0xF0000
"""Distance to the private character that stands for a literal markdown sign while other signs are removed."""
_TO_LITERAL = {ord(sign): _LITERAL + ord(sign) for sign in "*_`~|<>#[]()\\-."}
_FROM_LITERAL = {literal: chr(sign) for sign, literal in _TO_LITERAL.items()}
_JOINER = "\u200d"


def thread_name(*candidates: str) -> str:
    """Name for a thread: the first visible candidate, without markdown, on one line, 1 to 100 characters.

    Spoilers stay hidden: the name is shown to all readers of the channel.

    Args:
        candidates: Texts in Discord's markdown, with names beside ids as set by `with_names`; the bot's name is left
            out.
    """
    for candidate in (*candidates, "Question"):
        if name := _shorten(_one_line(_without_markdown(candidate[:_LONGEST_READ]))):
            return name
    raise AssertionError("the last candidate has letters")


def _without_markdown(text: str) -> str:
    text = _CODE.sub(lambda match: _literal(f" {match[2]} " if match[1] else match[4]), text)
    text = _ESCAPE.sub(lambda match: _literal(match[1]), text)
    text = _SPOILER.sub("…", text)
    text = _MENTION.sub(_mention_name, text)
    text = _EMOJI.sub(r"\1", text)
    text = _TIME.sub(lambda match: match[1] or "", text)
    text = _COMMAND.sub(r"\1", text)
    text = _LINK.sub(r"\1", text)
    text = _BARE_LINK.sub(r"\1", text)
    text = _LEADING.sub("", text)
    before = ""
    while before != text:
        before, text = text, _EMPHASIS.sub(r"\2", text)
    return text.translate(_FROM_LITERAL)


def _literal(text: str) -> str:
    return text.translate(_TO_LITERAL)


def _mention_name(mention: re.Match[str]) -> str:
    name = mention[2] or "unknown"
    return "" if name.endswith(YOU) else _literal(f"{mention[1]}{name}")


def _one_line(text: str) -> str:
    """`text` with single blanks, without invisible characters and characters that reverse the line."""
    visible = "".join(char if char == _JOINER or _is_shown(char) else " " if char.isspace() else "" for char in text)
    line = " ".join(visible.split())
    return line if any(unicodedata.category(char)[0] in "LNPS" for char in line) else ""


def _is_shown(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and not char.isspace()


def _shorten(line: str) -> str:
    """`line` itself, or the beginning up to a blank, with an ellipsis; joined parts of a sign stay together."""
    if _length(line) <= MOST_CHARS:
        return line
    end = next(number for number in range(min(len(line), MOST_CHARS), 0, -1) if _length(line[:number]) < MOST_CHARS)
    blank = line.rfind(" ", end // 2, end + 1)
    if blank > 0:
        return line[:blank].rstrip() + "…"
    while end > 1 and (_belongs_to_last(line[end]) or line[end - 1] == _JOINER or _splits_flag(line, end)):
        end -= 1
    return line[:end].rstrip() + "…"


def _length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _splits_flag(line: str, end: int) -> bool:
    """True if a cut stands in the middle of a flag, a pair of regional letters."""
    begin = end
    while begin > 0 and _is_flag_letter(line[begin - 1]):
        begin -= 1
    return (end - begin) % 2 == 1 and _is_flag_letter(line[end])


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _belongs_to_last(char: str) -> bool:
    """True if a character only changes the character before."""
    return char == _JOINER or unicodedata.combining(char) > 0 or "\ufe00" <= char <= "\ufe0f" or char in _SKINS


_SKINS = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
