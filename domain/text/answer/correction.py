"""Corrections: a line that makes a model try again after an answer of no use to people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "(Not seen by people.) "
"""Begins each correction; people's messages begin with a header."""
AMONG_WORDS: Final = (
    f"{PREFIX}Nothing was run: a call among words may be a quotation. "
    "To run it, call the tool, or write the call alone. Else answer in words, without a call."
)
NOT_RUN: Final = (
    f"{PREFIX}A command that is only written down is not run. To run it, call bash with it. "
    "If people are to read it, answer again and say in a sentence what it is for."
)
REFUSED: Final = (
    f"{PREFIX}The last command failed, and its output above says why. That is no reason to refuse: call bash with a "
    "better command, or say in words what is missing."
)
NO_WORDS: Final = f"{PREFIX}That was no answer. Answer the person's message now, in words of your own."

_SHELL_BLOCK = re.compile(r"^```[ \t]*(?:bash|sh|shell|console|zsh)[ \t]*\n(?P<code>.*?)(?:^```|\Z)", re.M | re.S)
_TOOLS = re.compile(r"<tools>\s*\{|\"type\"\s*:\s*\"function\"\s*,\s*\"function\"\s*:\s*\{\s*\"name\"")
_WORDLESS = re.compile(r"[\s`~*_\-#>{}\[\]()|\\/.,:;]*")
_SORRY = r"(?:(?:i'?m|i am) (?:very |really )?sorry|sorry|i apologi[sz]e|unfortunately)?[,.;:]?\s*(?:but )?"
_REFUSAL = re.compile(
    rf"\s*{_SORRY}i(?: can'?t| cannot| can not|(?: am|'?m) (?:not able|unable) to| won'?t(?: be able to)?)"
    r" (?:assist|help|do|fulfil+|comply|process|complete)(?: you)?(?: with)?"
    r"(?: (?:that|this|it|your|the|particular|specific|request|task|question))*[\s.!]*",
    re.IGNORECASE,
)


def shows_tools(answer: str) -> bool:
    """True if an answer repeats the template's description of the tools."""
    return _TOOLS.search(answer) is not None


def is_correction(text: str) -> bool:
    """True for a correcting line of the runtime."""
    return text.startswith(PREFIX)


def correction(answer: str, scripts: Iterable[str], *, has_run: bool, has_failed: bool) -> str:
    """The line for a model whose answer holds no call and is no use to people; empty for a usable answer.

    Args:
        answer: Words of the model.
        scripts: Paths of the skills' scripts.
        has_run: True if the turn has outputs of commands.
        has_failed: True if the last output is an error or a refusal.
    """
    if _WORDLESS.fullmatch(answer):
        return NO_WORDS if has_run or answer.strip() else ""
    if has_run and _REFUSAL.fullmatch(answer.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")):
        return REFUSED if has_failed else NO_WORDS
    blocks = list(_SHELL_BLOCK.finditer(answer))
    is_alone = len(blocks) == 1 and blocks[0][0].strip() == answer.strip()
    names = tuple(scripts)
    is_ours = any(name in block["code"] for block in blocks for name in names)
    return NOT_RUN if is_alone or is_ours else ""
