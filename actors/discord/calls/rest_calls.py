"""Calls to Discord through the logged-in client, tried until success or a final failure."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import TypeVar

import aiohttp
import discord

from actors.discord.calls.fatal import fatal_sentence
from actors.discord.calls.gate import Gate, guard
from actors.discord.calls.pace import Pace
from actors.discord.calls.refusals import Part, Verdict, describe, judge, refusal, refused_parts
from actors.discord.calls.turns import Turns
from actors.discord.calls.user_agent import name_calls
from actors.discord.timing import Timing, backoff
from actors.kernel import boot_seconds

log = logging.getLogger(__name__)
T = TypeVar("T")

TRANSIENT = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, OSError, TimeoutError)
"""Errors that a call may raise without a fault of the bot; `judge` identifies the refusals."""


class CallRefusedError(Exception):
    """Discord says no and will say so again; the text is for a person."""

    def __init__(self, reason: str, parts: frozenset[Part] = frozenset()) -> None:
        """Keep the reason, and the refused parts of a message."""
        super().__init__(reason)
        self.parts = parts


class CallForbiddenError(CallRefusedError):
    """Discord refuses for now: people can undo the reason, such as a missing permission or a lock."""


class CallFailedError(Exception):
    """Every attempt failed; the same call may work later. The text is for a person."""


def is_limit(error: BaseException) -> bool:
    """True if a call was not carried out because of a rate limit."""
    return isinstance(error, discord.RateLimited) or (isinstance(error, discord.HTTPException) and error.status == 429)


def is_final(error: CallRefusedError | CallFailedError) -> bool:
    """True if an object stays unreadable: deleted, or closed to the bot."""
    return isinstance(error, CallRefusedError) and isinstance(error.__cause__, discord.Forbidden | discord.NotFound)


class RestCalls:
    """REST calls with a time-out each and retries that discord.py lacks; tells refusals from failures.

    discord.py retries 500, 502, 504 and short rate limits. discord.py does not retry 503 nor lost connections, and
    waits five minutes for a silent server.
    """

    def __init__(
        self,
        *,
        timing: Timing,
        on_fatal: Callable[[str], None],
        first_id: int = 0,
        monotonic: Callable[[], float] = boot_seconds,
    ) -> None:
        self.first_id = first_id
        """Least id known to this Discord; older messages are from elsewhere."""
        self._timing = timing
        self._on_fatal = on_fatal
        self._monotonic = monotonic
        self._client: discord.Client | None = None
        self._arrived = asyncio.Event()
        self._pace = Pace()
        self.gate = Gate()
        """Circuit breaker of all calls."""

    @property
    def client(self) -> discord.Client | None:
        """The logged-in client; None without a log-in."""
        return self._client

    def bot_id(self) -> int | None:
        """The bot's own id; None before the first login."""
        user = self._client.user if self._client is not None else None
        return user.id if user is not None else None

    def guard(self, client: discord.Client) -> None:
        """Make all calls of `client` obey the circuit breaker and name the bot, login and library calls included."""
        guard(client.http, self.gate)
        name_calls(client.http)

    def employ(self, client: discord.Client | None) -> None:
        """Make calls through `client` from now on; None for no client."""
        self._client = client
        if client is None:
            self._arrived.clear()
        else:
            name_calls(client.http)
            self._arrived.set()

    async def persist(
        self,
        what: str,
        call: Callable[[discord.Client], Awaitable[T]],
        limit: Turns | None = None,
        within_s: float = math.inf,
    ) -> T:
        """Result of `call`, retried with backoff; `call` must be idempotent.

        During a ban the call waits, however long; an answer of a ban is no attempt.

        Args:
            what: Label for the log, without words that people wrote.
            call: Makes the call with the given client.
            limit: Gives a turn for each call, and takes the turn back between calls.
            within_s: Seconds after the first attempt in which `call` is idempotent: no later attempt begins.

        Raises:
            CallForbiddenError: Discord refuses until people undo the reason.
            CallRefusedError: Discord will always refuse.
            CallFailedError: all allowed attempts failed.
        """
        reason, attempt, until = "", 1, math.inf
        while attempt <= self._timing.attempts:
            await self.gate.wait_until_open()
            if self._monotonic() > until:
                raise CallFailedError(f"{what} failed for {within_s:.0f} s, last with {reason}")
            until = min(until, self._monotonic() + within_s)
            try:
                async with nullcontext() if limit is None else limit.turn():
                    return await self.once(call)
            except TRANSIENT as error:
                if self.gate.is_shut and is_limit(error):
                    continue
                reason = describe(error)
                self._raise_refusal(error)
                log.warning("%s failed (attempt %d of %d): %s", what, attempt, self._timing.attempts, reason)
                if attempt < self._timing.attempts:
                    await asyncio.sleep(self._pause_after(error, attempt))
                attempt += 1
        raise CallFailedError(f"{what} failed {self._timing.attempts} times, last with {reason}")

    async def once(self, call: Callable[[discord.Client], Awaitable[T]]) -> T:
        """Result of `call`, with a time limit.

        Raises:
            TRANSIENT: the call failed.
        """
        if not self._arrived.is_set():
            async with asyncio.timeout(self._timing.call_timeout_s):
                await self._arrived.wait()
        await self._pace.turn()
        client = self._client
        if client is None:
            raise ConnectionError("the bot was logged out meanwhile")
        try:
            async with asyncio.timeout(self._timing.call_timeout_s):
                return await call(client)
        except (TimeoutError, asyncio.CancelledError):  # Who waits for the call may give it up, too.
            _lift_global_limit(client)
            raise
        except RuntimeError as error:
            if client is self._client:
                raise
            raise ConnectionError("the client was closed meanwhile") from error
        except discord.HTTPException as error:
            if error.status == 401 and (sentence := fatal_sentence(error)) is not None:
                self._on_fatal(sentence)
            raise

    def _raise_refusal(self, error: Exception) -> None:
        """Raise the refusal in an error; a rate limit longer than a call's time limit counts as a refusal."""
        if isinstance(error, discord.RateLimited) and error.retry_after > self._timing.call_timeout_s:
            raise CallForbiddenError(f"Discord accepts no calls there for {error.retry_after:.0f} s") from error
        if (reason := refusal(error)) is not None:
            kind = CallForbiddenError if judge(error) is Verdict.FOR_NOW else CallRefusedError
            raise kind(reason, refused_parts(error)) from error

    def _pause_after(self, error: Exception, attempt: int) -> float:
        if isinstance(error, discord.RateLimited):
            return error.retry_after
        return backoff(attempt, self._timing.backoff_s, self._timing.backoff_limit_s)


def _lift_global_limit(client: discord.Client) -> None:
    """Reopen a client for calls after a call was cancelled in its wait for a global rate limit.

    discord.py 2.7.1 clears this event, sleeps and sets it again, without a `finally`: after a cancellation in between,
    every later call of the client would wait for ever. An event set too early costs one more 429.
    """
    event = client.http._global_over
    if isinstance(event, asyncio.Event):
        event.set()
