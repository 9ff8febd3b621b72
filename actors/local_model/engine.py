"""Engine of a local model: the server's process, from its start to its end, on an event loop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import actors
from actors.local_model.child import NOT_INSTALLED, NOT_LOADED, READY

PROGRAM = "import sys; sys.path.append(sys.argv[1]); from actors.local_model.child import main; main()"
_PASSIVE = {"OMP_WAIT_POLICY": "passive"}
"""Waiting threads of the engine sleep: on a busy machine spinning made answers ten times slower."""
MOST_MISSES = 3
"""Successive health checks without an answer, after which the server is killed."""
_PACKAGES = str(Path(actors.__file__).parents[1])


class NotStartedError(Exception):
    """The server did not start; the text says why, in words for a person."""

    def __init__(self, reason: str, *, may_pass: bool, is_missing: bool = False) -> None:
        super().__init__(reason)
        self.may_pass = may_pass
        self.is_missing = is_missing
        """True if the engine is not installed."""


class EngineEndedError(Exception):
    """The server's process has ended, or was killed for not answering."""


class Engine:
    """Server of a model, in a process of its own; all calls on a single loop."""

    def __init__(self, program: str = PROGRAM, health_s: float = 15.0) -> None:
        """No process yet.

        Args:
            program: Python of the child.
            health_s: Time between two looks at the server's health, and the longest wait for one.
        """
        self._program = program
        self._health_s = health_s
        self._process: asyncio.subprocess.Process | None = None

    async def run(self, order: Mapping[str, object], timeout_s: float, started: Callable[[str], None]) -> None:
        """Start the server, report its address, and watch the server until its end.

        Args:
            order: Order of the child program.
            timeout_s: Time for loading the model.
            started: Called with the base address.

        Raises:
            NotStartedError: the server did not start.
            EngineEndedError: the server ended, or did not answer.
        """
        process = self._process = await self._spawn()
        try:
            address = await self._await_address(process, order, timeout_s)
            started(address)
            await self._watch(process, address)
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
            await process.wait()

    @property
    def pid(self) -> int:
        """Process id of the server; 0 without a server."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else 0

    async def _spawn(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-c",
                self._program,
                _PACKAGES,
                str(os.getpid()),
                env={"PATH": os.environ.get("PATH", os.defpath), **_PASSIVE},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            raise NotStartedError(f"its process cannot be started: {error.strerror}", may_pass=True) from error

    async def _await_address(
        self, process: asyncio.subprocess.Process, order: Mapping[str, object], timeout_s: float
    ) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(timeout_s):
                with suppress(ConnectionError):  # it has ended; its exit code says more
                    process.stdin.write(json.dumps(order).encode() + b"\n")
                    await process.stdin.drain()
                line = await process.stdout.readline()
        except TimeoutError:
            raise NotStartedError(
                f"it was not ready within {timeout_s:g} s (local_model.start_timeout_s)", may_pass=True
            ) from None
        try:
            answer = json.loads(line)
        except ValueError:
            code = await process.wait()
            raise NotStartedError(
                f"its process ended while the model was loaded ({_ending(code)})", may_pass=True
            ) from None
        if READY in answer:
            return str(answer[READY])
        if NOT_INSTALLED in answer:
            raise NotStartedError(str(answer[NOT_INSTALLED]), may_pass=False, is_missing=True)
        raise NotStartedError(str(answer[NOT_LOADED]), may_pass=False)

    async def _watch(self, process: asyncio.subprocess.Process, address: str) -> None:
        misses = 0
        while misses < MOST_MISSES:
            try:
                code = await asyncio.wait_for(process.wait(), self._health_s)
            except TimeoutError:
                misses = 0 if await _is_healthy(address, self._health_s) else misses + 1
            else:
                raise EngineEndedError(f"the server of a local model ended ({_ending(code)})")
        raise EngineEndedError(f"the server of a local model did not answer {misses} times and was killed")


def _ending(code: int) -> str:
    if code == -signal.SIGKILL:
        return "SIGKILL; perhaps there was not enough memory"
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


async def _is_healthy(address: str, timeout_s: float) -> bool:
    """True if the server answers its health check with 200."""
    parts = urlsplit(address)
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            try:
                writer.write(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                line = await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
    return b" 200 " in line
