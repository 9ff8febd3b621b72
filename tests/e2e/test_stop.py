"""The end of the whole agent in the midst of work: soon, in good order, and the next start goes on where it was."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.log.event import Kind
from domain.offline.model import prompt_of
from lab.loopback_model.server import Answer, Behaviour, Call, LoopbackModel, Received, Stall
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Process, bot_texts, events, eventually

THREADS = 50
LIMIT_S = 10.0
SLEEP = json.dumps({"command": "sleep 300", "timeout": 300})


class SlowModel:
    """Never answers while `slow`: every third turn hangs in a command of its own, others in the midst of an answer."""

    def __init__(self) -> None:
        self.slow = True
        self._numbers = itertools.count()

    def __call__(self, received: Received) -> Behaviour:
        if not self.slow:
            texts = [str(message["content"]) for message in received.body["messages"] if message["role"] == "user"]
            return Answer(f"answer to {prompt_of(texts[-1])}")
        number = next(self._numbers) % 3
        if number == 0:
            return Answer(calls=(Call("bash", SLEEP),))
        return Stall("half an ans") if number == 1 else Stall()


@pytest.fixture
def server() -> Iterator[PlaygroundServer]:
    with PlaygroundServer() as made:
        yield made


def last_word(
    process: subprocess.Popen[bytes], signals: tuple[signal.Signals, ...], pause_s: float
) -> tuple[int, float]:
    """Exit code after these signals, and how long the end took."""
    began_at = time.monotonic()
    for each in signals:
        process.send_signal(each)
        threading.Event().wait(pause_s)
    try:
        return process.wait(6 * LIMIT_S), time.monotonic() - began_at
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


@pytest.mark.parametrize(
    "signals",
    [(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGTERM, signal.SIGTERM), (signal.SIGHUP,)],
    ids=["SIGTERM", "SIGINT", "SIGTERM twice", "SIGHUP"],
)
def test_a_stop_with_fifty_turns_in_hand_takes_ten_seconds_at_most_and_each_is_answered_once_afterwards(
    tmp_path: Path, server: PlaygroundServer, signals: tuple[signal.Signals, ...]
) -> None:
    behave = SlowModel()
    with LoopbackModel(behave) as model:
        agent = Process(server, tmp_path / "data", model="hosted_vllm/loopback", api_base=model.api_base)
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # Whoever runs the tests may ignore it.
        agent.start()
        signal.signal(signal.SIGHUP, before)
        threads = [server.create_thread(GENERAL_ID, f"thread {number}") for number in range(THREADS)]
        for thread in threads:
            server.say(thread, f"question {thread}")
        eventually(lambda: model.request_count >= THREADS)
        assert agent._process is not None
        code, took_s = last_word(agent._process, signals, 0.5)
        agent._process = None
        assert took_s < LIMIT_S, took_s
        if len(signals) == 1:
            assert code == 0
        for thread in threads:
            kinds = Counter(event.kind for event in events(tmp_path / "data", "discord-thread", thread))
            assert kinds[Kind.USER] == 1

        behave.slow = False
        server.wait_until_online(online=False)
        agent.start()
        try:
            eventually(lambda: all(f"answer to question {each}" in bot_texts(server, each)[-1:] for each in threads))
        finally:
            assert agent.terminate() == 0
    for thread in threads:
        found = events(tmp_path / "data", "discord-thread", thread)
        answers = [event for event in found if event.kind is Kind.AGENT and event.meta_dict().get("final")]
        assert [event.content for event in answers] == [f"answer to question {thread}"]
        assert [text for text in bot_texts(server, thread) if "answer" in text] == [f"answer to question {thread}"]
        commands = [event for event in found if event.kind is Kind.TOOL_CALL]
        results = [event for event in found if event.kind is Kind.TOOL_RESULT]
        assert len(results) == len(commands) <= 1
