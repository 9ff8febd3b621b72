from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from tests.jumping_loop import JumpingLoop

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    import discord

    from actors.discord.calls.gate import LONGEST_S, UNTOLD_S, Gate, guard, is_ban, retry_after_s
    from actors.discord.calls.parsing import UnreadableAnswerError
    from actors.discord.calls.rest_calls import CallFailedError, RestCalls
    from actors.discord.timing import Timing

T = TypeVar("T")
QUICK = Timing(call_timeout_s=5.0, attempts=3, backoff_s=0.001, backoff_limit_s=0.002)


def answer(status: int, headers: dict[str, str] | None = None, body: bytes = b"") -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="", headers=headers or {}, _body=body)
    return discord.HTTPException(response, "")


def ban(retry_after_s: float) -> discord.HTTPException:
    return answer(429, {"Retry-After": str(retry_after_s)})


class Server:
    """Discord behind discord.py's HTTP client: one answer after another, the last one for ever."""

    def __init__(self, *steps: Exception | str) -> None:
        self.steps = steps
        self.called_at: list[float] = []
        self.takes_s = 0.0

    async def request(self, *_: Any, **__: Any) -> Any:
        self.called_at.append(asyncio.get_running_loop().time())
        step = self.steps[min(len(self.called_at), len(self.steps)) - 1]
        await asyncio.sleep(self.takes_s)
        if isinstance(step, Exception):
            raise step
        return step


