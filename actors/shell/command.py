"""Life cycle of a command: start, output, end or kill, reply."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager

import msgspec

from actors.shell.job import Ending
from actors.shell.process import Process
from actors.shell.recorder import Recorder
from actors.shell.refused import RefusedError
from actors.shell.workplace import Workplace
from domain.log.window_folders import output_prefix
from domain.policy.approval import APPROVAL_S
from domain.text.output_tail import Excerpt, KeptOutput, render
from domain.turn.call_result import INTERRUPTED
from messages.shell import BashOutcome, BashRefused, BashResult, RunBash

LAST_WORDS_S = 0.2
"""Seconds that children may go on writing after bash has ended (as in `make > >(tee log)`) before they are killed."""
_MOST_REASON = 500
PIPE_S = 0.2
"""Further seconds of reading the pipe; an escaped process may hold the pipe for ever."""


class TimeLimit:
    """Time limit of a command that stands still while the command waits for a person.

    Holds in all are bounded, so no command holds its own clock for ever.
    """

    def __init__(self, seconds: float, most_held_s: float = APPROVAL_S) -> None:
        """A limit that does not run yet.

        Args:
            seconds: Time until the end, holds not counted.
            most_held_s: Most seconds on hold, in all.
        """
        self._loop = asyncio.get_running_loop()
        self._left_s = seconds
        self._held_left_s = most_held_s
        self._holds = 0
        self._since = 0.0
        """Time of the last change, on the loop's clock."""
        self._timer: asyncio.TimerHandle | None = None
        self._over = self._loop.create_future()

    @contextmanager
    def running(self) -> Iterator[asyncio.Future[None]]:
        """Let the time pass; the future is done when the time is over."""
        self._since = self._loop.time()
        self._set_timer()
        try:
            yield self._over
        finally:
            if self._timer is not None:
                self._timer.cancel()
            self._over.cancel()

    def hold(self) -> None:
        """Stand still until as many releases have come."""
        self._change(self._holds + 1)

    def release(self) -> None:
        """Undo a hold; without a hold, do nothing."""
        self._change(max(0, self._holds - 1))

    def _change(self, holds: int) -> None:
        if self._timer is not None:
            self._count_past()
        self._holds = holds
        if self._timer is not None:
            self._set_timer()

    def _count_past(self) -> None:
        now = self._loop.time()
        past_s, self._since = now - self._since, now
        if self._holds:
            held_s = min(past_s, self._held_left_s)
            self._held_left_s -= held_s
            past_s -= held_s
        self._left_s -= past_s

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        wait_s = self._left_s + (self._held_left_s if self._holds else 0.0)
        self._timer = self._loop.call_later(max(0.0, wait_s), self._end)

    def _end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)


