"""Copies of entries' files by other programs: each is the entry of the original, and is logged once."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)


class Copies:
    """Copies by path, with the path of the original."""

    def __init__(self) -> None:
        self._original: dict[str, str] = {}
        self._named: set[str] = set()

    def note(self, path: str, original: str, *, is_same: bool) -> None:
        """Take a file as a copy.

        Args:
            path: Path of the copy.
            original: Path of the file in use.
            is_same: True if both have the same text.
        """
        self._original[path] = original
        if path not in self._named:
            self._named.add(path)
            left = "a copy" if is_same else "another version; its text is not used: merge it by hand"
            log.warning("%s is %s of %s; both are one entry", path, left, original)

    def drop(self, path: str) -> None:
        """Forget that a file is a copy."""
        self._original.pop(path, None)

    def of(self, original: str) -> list[str]:
        """Paths of all copies of a file."""
        return [path for path, of in self._original.items() if of == original]
