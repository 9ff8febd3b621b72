"""Reading of documents on the shell's loop: a few at a time, the windows in turn, each in a child with bounds."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import sys
import sysconfig
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from actors.linux.descriptors import in_memory
from actors.shell.documents.report import ReaderReport
from actors.shell.job import Ending
from actors.shell.launch import DEFAULT_PATH, Launch
from actors.shell.process import BashProcess, Process
from actors.shell.refused import RefusedError
from actors.shell.sandbox.enclosure import Enclosure, threads_of_user
from actors.shell.sandbox.view import View, programs_elsewhere
from actors.shell.warden_client import WardenClient
from domain.policy.fair_queue import FairQueue
from messages.base import RequestId
from messages.shell import DocumentReply, DocumentUnread, ReadDocument

log = logging.getLogger(__name__)

AT_ONCE = 2
READER_S, READER_CPU_S = 45.0, 20.0
"""Seconds, and seconds of processor time, after which the child cuts the text off."""
MOST_S, MOST_CPU_S = 50.0, 25.0
"""After so long, or so much of the processor's time, the child is killed."""
_NICE = 5
"""Niceness of a child: a person waits for the child, and more people wait for the agent."""
MOST_MEMORY_BYTES = 1 << 30
"""Of address space."""
_LAST_WORDS_S = 0.2
STOPPED = "the agent stopped before it was read"
_PACKAGES = Path(__file__).parents[3]
_READER = Path("actors", "shell", "documents", "reader")
_SHOWN_PACKAGES = Path("/run/agent/packages")
"""Place in a sandbox of the agent's packages, with the reader's folder alone."""
_START = "import sys; sys.path += sys.argv[3:]; from actors.shell.documents.reader.program import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Means of starting children."""

    bash: str
    enclosure: Enclosure | None
    """Enclosure; None without a sandbox."""
    warden: WardenClient
    private: tuple[str, ...]
    """Folders of the agent's own, as real paths."""
    reader_s: float = READER_S
    reader_cpu_s: float = READER_CPU_S
    most_s: float = MOST_S


