"""Guard: a line of the product that holds a promise of docs/security.md, and the test that falls without it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Guard:
    """Line of a file, with what stands in its place when it is taken out."""

    file: str
    line: str
    """Text that stands in the file once."""
    instead: str
    """Text without the guard, which still runs."""
    test: str
    """Test that must fall: file below `tests/`, and the function's name."""

    @property
    def test_id(self) -> str:
        """The test as pytest names it."""
        return f"tests/{self.test}"

    @property
    def title(self) -> str:
        """The guard on one line."""
        shown = " ".join(self.line.split())
        return f"{self.file}: {shown[:100]}{'…' * (len(shown) > 100)}"

    def without(self, text: str) -> str:
        """Text of the file without the guard.

        Raises:
            ValueError: the line does not stand in the text exactly once.
        """
        count = text.count(self.line)
        if count != 1:
            raise ValueError(f"{self.title}: stands there {count} times, exactly 1 is required")
        return text.replace(self.line, self.instead)


def guards_of(file: str, *rows: tuple[str, str, str]) -> tuple[Guard, ...]:
    """Guards of one file: line, what stands instead, test."""
    return tuple(Guard(file, *row) for row in rows)
