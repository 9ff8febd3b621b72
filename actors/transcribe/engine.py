"""Engine of a transcription: the face that server and program share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from messages.base import Window


class UnheardError(Exception):
    """A recording cannot be listened to; the text says why, for a person and a model, without a full stop."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One file with speech."""

    window: Window
    audio: bytes
    """The whole file; empty for an engine that reads files itself."""
    path: str
    """Path below the window's working directory; empty if the file is not kept."""


class Engine(Protocol):
    """Listener to recordings; lives on one loop."""

    reads_files: bool
    """True if the engine reads the file at the recording's path, instead of the recording's bytes."""
    at_once: int
    """Most recordings that are listened to at a time."""

    async def listen(self, recording: Recording) -> str:
        """Words of a recording; empty if no words were heard.

        Raises:
            UnheardError: it cannot be listened to.
        """

    async def close(self) -> None:
        """End what is under way."""
