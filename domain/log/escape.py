"""Escaping: storage of characters unfit for a file that people and tools read by lines."""

from __future__ import annotations

import re

from domain.text.presentable import reveal

_UNSAFE = re.compile(
    "["
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but \t and \n, DEL, C1 (NEL among them)
    r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # bidi controls, line and paragraph separator
    r"\ufeff\ud800-\udfff"  # byte order mark, lone surrogates (UTF-8 has no form for them)
    "]"
)
_ROUND_NUMBERS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
"""Format characters drawn around or under the following numbers."""
_SAFE_ASCII = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
_LIKENESS = re.compile(r"^(?=<!-- end |## [0-9]{4}-[0-9]{2}-[0-9]{2}T)", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|([\\<#])|)")
_BACKTICKS = re.compile("`{3,}")


def must_escape(text: str) -> bool:
    """True if `text` may not be stored unescaped.

    Two reasons: a character that could mislead a terminal, an editor or a tool that splits lines; or a line like a
    record's first or last line. Without such lines in stored content, whole or cut short anywhere, records can be found
    after damage.
    """
    return _has_unsafe(text) or (("<!-- end " in text or "## " in text) and _LIKENESS.search(text) is not None)


def _has_unsafe(text: str) -> bool:
    # Deleting all safe bytes is the fastest way to see whether others are left.
    if text.isascii():
        return bool(text.encode("ascii").translate(None, _SAFE_ASCII))
    # Every unsafe character is unprintable, few other ones are, and asking for that is ten times faster than searching.
    if text.replace("\n", "").replace("\t", "").isprintable():
        return False
    return _UNSAFE.search(text) is not None


def escape(text: str) -> str:
    r"""`text` with doubled backslashes, unsafe characters as `\uXXXX`, and `\` before lines like a log's own."""
    doubled = text.replace("\\", "\\\\")
    return _LIKENESS.sub(r"\\", _UNSAFE.sub(_code, doubled))


def unescape(stored: str) -> str:
    """Restore the text that was given to `escape`.

    Raises:
        ValueError: `escape` never gives `stored`.
    """
    return _ESCAPE.sub(_original, stored)


def _original(match: re.Match[str]) -> str:
    code, literal = match.groups()
    if code is not None:
        return chr(int(code, 16))
    if literal is None:
        raise ValueError(f"backslash at {match.start()} begins no escape: one of \\\\ \\< \\# \\uXXXX is expected")
    return str(literal)


def visible(text: str) -> str:
    r"""`text` with every unsafe or hidden character shown as `\uXXXX`: fit for a terminal, not reversible.

    More characters than in a log are escaped: also invisible characters, such as zero-width spaces and tags, but not a
    joiner needed by an emoji or a script. A character beyond U+FFFF becomes two such codes, as in JSON.
    """
    return _ROUND_NUMBERS.sub(_code, _UNSAFE.sub(_code, reveal(text, _codes)))


def _code(match: re.Match[str]) -> str:
    return _codes(match[0])


def _codes(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def fence_for(text: str) -> str:
    """Shortest run of backticks, at least three, that is absent from `text`."""
    if "```" not in text:
        return "```"
    return "`" * (1 + max(map(len, _BACKTICKS.findall(text))))
