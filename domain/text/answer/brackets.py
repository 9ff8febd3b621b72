"""Counter of JSON's brackets in a text in pieces: tells in a single pass if a value may be whole."""

from __future__ import annotations

import re

_MARK = re.compile(r'["\\{}\[\]]')


class Brackets:
    """Counter of open brackets, outside of strings."""

    def __init__(self) -> None:
        """Begin without text."""
        self._depth = 0
        self._has_any = False
        self._is_string = False
        self._is_escaped = False
        """True if the next character belongs to a backslash."""

    @property
    def are_closed(self) -> bool:
        """True if at least one bracket was opened and all are closed."""
        return self._has_any and self._depth <= 0 and not self._is_string

    def take(self, piece: str) -> None:
        """Count a further piece."""
        at = 0
        if self._is_escaped and piece:
            self._is_escaped, at = False, 1
        while (mark := _MARK.search(piece, at)) is not None:
            at = mark.end()
            if mark[0] == "\\":
                self._is_escaped = at == len(piece)
                at += 1
            elif mark[0] == '"':
                self._is_string = not self._is_string
            elif not self._is_string:
                self._has_any = True
                self._depth += 1 if mark[0] in "{[" else -1
