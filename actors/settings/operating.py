"""Settings of the operator's own machine: the observer's page, the log on stderr, local models, and speech."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from actors.settings.table import Flag, Folder, Number, OptionalHttpAddress, Table, Whole


def _speech_model(value: str) -> str:
    if value and not re.fullmatch(r"[!-~]{1,100}", value):
        raise ValueError("must be empty or a model's name, without spaces")
    return value


def _language(value: str) -> str:
    if value and not re.fullmatch(r"[a-z]{2,3}", value):
        raise ValueError("must be empty or a language's two or three letters, such as en")
    return value


class Observer(Table):
    """Observer: a page on loopback about the actors at work; the data root's `observer.json` has the address."""

    enabled: Flag = False
    port: Whole = Field(default=0, ge=0, le=65_535)
    """Port; 0 for any free port."""


class Log(Table):
    """Log on stderr: work and trouble of the actors, never words of people."""

    format: Literal["text", "json"] = "text"
    """`json`: an object per line."""


class LocalModel(Table):
    """Language models on this machine, `local/...`; need the extra `local-model`."""

    folder: Folder = "~/.local/share/remembrancer/models"
    """Folder of the models' files, for all agents of a user."""
    threads: Whole = Field(default=0, ge=0, le=1_024)
    """Number of computing threads; 0 for a thread per processor."""
    context_tokens: Whole = Field(default=8_192, ge=512, le=1_000_000)
    """Longest conversation with its answer; takes memory for each concurrent answer."""
    at_once: Whole = Field(default=2, ge=1, le=64)
    """Answers at once."""
    cache_mib: Whole = Field(default=1_024, ge=0, le=1_000_000)
    """Memory for prompts of resting conversations."""
    start_timeout_s: Number = Field(default=120.0, gt=0, le=600)
    """Time for loading a model."""


class Transcribe(Table):
    """Speech: transcription of voice messages and audio files."""

    api: Literal["off", "openai", "whisper.cpp", "local"] = "off"
    """`openai` and `whisper.cpp` are forms of requests to `url`; `local` runs whisper.cpp's program on this machine."""
    url: OptionalHttpAddress = Field(default="", validate_default=True)
    """Address of the server, before `/audio/transcriptions` or `/inference`; empty for OpenAI's own."""
    model: Annotated[str, AfterValidator(_speech_model)] = ""
    """Model of speech; empty for `whisper-1` of `openai` and `whisper-base` of `local`; whisper.cpp's server has a
    single model."""
    language: Annotated[str, AfterValidator(_language)] = ""
    """Language of the speech, such as `en`; empty for a guess."""
    timeout_s: Number = Field(default=120.0, ge=1, le=900)
    """Longest wait for the words of a message, with all tries; later messages in the channel wait as long."""

    @field_validator("url")
    @classmethod
    def _fits_the_form(cls, value: str, info: ValidationInfo) -> str:
        api = info.data.get("api")
        if api == "whisper.cpp" and not value:
            raise ValueError("is needed: the address of whisper.cpp's server, such as http://127.0.0.1:8080")
        if api == "local" and value:
            raise ValueError('must be empty with transcribe.api = "local": the program runs on this machine')
        return value
