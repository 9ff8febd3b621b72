"""A TranscribeActor on a system of real threads, before a loopback server."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.kernel import ActorSpec, ActorSystem
from actors.part import locate_file
from actors.transcribe.actor import TranscribeActor
from actors.transcribe.config import Api, TranscribeConfig
from actors.transcribe.engine import Engine
from actors.transcribe.server import ServerEngine
from domain.policy.retrying import RetryPolicy
from lab.loopback_speech.server import LoopbackSpeech, recording_of
from messages.base import Message, RequestId, Surface, Window
from messages.socket import Refused
from messages.web import TRANSCRIBE, TranscribeAudio, Transcribed, TranscribeFile
from tests.patience import PATIENCE_S

SOON = RetryPolicy(max_retries=2, base_s=0.01, cap_s=0.05, jitter_s=0)
KEY = "key-of-the-transcription"


def window(number: int = 0) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(100_000_000_000_000_000 + number))


def server_engine(config: TranscribeConfig) -> Callable[[TranscribeActor], Engine]:
    return lambda actor: ServerEngine(config, actor)


class Bench:
    """Asks a TranscribeActor and collects what it says."""

    def __init__(self, server: LoopbackSpeech, root: Path, **settings: Any) -> None:
        given: dict[str, Any] = {"api": Api.OPENAI, "url": server.url, "key": KEY, "retries": SOON, "timeout_s": 30.0}
        config = TranscribeConfig(**given | settings)
        self.root = root
        self.system = ActorSystem(workers=2)

        def build(_key: str) -> TranscribeActor:
            return TranscribeActor(config, engine_of=server_engine(config), locate_file=self._locate)

        self.system.register(ActorSpec(TRANSCRIBE.kind, build, is_eager=True))
        self.edge = self.system.edge("test")
        self.system.start()
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    def _locate(self, of: Window, path: str) -> tuple[Path, str]:
        return locate_file(self.root, self.root / "work" / of.id, of, path)

    def ask(self, audio: bytes = b"", *, of: Window | None = None) -> RequestId:
        request_id = next(self._ids)
        message = TranscribeAudio(
            request_id=request_id,
            reply_to=self.edge.address,
            window=of or window(),
            audio=audio or recording_of("hello"),
        )
        self.system.tell(TRANSCRIBE, message)
        return request_id

    def ask_file(self, path: str) -> RequestId:
        request_id = next(self._ids)
        message = TranscribeFile(request_id=request_id, reply_to=self.edge.address, window=window(), path=path)
        self.system.tell(TRANSCRIBE, message)
        return request_id

    def answer(self, request_id: RequestId) -> Message:
        return self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)

    def words(self, audio: bytes = b"") -> str:
        heard = self.answer(self.ask(audio))
        assert isinstance(heard, Transcribed), heard
        return heard.text

    def refusal(self, audio: bytes = b"") -> str:
        return self.reason(self.ask(audio))

    def reason(self, request_id: RequestId) -> str:
        refused = self.answer(request_id)
        assert isinstance(refused, Refused), refused
        return refused.reason
