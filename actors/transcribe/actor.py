"""TranscribeActor: has recordings listened to, for messages and for commands."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from actors.kernel import Actor, Bulkhead, LoopThread, not_understood
from actors.linux.safe_open import read_beneath
from actors.transcribe.config import TranscribeConfig
from actors.transcribe.engine import Engine, Recording, UnheardError
from domain.policy.fair_queue import FairQueue
from messages.base import Message, RequestId, Window
from messages.shell import BashRefused, BashResult, CommandReply
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.web import (
    TRANSCRIPTION_RESTARTED,
    RecordingDone,
    TranscribeAudio,
    Transcribed,
    TranscribeFile,
    TranscribeMessage,
    TranscribeRequest,
)

log = logging.getLogger(__name__)

MOST_OF_WINDOW = 16
"""Most waiting recordings of a window."""
MOST_HELD_BYTES = 256 << 20
"""Most bytes of all recordings waiting or in transcription."""
READ_S = 20.0
CLOSE_S = 2.0

LocateFile = Callable[[Window, str], tuple[Path, str]]
"""Gives folder and path of a window's file; `ValueError` for a window without files."""


class TranscribeActor(Actor):
    """Queue before the transcription: a single recording of each window at a time, and several windows in parallel.

    Owns: the event loop, and on it the connections to the server.
    Asks: the server, or the shell for a command with whisper.cpp's program.
    Crashes on: a loop thread that cannot be started, and its own faults; never on acts of a server or a program.
    Requests from before a crash or a stop are refused; Discord still has each waiting message, and the next start asks
    again. A repeated request has no effect while the first waits.
    """

    def __init__(
        self, config: TranscribeConfig, *, engine_of: Callable[[TranscribeActor], Engine], locate_file: LocateFile
    ) -> None:
        """Nothing is opened yet.

        Args:
            config: Bounds and the name of the model.
            engine_of: Makes the engine, given this actor.
            locate_file: Finds files of working directories.
        """
        super().__init__()
        self._config = config
        self._locate_file = locate_file
        self._engine = engine_of(self)
        self._queue: FairQueue[TranscribeRequest] = FairQueue(self._engine.at_once)
        self._loop = LoopThread("transcribe", self)
        self._disk = Bulkhead("transcribe-files")
        self._held_bytes = self._transcribed = self._unheard = 0
        self._last_fault = ""

    def on_start(self) -> None:
        """Start the loop; connections are made when needed."""
        self._loop.start()

    def handle(self, message: TranscribeMessage | CommandReply) -> None:
        """Take a recording, or answer and let the next recording start."""
        match message:
            case TranscribeAudio() | TranscribeFile():
                self._take(message)
            case RecordingDone():
                self._end(message)
                self._admit()
            case BashResult() | BashRefused():
                pass  # An answer behind its deadline.
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case _:
                not_understood(message)
        self.in_progress = bool(self._queue)

    def on_stop(self) -> None:
        """End every call and reply to waiting requesters."""
        for request in self._queue.clear():
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=TRANSCRIPTION_RESTARTED))
        with self.blocking():
            self._loop.end(self._engine.close(), CLOSE_S, "connections to the transcription server were not closed")

    def _take(self, request: TranscribeRequest) -> None:
        if request.request_id in self._queue:
            return
        size = _size_of(request)
        if self._queue.waiting_of(request.window) >= MOST_OF_WINDOW or self._held_bytes + size > MOST_HELD_BYTES:
            reason = "too many recordings are waiting; try again later"
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
            return
        self._held_bytes += size
        self._queue.enter(request)
        self._admit()

    def _admit(self) -> None:
        """Start all requests that may start now."""
        while (request := self._queue.admit()) is not None:
            self._begin(request)

    def _begin(self, request: TranscribeRequest) -> None:
        """Have exactly one result sent to this actor, unless it stops before."""
        failure = RecordingDone(request_id=request.request_id, fault="the transcription failed inside the agent")
        self._loop.submit_answer(self._serve(request), failure)

    def _end(self, done: RecordingDone) -> None:
        request = self._queue.leave(done.request_id)
        if request is None:
            return
        self._held_bytes -= _size_of(request)
        answer: Message
        if done.fault:
            self._unheard += 1
            self._last_fault = done.fault
            log.warning("a recording in %s could not be listened to: %s", request.window.address.key, done.fault)
            answer = Refused(request_id=request.request_id, reason=done.fault)
        else:
            self._transcribed += 1
            answer = Transcribed(request_id=request.request_id, text=done.text, model=self._config.model_name[:200])
        self.tell(request.reply_to, answer)

    async def _serve(self, request: TranscribeRequest) -> RecordingDone:
        try:
            async with asyncio.timeout(self._config.timeout_s):
                text = await self._engine.listen(await self._recording(request))
        except UnheardError as error:
            return RecordingDone(request_id=request.request_id, fault=str(error)[:1_000])
        except TimeoutError:
            fault = f"its words did not come within {self._config.timeout_s:g} s"
            return RecordingDone(request_id=request.request_id, fault=fault)
        return RecordingDone(request_id=request.request_id, text=text)

    async def _recording(self, request: TranscribeRequest) -> Recording:
        if isinstance(request, TranscribeAudio):
            return Recording(request.window, request.audio, request.path)
        if self._engine.reads_files:
            return Recording(request.window, b"", request.path)
        key = request.window.address.key
        try:
            audio = await self._disk.run(key, READ_S, self._read, request.window, request.path)
        except FileNotFoundError as error:
            raise UnheardError(f"file {request.path[:300]!r}: there is no such file") from error
        except TimeoutError as error:
            raise UnheardError(f"file {request.path[:300]!r} cannot be read: {error}") from error
        except (OSError, ValueError) as error:
            raise UnheardError(str(getattr(error, "strerror", None) or error)) from error
        return Recording(request.window, audio, request.path)

    def _read(self, window: Window, path: str) -> bytes:
        """Whole content of a file, even in a hostile folder; runs in a thread."""
        folder, name = self._locate_file(window, path)
        return read_beneath(folder, name, self._config.most_bytes)

    def _description(self, request_id: RequestId) -> SelfDescription:
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("api", self._config.api.value),
            ("model", self._config.model_name),
            ("waiting", len(self._queue)),
            ("heard", self._transcribed),
            ("unheard", self._unheard),
            *((("last_fault", self._last_fault),) if self._last_fault else ()),
        )
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=figures)


def _size_of(request: TranscribeRequest) -> int:
    return len(request.audio) if isinstance(request, TranscribeAudio) else 0