class DocumentReading:
    """Documents being read or waiting; each begun document has one reply.

    All methods are for the loop's thread, except `abandon`.
    """

    def __init__(self, ground: Ground, reply: Callable[[ReadDocument, DocumentReply], None]) -> None:
        """No document yet.

        Args:
            ground: Where children are started.
            reply: Told the answer to each request.
        """
        self._ground = ground
        self._reply = reply
        self._queue: FairQueue[ReadDocument] = FairQueue(AT_ONCE)
        self._open: dict[RequestId, ReadDocument] = {}
        self._tasks: dict[RequestId, asyncio.Task[DocumentReply]] = {}

    def begin(self, request: ReadDocument) -> None:
        """Read a document, now or in its turn; a request under way is not begun again."""
        if request.request_id not in self._open:
            self._open[request.request_id] = request
            self._queue.enter(request)
            self._admit()

    async def close(self) -> None:
        """Kill all children and answer their requests."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def abandon(self) -> None:
        """Answer for unread documents; for any thread, once the loop has stopped."""
        while self._open:
            _, request = self._open.popitem()
            self._reply(request, DocumentUnread(request_id=request.request_id, reason=STOPPED))

    def _admit(self) -> None:
        while (request := self._queue.admit()) is not None:
            task = asyncio.get_running_loop().create_task(self._read(request))
            self._tasks[request.request_id] = task
            task.add_done_callback(lambda ended, request=request: self._end(request, ended))  # type: ignore[misc]

    def _end(self, request: ReadDocument, ended: asyncio.Task[DocumentReply]) -> None:
        del self._tasks[request.request_id]
        if ended.cancelled():  # the loop is about to end; `abandon` answers
            return
        self._queue.leave(request.request_id)
        if (error := ended.exception()) is not None:
            log.error("reading a document failed", exc_info=error)
        reply = (
            DocumentUnread(request_id=request.request_id, reason=f"reading it went wrong with {type(error).__name__}")
            if error is not None
            else ended.result()
        )
        if self._open.pop(request.request_id, None) is not None:
            self._reply(request, reply)
        self._admit()

    async def _read(self, request: ReadDocument) -> DocumentReply:
        report = ReaderReport()
        try:
            process = await self._start(request)
        except (RefusedError, OSError, ValueError) as error:
            return DocumentUnread(request_id=request.request_id, reason=f"its reader cannot be started: {error}"[:300])
        with closing(process):
            cut_off = await self._attend(process, report)
            process.close()
            return report.answer(request.request_id, cut_off or _cause(process.ending))

    async def _attend(self, process: Process, report: ReaderReport) -> str:
        """Take the child's output until the child has ended or is killed; return the reason for a kill."""
        is_full = asyncio.get_running_loop().create_future()

        def take(piece: bytes) -> None:
            if not is_full.done() and not report.take(piece):
                is_full.set_result(None)

        reading = asyncio.create_task(process.read(take))
        try:
            await asyncio.wait(
                {process.exited, is_full}, timeout=self._ground.most_s, return_when=asyncio.FIRST_COMPLETED
            )
            has_exited = process.exited.done()
            if has_exited:
                await asyncio.wait({reading}, timeout=_LAST_WORDS_S)
            await process.kill()
            await asyncio.wait({reading}, timeout=_LAST_WORDS_S)
        finally:
            reading.cancel()
            await asyncio.wait({reading})
        if is_full.done():
            return "its reader wrote more than is allowed"
        return "" if has_exited else f"reading it takes more than {self._ground.most_s:g} s"

    async def _start(self, request: ReadDocument) -> Process:
        ground = self._ground
        environment = {"PATH": DEFAULT_PATH, "LANG": "C.UTF-8"}
        if ground.enclosure is None:
            stdin = in_memory("document", request.data)
            try:
                argv = (ground.bash, "--noprofile", "--norc", "-c", self._command(_PACKAGES))
                return BashProcess(Launch(argv=argv, environment=environment, cwd=Path(os.sep), stdin=stdin))
            finally:
                os.close(stdin)
        view = View(
            cwd="/tmp",
            own=(),
            readable=((str(_PACKAGES / _READER), str(_SHOWN_PACKAGES / _READER)),),
            executable=(*programs_elsewhere(), *_libraries()),
            private=ground.private,
        )
        job = ground.enclosure.job(
            self._command(_SHOWN_PACKAGES),
            view,
            environment,
            timeout_s=ground.most_s,
            user_threads=threads_of_user(os.getuid()) if ground.enclosure.counts_users else 0,
        )
        return await ground.warden.start(replace(job, stdin=request.data, nice=_NICE))

    def _command(self, packages: Path) -> str:
        """Command that sets the bounds of its own process and becomes the reader."""
        limits = (f"{self._ground.reader_s:g}", f"{self._ground.reader_cpu_s:g}")
        words = (_python(), "-I", "-S", "-c", _START, *limits, str(packages), *_libraries())
        bounds = f"ulimit -v {MOST_MEMORY_BYTES >> 10}; ulimit -t {MOST_CPU_S:.0f}; ulimit -f 0"
        return f"{bounds}; {shlex.join(words)}"


def _python() -> str:
    return os.path.realpath(sys.executable)


def _libraries() -> tuple[str, ...]:
    """Folders of installed packages, free of secrets and of the agent's files."""
    paths = sysconfig.get_paths()
    return tuple(dict.fromkeys((paths["purelib"], paths["platlib"])))


def _cause(ending: Ending) -> str:
    if ending.fault:
        return f"its reader cannot be started: {ending.fault}"[:300]
    if ending.exceeded:
        return f"its reader was stopped: {ending.exceeded}"[:300]
    return f"its reader ended with exit code {ending.exit_code}"
