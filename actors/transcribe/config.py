"""Configuration of the transcription: server or program, model, language, bounds. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from domain.policy.retrying import RetryPolicy

OPENAI_URL = "https://api.openai.com/v1"


class Api(StrEnum):
    """Access to a transcription service."""

    OPENAI = "openai"
    WHISPER_CPP = "whisper.cpp"
    LOCAL = "local"


DEFAULT_MODELS = {Api.OPENAI: "whisper-1", Api.WHISPER_CPP: "whisper.cpp", Api.LOCAL: "whisper-base"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscribeConfig:
    """Configuration of a TranscribeActor."""

    api: Api
    url: str = ""
    """Address of the server; empty for OpenAI's own."""
    model: str = ""
    """Name as the server knows it; empty for the default."""
    model_file: str = ""
    """Absolute path of the weights of a program on this machine; empty for a server."""
    language: str = ""
    """Language of the speech; empty for a guess."""
    key: str = field(default="", repr=False)
    timeout_s: float = 120.0
    """Longest wait for a recording, with all tries."""
    most_bytes: int = 8 << 20
    """Largest file read for a command."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)

    @property
    def model_name(self) -> str:
        """Name of the model, for requests and for readers."""
        return self.model or DEFAULT_MODELS[self.api]
