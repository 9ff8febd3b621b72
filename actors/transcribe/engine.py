"""Engine of a transcription: the common interface of server and program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from messages.base import Window


class UnheardError(Exception):
    """A recording cannot be listened to; the text says why, for a person and a model, without a full stop."""


@dataclass(frozen=True, slots=True)
class Recording:
    """File with speech."""

    window: Window
    audio: bytes
    """Whole file; empty for an engine that reads files itself."""
    path: str
    """Path below the window's working directory; empty if the file is not kept."""


class Engine(Protocol):
    """Transcriber of recordings; lives on a single loop."""

    reads_files: bool
    """True if the engine reads the file at the recording's path, instead of the recording's bytes."""
    at_once: int
    """Most recordings transcribed at a time."""

    async def listen(self, recording: Recording) -> str:
        """Words of a recording; empty if no words were heard.

        Raises:
            UnheardError: the recording cannot be transcribed.
        """

    async def close(self) -> None:
        """End all work under way."""