def run(server: Server, act: Callable[[RestCalls, Callable[..., Any]], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        rest = RestCalls(timing=QUICK, on_fatal=list[str]().append)
        client = discord.Client(intents=discord.Intents.none())
        client.http.request = server.request  # type: ignore[method-assign]
        rest.guard(client)
        rest.employ(client)

        async def call(client: discord.Client) -> Any:
            return await client.http.request(None)  # type: ignore[arg-type]

        return await act(rest, call)

    return asyncio.run(main())


def persist_call(rest: RestCalls, call: Callable[..., Any]) -> Awaitable[Any]:
    return rest.persist("a test", call)


def gaps(server: Server) -> list[float]:
    return [later - earlier for earlier, later in zip(server.called_at, server.called_at[1:], strict=False)]


def test_how_long_a_server_says_is_read_in_header_and_body(subtests: pytest.Subtests) -> None:
    for error, told in [
        (answer(429, {"Retry-After": "145"}), 145.0),
        (answer(429, {}, b'{"retry_after": 12.5}'), 12.5),
        (answer(429, {"Retry-After": "3"}, b'{"retry_after": 7}'), 7.0),
        (answer(429, {"Retry-After": "9"}, b"<html>"), 9.0),
        (
            answer(429, {"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}),
            30.0,
        ),
        (answer(429, {"Retry-After": "soon"}, b'{"retry_after": [1]}'), None),
        (answer(429, {"Retry-After": "nan"}, b'{"retry_after": -1}'), None),
        (answer(429), None),
    ]:
        with subtests.test(error=error, told=told):
            assert retry_after_s(error) == told


def test_only_what_does_not_come_from_discord_itself_is_a_ban() -> None:
    assert is_ban(answer(429))
    assert is_ban(answer(429, {"Via": "1.1 google"}, b"<html>"))
    assert not is_ban(answer(429, {"Via": "1.1 google"}, b'{"retry_after": 1}'))
    assert not is_ban(answer(503))


def test_a_ban_is_waited_for_as_long_as_the_server_says_and_is_no_attempt() -> None:
    server = Server(*[ban(0.1)] * 5, "done")
    assert run(server, persist_call) == "done"
    pauses = gaps(server)
    assert len(pauses) == 5
    assert all(pause >= told for pause, told in zip(pauses, (0.1, 0.2, 0.4, 0.8, 1.6), strict=True))


def test_nobody_asks_again_and_again_whether_it_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(ban(0.3), "done")
    enter, asked = Gate.enter, list[float]()

    def note(gate: Gate) -> int:
        asked.append(gate.left_s())
        return enter(gate)

    monkeypatch.setattr(Gate, "enter", note)
    assert run(server, persist_call) == "done"
    assert len(asked) == 2


def test_while_one_call_waits_no_other_is_made_and_one_goes_first_afterwards() -> None:
    server = Server(ban(0.3), *[ban(0.05)] * 3, "done")
    server.takes_s = 0.01

    async def act(rest: RestCalls, call: Callable[..., Any]) -> tuple[list[Any], int]:
        with pytest.raises(discord.HTTPException):
            await rest.once(call)
        calls = [asyncio.create_task(rest.persist("a test", call)) for _ in range(44)]
        return await asyncio.gather(*calls), rest.gate.refused

    results, refused = run(server, act)
    assert results == ["done"] * 44
    assert refused == 4
    first, *probes = gaps(server)[:4]
    assert first >= 0.3
    assert min(probes) >= 0.05


def test_what_matters_little_is_given_up_at_once_while_it_is_shut() -> None:
    server = Server(ban(30), "done")

    async def act(rest: RestCalls, call: Callable[..., Any]) -> float:
        with pytest.raises(discord.HTTPException):
            await rest.once(call)
        with pytest.raises(discord.RateLimited) as raised:
            await rest.once(call)
        return raised.value.retry_after

    assert 25 < run(server, act) <= 30
    assert len(server.called_at) == 1


def run_in(loop: JumpingLoop, act: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(act)


def test_calls_that_were_refused_together_count_once() -> None:
    loop = JumpingLoop()

    async def main() -> tuple[float, float]:
        gate = Gate()
        entered = [gate.enter() for _ in range(40)]
        for each in entered:
            gate.leave(each, told_s=10.0, is_refused=True)
        together_s = gate.left_s()
        loop.jump(11)
        gate.leave(gate.enter(), told_s=10.0, is_refused=True)
        return together_s, gate.left_s()

    together_s, again_s = run_in(loop, main())
    assert together_s == pytest.approx(10, abs=1)
    assert again_s == pytest.approx(20, abs=1)


@pytest.mark.parametrize(("told_s", "pause_s"), [(None, UNTOLD_S), (0.0, UNTOLD_S), (1e9, LONGEST_S), (60.0, 60.0)])
def test_a_pause_is_bounded_whatever_the_server_says(told_s: float | None, pause_s: float) -> None:
    async def main() -> float:
        gate = Gate()
        gate.leave(gate.enter(), told_s=told_s, is_refused=True)
        return gate.left_s()

    assert asyncio.run(main()) == pytest.approx(pause_s, abs=1)


def test_beside_the_call_that_goes_first_none_begins() -> None:
    loop = JumpingLoop()

    async def main() -> None:
        gate = Gate()
        gate.leave(gate.enter(), told_s=10.0, is_refused=True)
        loop.jump(11)
        first = gate.enter()
        with pytest.raises(discord.RateLimited):
            gate.enter()
        gate.leave(first)
        gate.leave(gate.enter())

    run_in(loop, main())


def test_a_call_that_began_before_does_not_open_it() -> None:
    async def main() -> bool:
        gate = Gate()
        early, refused = gate.enter(), gate.enter()
        gate.leave(refused, told_s=60.0, is_refused=True)
        gate.leave(early)
        return gate.is_shut

    assert asyncio.run(main())


def test_another_failure_of_the_call_that_goes_first_opens_it() -> None:
    server = Server(ban(0.05), answer(503), "done")
    assert run(server, persist_call) == "done"
    assert run(Server(ban(0.05), "done"), persist_call) == "done"


@pytest.mark.parametrize("mistake", [KeyError("retry_after"), TypeError(), ValueError("not JSON"), AttributeError()])
def test_an_answer_that_the_client_cannot_read_is_a_failure_that_may_pass(mistake: Exception) -> None:
    assert run(Server(mistake, "done"), persist_call) == "done"
    with pytest.raises(CallFailedError, match="UnreadableAnswerError"):
        run(Server(mistake), persist_call)
    http: Any = SimpleNamespace(request=Server(mistake).request)

    async def once() -> None:
        guard(http, Gate())
        await http.request()

    with pytest.raises(UnreadableAnswerError):
        asyncio.run(once())