class Command:
    """Life cycle of a `RunBash` on the event loop; `abort` may come at any time, also before the start."""

    def __init__(
        self,
        request: RunBash,
        timeout_s: float,
        open_door: Callable[[], Awaitable[str]],
        start: Callable[[str], Awaitable[tuple[Workplace, Process]]],
    ) -> None:
        """Begin without a process.

        Args:
            request: Command to run.
            timeout_s: Seconds until the kill.
            open_door: Gives the path of the command's control socket; empty for no socket.
            start: Starts the command with that path.
        """
        self._request = request
        self._timeout_s = timeout_s
        self._open_door = open_door
        self._start = start
        self._loop = asyncio.get_running_loop()
        self._limit = TimeLimit(timeout_s)
        self._aborted = self._loop.create_future()

    def abort(self) -> None:
        """Have the command killed, or not started."""
        if not self._aborted.done():
            self._aborted.set_result(None)

    def hold(self, *, holds: bool) -> None:
        """Stop the command's clock, or let the clock go on."""
        if holds:
            self._limit.hold()
        else:
            self._limit.release()

    async def run(self) -> BashResult | BashRefused:
        """Run the command to its end, within the timeout, the time on hold and about 1.5 s."""
        began = self._loop.time()
        opening = asyncio.ensure_future(self._open_door())
        try:
            await asyncio.wait({opening, self._aborted}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opening.cancel()
        if self._aborted.done():
            return aborted_result(self._request)
        door = opening.result()
        try:
            workplace, process = await self._start(door)
        except RefusedError as error:
            return BashRefused(request_id=self._request.request_id, reason=str(error))
        with (
            closing(process),
            closing(Recorder(workplace, output_prefix(self._request.turn_id) + self._request.request_id)) as recorder,
        ):
            outcome = await self._attend(process, recorder)
            process.close()
            excerpt, output = recorder.finish(may_keep=outcome is not BashOutcome.ABORTED)
            if process.ending.fault:
                return self._refusal(process.ending.fault, excerpt)
            return self._result(outcome, process.ending, excerpt, output, self._loop.time() - began)

    async def _attend(self, process: Process, recorder: Recorder) -> BashOutcome:
        """Wait for the end, without any process of the command left alive; `recorder` then has the output."""
        reading = asyncio.create_task(process.read(recorder.take))
        try:
            reading.add_done_callback(self._abort_if_failed)
            outcome = await self._end(process)
            if outcome is BashOutcome.EXITED:
                await asyncio.wait({reading}, timeout=LAST_WORDS_S)
            await process.kill()
            await asyncio.wait({reading}, timeout=PIPE_S)
        finally:
            reading.cancel()
            await asyncio.wait({reading})
        if not reading.cancelled():
            reading.result()
        return outcome

    async def _end(self, process: Process) -> BashOutcome:
        with self._limit.running() as over:
            await asyncio.wait({process.exited, self._aborted, over}, return_when=asyncio.FIRST_COMPLETED)
        if process.exited.done():
            return BashOutcome.EXITED
        return BashOutcome.ABORTED if self._aborted.done() else BashOutcome.TIMED_OUT

    def _abort_if_failed(self, reading: asyncio.Task[None]) -> None:
        """End a command after a failed read of its output; the failure itself is raised at the await of the reading."""
        if not reading.cancelled() and reading.exception() is not None:
            self.abort()

    def _refusal(self, fault: str, excerpt: Excerpt) -> BashRefused:
        output = f": {excerpt.text.strip()}" if excerpt.text.strip() else ""
        return BashRefused(
            request_id=self._request.request_id,
            reason=f"The sandbox cannot be started, so nothing was run: {fault}{output}"[:_MOST_REASON],
        )

    def _result(
        self, outcome: BashOutcome, ending: Ending, excerpt: Excerpt, output: KeptOutput, duration_s: float
    ) -> BashResult:
        has_exited = outcome is BashOutcome.EXITED
        words = _excess(ending.exceeded) if ending.exceeded else _ending(outcome, ending.exit_code, self._timeout_s)
        return BashResult(
            request_id=self._request.request_id,
            outcome=BashOutcome.ABORTED if ending.exceeded else outcome,
            exit_code=ending.exit_code if has_exited else None,
            text=render(excerpt, output, words),
            truncated=excerpt.truncated,
            full_output_path=output.path,
            duration_s=duration_s,
        )


def aborted_result(request: RunBash) -> BashResult:
    """Result of a command without known output."""
    return BashResult(
        request_id=request.request_id,
        outcome=BashOutcome.ABORTED,
        exit_code=None,
        text=f"(no output)\n\n[{_ending(BashOutcome.ABORTED, None, 0.0)}]",
        truncated=False,
        full_output_path="",
        duration_s=0.0,
    )


def interrupted_result(request: RunBash) -> BashResult:
    """Result of a command perhaps begun by an earlier life, and not run again."""
    return msgspec.structs.replace(aborted_result(request), text=INTERRUPTED)


def _excess(what: str) -> str:
    return f"Killed: {what}."


def _ending(outcome: BashOutcome, exit_code: int | None, timeout_s: float) -> str:
    """Ending of the command, for the model; empty for success."""
    if outcome is BashOutcome.TIMED_OUT:
        return f"Killed: the command ran longer than its timeout of {timeout_s:g} seconds."
    if outcome is BashOutcome.ABORTED:
        return "Cancelled: the command was stopped before it ended."
    if not exit_code:
        return ""
    if exit_code > 0:
        return f"Exit code {exit_code}."
    return f"Ended by signal {-exit_code} ({signal.strsignal(-exit_code) or 'unknown'})."
