"""Plain text of terminal output: the text that a reader would see."""

from __future__ import annotations

import re

# Every repetition is bounded and starts at an escape character, so hostile output costs linear time.
_SEQUENCE = re.compile(
    r"\x1b(?:"
    r"\[[0-?]{0,64}[ -/]{0,8}[@-~]?"  # CSI: colours, cursor movements
    r"|[\]PX^_][^\x07\x1b\r\n]{0,4096}\x07?"  # OSC, DCS …: titles, links; a closing ESC \ goes by itself
    r"|[ -/]{1,8}[0-~]?"  # character sets
    r"|[0-~]"
    r")?"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_REWRITTEN = re.compile(r"^[^\n]*\r(?=[^\r\n])", re.MULTILINE)


def plain(text: str) -> str:
    r"""`text` without escape sequences and control characters, each line as it stood last.

    A carriage return starts its line anew, so of a progress bar only the last state is left; `\r\n` ends a line. Tabs
    and line feeds stay, and there are as many line feeds as before.
    """
    if "\x1b" in text:
        text = _SEQUENCE.sub("", text)
    text = _CONTROL.sub("", text)
    if "\r" in text:
        text = _REWRITTEN.sub("", text).replace("\r", "")
    return text
