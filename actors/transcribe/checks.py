"""Checks of the transcription: key, address, programs, weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from actors.part import Finding, Level, command
from actors.transcribe.program import fault_of_weights, missing_programs

if TYPE_CHECKING:
    from actors.settings.operating import Transcribe


def findings(table: Transcribe, model_file: str, *, has_key: bool) -> Iterator[Finding]:
    """Findings on the transcription, which is on.

    Args:
        table: Settings in force.
        model_file: Weights for the program; empty for a server.
        has_key: True if there is a key for the server.
    """
    if table.api == "local":
        missing = missing_programs()
        for name in missing:
            yield Finding(
                "transcribe", Level.FAIL, f"{name} is not installed; install it, or use a server (transcribe.api)"
            )
        if fault := fault_of_weights(model_file):
            yield Finding("transcribe", Level.FAIL, f"{fault}; {command()} model get whisper-base fetches some")
        elif not missing:
            yield Finding("transcribe", Level.OK, f"local: {model_file}")
    elif table.api == "openai" and not table.url and not has_key:
        yield Finding("transcribe", Level.FAIL, "there is no TRANSCRIBE_API_KEY or OPENAI_API_KEY")
    else:
        yield Finding("transcribe", Level.OK, f"{table.api}: {table.url or 'OpenAI'}")
