"""Wording of answers in a terminal: plain lines, times in UTC, and everything that a reply holds."""

from __future__ import annotations

from datetime import UTC, datetime

from actors.part import Wording
from domain.text.terminal_text import plain

_COMMANDS = {"memory": "agent memory", "curated": "agent memory curated"}


class TerminalWording(Wording):
    """Wording for the operator, to whom no word is hidden."""

    is_terminal = True

    def __init__(self, room: str) -> None:
        """Wording of the commands of a room, such as `curated`."""
        self.prefix = _COMMANDS.get(room, f"agent {room}")

    def sanitise(self, text: str) -> str:
        """Text without what a terminal would obey."""
        return plain(text)

    def quote(self, text: str, chars: int) -> str:
        """The same in one line of at most `chars` characters."""
        line = " ".join(plain(text).split())
        return line if len(line) <= chars else f"{line[: chars - 1].rstrip()}…"

    def moment(self, at: datetime, style: str) -> str:  # noqa: ARG002
        """A time in UTC."""
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}Z"

    def note(self, text: str) -> str:
        """A line below another."""
        return f"   {plain(text)}"

    def title(self, text: str) -> str:
        """Words above others."""
        return text
