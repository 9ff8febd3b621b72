from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    import discord

    from actors.discord.calls.fatal import fatal_sentence, token_fault
    from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
    from actors.discord.timing import Timing, backoff

QUICK = Timing(call_timeout_s=0.2, attempts=3, backoff_s=0.001, backoff_limit_s=0.002)
Call = Callable[[discord.Client], Awaitable[str]]


JSON = "application/json; charset=utf-8"


def http_error(
    status: int, kind: type[discord.HTTPException] = discord.HTTPException, content_type: str = JSON
) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="because", headers={"Content-Type": content_type})
    return kind(response, {"code": 7, "message": "what somebody wrote"})


class Script:
    """A call that does one thing after another; the last one for ever."""

    def __init__(self, *steps: Exception | str) -> None:
        self.steps = steps
        self.calls = 0

    async def __call__(self, client: discord.Client) -> str:
        step = self.steps[min(self.calls, len(self.steps) - 1)]
        self.calls += 1
        if isinstance(step, Exception):
            raise step
        return step


def persist(call: Call, fatal: list[str] | None = None, *, logged_in: bool = True) -> str:
    async def run() -> str:
        rest = RestCalls(timing=QUICK, on_fatal=(fatal if fatal is not None else []).append)
        if logged_in:
            rest.employ(discord.Client(intents=discord.Intents.none()))
        return await rest.persist("a test", call)

    return asyncio.run(run())


def test_what_may_pass_is_tried_again(subtests: pytest.Subtests) -> None:
    for error in [
        http_error(503, discord.DiscordServerError),
        http_error(429),
        aiohttp.ServerDisconnectedError(),
        ConnectionResetError(),
        TimeoutError(),
        discord.RateLimited(0.01),
    ]:
        with subtests.test(error=error):
            call = Script(error, error, "done")
            assert persist(call) == "done"
            assert call.calls == 3


def test_a_refusal_is_final_and_quotes_nobody(subtests: pytest.Subtests) -> None:
    for status in [400, 403, 404, 413]:
        with subtests.test(status=status):
            call = Script(http_error(status), "done")
            with pytest.raises(CallRefusedError, match=str(status)) as raised:
                persist(call)
            assert call.calls == 1
            assert "somebody" not in str(raised.value)


def test_what_somebody_on_the_way_refuses_is_tried_again(subtests: pytest.Subtests) -> None:
    for content_type in ["text/html", "text/plain", ""]:
        for status in [400, 403, 404]:
            with subtests.test(status=status, content_type=content_type):
                call = Script(http_error(status, content_type=content_type), "done")
                assert persist(call) == "done"


def test_what_is_too_large_for_anybody_is_refused() -> None:
    with pytest.raises(CallRefusedError, match="413"):
        persist(Script(http_error(413, content_type="text/html")))


def test_what_never_passes_fails_after_so_many_attempts() -> None:
    call = Script(http_error(503))
    with pytest.raises(CallFailedError, match="failed 3 times"):
        persist(call)
    assert call.calls == 3


def test_no_attempt_begins_when_discord_may_have_forgotten_the_nonce() -> None:
    seconds = iter([0.0, 0.0, 100.0, 100.0, 121.0])

    async def run(call: Call) -> None:
        rest = RestCalls(timing=QUICK, on_fatal=list[str]().append, monotonic=lambda: next(seconds))
        rest.employ(discord.Client(intents=discord.Intents.none()))
        await rest.persist("a test", call, within_s=120.0)

    call = Script(http_error(503))
    with pytest.raises(CallFailedError, match="failed for 120 s, last with"):
        asyncio.run(run(call))
    assert call.calls == 2


def test_a_mistake_of_ours_is_not_tried_again() -> None:
    call = Script(KeyError("x"))
    with pytest.raises(KeyError):
        persist(call)
    assert call.calls == 1


def test_a_call_that_hangs_is_cut_off() -> None:
    async def hang(client: discord.Client) -> str:
        await asyncio.Event().wait()
        return "never"

    with pytest.raises(CallFailedError, match="TimeoutError"):
        persist(hang)


def test_without_a_login_a_call_fails_in_bounded_time() -> None:
    with pytest.raises(CallFailedError):
        persist(Script("done"), logged_in=False)


def test_a_token_that_is_refused_meanwhile_is_fatal() -> None:
    fatal: list[str] = []
    with pytest.raises(CallFailedError):
        persist(Script(http_error(401)), fatal)
    assert "no longer accepts" in fatal[0]


def test_a_call_waits_for_the_login() -> None:
    async def run() -> str:
        rest = RestCalls(timing=QUICK, on_fatal=list[str]().append)
        task = asyncio.create_task(rest.persist("a test", Script("done")))
        await asyncio.sleep(0)
        rest.employ(discord.Client(intents=discord.Intents.none()))
        return await task

    assert asyncio.run(run()) == "done"


def test_the_pause_doubles_up_to_its_limit_however_often_it_failed() -> None:
    assert [backoff(attempt, 0.5, 8.0) for attempt in (1, 2, 3, 4, 5, 6, 5000)] == [0.5, 1, 2, 4, 8, 8, 8]


def test_every_close_that_no_restart_mends_has_its_sentence(subtests: pytest.Subtests) -> None:
    for code in [4004, 4010, 4011, 4012, 4013, 4014]:
        with subtests.test(code=code):
            socket: Any = SimpleNamespace(close_code=code)
            assert fatal_sentence(discord.ConnectionClosed(socket, shard_id=None, code=code))


def test_other_errors_have_no_fatal_sentence(subtests: pytest.Subtests) -> None:
    for error in [http_error(503), http_error(403), OSError()]:
        with subtests.test(error=error):
            assert fatal_sentence(error) is None


def test_a_token_is_checked_before_it_is_sent(subtests: pytest.Subtests) -> None:
    for token, is_fine in [("abc.def-g_h", True), (" abc\n", True), ("a b", False), ("ä", False)]:
        with subtests.test(token=token, is_fine=is_fine):
            assert (token_fault(token) is None) == is_fine
