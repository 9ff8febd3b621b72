"""Latency of the typing indicator, and lag of the bot's loop while many windows write."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import logging
import multiprocessing
import queue
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import aiohttp

from actors.discord.timing import Timing
from actors.kernel import LoopThread, SystemClock
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.discord.rig import Rig, answer_to, private_threads
from lab.bench.loopback_agent import LoopbackAgent, discord_table
from lab.bench.measure import Figures
from lab.load.wording import answer, question, secret_of
from lab.loopback_model.server import LoopbackModel
from lab.playground.gateway.events import Event
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID

ONLINE_S = 60.0
PATIENCE_S = 60.0
LOOK_EVERY_S = 0.005
"""Seconds between two looks at the lag of the loop."""
INTENTS = (1 << 0) | (1 << 9) | (1 << 15)
MODEL = "hosted_vllm/loopback"
CALLS_OF_A_TURN = 2.5
"""Typing, the text, and in every other turn a running message that becomes the text."""
TURN_EVERY_S = CALLS_OF_A_TURN * Timing().edit_every_s
"""Interval for each window, with as many calls as the bot's edits of a running message."""


def measure(say: Callable[[str], object], *, quick: bool) -> Rows:
    """Percentiles of times in milliseconds: to the typing call, and of the loop's lag."""
    messages, windows, turns = (5, 20, 1) if quick else (100, 200, 5)
    say(f"{messages} messages, one after the other")
    agent, bare = percentiles(_typing_of_agent(messages)), percentiles(_typing_of_bare_client(messages))
    say(f"{windows} windows write")
    return {
        "typing, agent": agent | {"beyond_ms": round(agent["p95"] - bare["p95"], 2)},
        "typing, bare client": bare,
        "loop lag": percentiles(_lags(windows, turns)),
    }


