"""Wording of answers in a terminal: plain lines, times in UTC, and the whole content of a reply."""

from __future__ import annotations

from datetime import UTC, datetime

from actors.part import Wording
from domain.text.terminal_text import plain

_COMMANDS = {"memory": "agent memory", "curated": "agent memory curated"}


class TerminalWording(Wording):
    """Wording for the operator; no word is hidden."""

    is_terminal = True

    def __init__(self, room: str) -> None:
        """Wording of the commands of a room, such as `curated`."""
        self.prefix = _COMMANDS.get(room, f"agent {room}")

    def sanitise(self, text: str) -> str:
        """Text without terminal controls."""
        return plain(text)

    def quote(self, text: str, chars: int) -> str:
        """Text in a single line of at most `chars` characters, without terminal controls."""
        line = " ".join(plain(text).split())
        return line if len(line) <= chars else f"{line[: chars - 1].rstrip()}…"

    def moment(self, at: datetime, style: str) -> str:  # noqa: ARG002
        """A time in UTC."""
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}Z"

    def note(self, text: str) -> str:
        """A line below another."""
        return f"   {plain(text)}"

    def title(self, text: str) -> str:
        """Heading above other words."""
        return text