def percentiles(times_s: list[float]) -> Figures:
    """Percentiles of at least one time, in milliseconds."""
    ordered = sorted(time_s * 1000 for time_s in times_s)

    def at(percent: int) -> float:
        return round(ordered[-(-len(ordered) * percent // 100) - 1], 2)

    return {"count": len(ordered), "p50": at(50), "p95": at(95), "p99": at(99), "most": at(100)}


DISCORD = Benchmark(
    name="discord",
    measure=measure,
    targets=(
        Target("p95 beyond the bare client's, ms", "beyond_ms", 50, is_speed=True),
        Target("p99 while windows write as often as Discord permits, ms", "p99", 20, "loop lag", is_speed=True),
    ),
    columns=(
        Column("times", "count", ",.0f"),
        *(Column(f"{name}, ms", name, ".2f") for name in ("p50", "p95", "p99", "most")),
    ),
    promises=frozenset(),
)


# typing


class _Watch:
    """Stopwatch from a person's message to the bot's next typing call in the same channel."""

    def __init__(self, server: PlaygroundServer) -> None:
        self.times_s: queue.SimpleQueue[float] = queue.SimpleQueue()
        self._now = SystemClock().monotonic
        self._said_at: dict[int | None, float] = {}
        server.subscribe(self._on_event)

    def _on_event(self, event: Event) -> None:
        if event.name == "MESSAGE_CREATE" and event.payload["author"]["id"] != str(BOT_ID):
            self._said_at[event.channel_id] = self._now()
        elif event.name == "TYPING_START" and event.payload["user_id"] == str(BOT_ID):
            said_at = self._said_at.pop(event.channel_id, None)
            if said_at is not None:
                self.times_s.put(self._now() - said_at)


def _typing_of_agent(messages: int) -> list[float]:
    """Seconds for each message; the first message, for which litellm is imported, is left out."""
    with (
        tempfile.TemporaryDirectory(prefix="agent-figures-") as folder,
        LoopbackModel(answer, latency_s=0.1, kept_requests=0) as model,
        PlaygroundServer() as server,
    ):
        settings = (
            f'{discord_table(server)}turns_per_user = 10000\n[model]\nname = "{MODEL}"\napi_base = "{model.api_base}"\n'
        )
        agent = LoopbackAgent(Path(folder), server, settings)
        try:
            agent.come_online(ONLINE_S)
            return _said_one_by_one(server, messages + 1)[1:]
        finally:
            agent.stop(10.0)


def _said_one_by_one(server: PlaygroundServer, messages: int) -> list[float]:
    """Seconds for each message, sent only after the answer to the last."""
    watch, times_s = _Watch(server), list[float]()
    thread, secret = server.create_thread(GENERAL_ID, "typing", private=True), secret_of("typing", 1)
    for number in range(1, messages + 1):
        message_id = server.say(thread, question(secret, number))
        times_s.append(watch.times_s.get(timeout=PATIENCE_S))
        server.wait_for_reply(thread, after=message_id, timeout_s=PATIENCE_S)
    return times_s


def _typing_of_bare_client(messages: int) -> list[float]:
    """Seconds for each message with minimal work: reading the event and posting typing."""
    with PlaygroundServer() as server, _bare_client(server):
        server.wait_until_online(timeout_s=ONLINE_S)
        watch, times_s = _Watch(server), list[float]()
        for number in range(messages):
            server.say(GENERAL_ID, f"message {number}")
            times_s.append(watch.times_s.get(timeout=PATIENCE_S))
        return times_s


@contextmanager
def _bare_client(server: PlaygroundServer) -> Iterator[None]:
    loop = LoopThread("bare client")
    loop.start()
    running = loop.submit(_listen(server))
    try:
        yield
    finally:
        running.cancel()
        loop.stop(5.0)


async def _listen(server: PlaygroundServer) -> None:
    """A client of the gateway that answers each message by a typing call."""
    headers = {"Authorization": f"Bot {server.bot_token}"}
    async with aiohttp.ClientSession(headers=headers) as http, http.ws_connect(server.gateway_url) as socket:
        await socket.receive()
        await socket.send_json({"op": 2, "d": {"token": server.bot_token, "intents": INTENTS, "properties": {}}})
        async for frame in socket:
            event = frame.json()
            if event["t"] == "MESSAGE_CREATE":
                async with http.post(f"{server.api_base}/channels/{event['d']['channel_id']}/typing"):
                    pass


# lag


def _lags(windows: int, turns: int) -> list[float]:
    """Samples of the loop's lag, while `windows` windows write `turns` answers each, in turn.

    The bot has a process of its own, so only the bot's own work can delay the loop.
    """
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    with PlaygroundServer() as server:
        ids = private_threads(server, windows)
        where = (server.api_base, server.gateway_url, server.bot_token)
        bot = spawn.Process(target=_bot, args=(where, there), daemon=True)
        bot.start()
        try:
            server.wait_until_online(timeout_s=ONLINE_S)
            _converse(server, ids, turns)
            here.send(None)
            if not here.poll(PATIENCE_S):
                raise TimeoutError("the bot's process did not report the delay of its event loop")
            return list(here.recv())
        finally:
            bot.terminate()
            bot.join()
            bot.close()


def _converse(server: PlaygroundServer, ids: list[int], turns: int) -> None:
    """Say `turns` messages in each thread, evenly, and return when all are answered."""
    answered: queue.SimpleQueue[int] = queue.SimpleQueue()

    def on_event(event: Event) -> None:
        if event.name in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and event.payload["content"].startswith(answer_to("")):
            answered.put(event.channel_id or 0)

    server.subscribe(on_event)
    now, pause = SystemClock().monotonic, threading.Event()
    begin = now()
    for number in range(len(ids) * turns):
        pause.wait(max(0.0, begin + number * TURN_EVERY_S / len(ids) - now()))
        server.say(ids[number % len(ids)], "hello")
    for _ in range(len(ids) * turns):
        answered.get(timeout=PATIENCE_S)


def _bot(where: tuple[str, str, str], ending: Connection[object, object]) -> None:
    """Run the bot until data comes through `ending`, then send the lags of the loop."""
    logging.basicConfig(handlers=[logging.NullHandler()])
    with Rig(*where, Timing(guild_ready_timeout_s=0.2)) as rig:
        gc.freeze()  # as the agent does when it is started
        ended: concurrent.futures.Future[None] = concurrent.futures.Future()
        sampled = rig.on_loop(lambda: _sample(ended))
        ending.recv()
        ended.set_result(None)
        ending.send(sampled.result(10.0))


async def _sample(ended: concurrent.futures.Future[None]) -> list[float]:
    """Seconds by which each short sleep was too long."""
    now: Callable[[], Any] = asyncio.get_running_loop().time
    lags_s = list[float]()
    while not ended.done():
        due = now() + LOOK_EVERY_S
        await asyncio.sleep(LOOK_EVERY_S)
        lags_s.append(max(0.0, now() - due))
    return lags_s
