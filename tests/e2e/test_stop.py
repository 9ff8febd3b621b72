"""The end of the whole agent in the midst of work: soon, in good order, and the next start goes on where it was."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from domain.log.event import Kind
from domain.offline.model import prompt_of
from lab.loopback_model.server import Answer, Behaviour, Call, LoopbackModel, Received, Stall
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Process, bot_texts, events, of_kind
from tests.patience import eventually

FEW = 4
LIMIT_S = 60.0
"""Far less than the commands sleep; an end takes ten seconds on a machine that is not busy."""
SLEEP = json.dumps({"command": "sleep 300", "timeout": 300})
SHORT = json.dumps({"command": "sleep 1"})


class SlowModel:
    """Never answers while `slow`: turns hang in a command, in the midst of an answer and before one, and a few end soon."""

    def __init__(self) -> None:
        self.slow = True
        self._numbers = itertools.count()

    def __call__(self, received: Received) -> Behaviour:
        if not self.slow or received.body["messages"][-1]["role"] == "tool":
            texts = [str(message["content"]) for message in received.body["messages"] if message["role"] == "user"]
            return Answer(f"answer to {prompt_of(texts[-1])}")
        kinds: tuple[Behaviour, ...] = (
            Answer(calls=(Call("bash", SLEEP),)),
            Stall("half an ans"),
            Stall(),
            Answer(calls=(Call("bash", SHORT),)),
        )
        return kinds[next(self._numbers) % len(kinds)]


def last_word(
    process: subprocess.Popen[bytes], signals: tuple[signal.Signals, ...], pause_s: float
) -> tuple[int, float]:
    """Exit code after these signals, and how long the end took."""
    began_at = time.monotonic()
    for each in signals:
        process.send_signal(each)
        threading.Event().wait(pause_s)
    try:
        return process.wait(2 * LIMIT_S), time.monotonic() - began_at
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def stop_and_go_on(
    folder: Path, server: PlaygroundServer, turns: int, signals: tuple[signal.Signals, ...]
) -> tuple[int, float]:
    """Exit code of an agent with so many turns in hand after these signals, and how long its end took.

    By the next start each turn is answered once, and no command has run twice.
    """
    behave, data = SlowModel(), folder / "data"
    with LoopbackModel(behave) as model:
        agent = Process(server, data, model="hosted_vllm/loopback", api_base=model.api_base)
        agent.start()
        threads = [server.create_thread(GENERAL_ID, f"thread {number}") for number in range(turns)]
        for thread in threads:
            server.say(thread, f"question {thread}")
        eventually(lambda: model.request_count >= turns)
        assert agent.process is not None
        code, took_s = last_word(agent.process, signals, 1.0)
        agent.process = None
        for thread in threads:
            assert len(of_kind(events(data, "discord-thread", thread), Kind.USER)) == 1

        behave.slow = False
        server.wait_until_online(online=False)
        agent.start()
        try:
            eventually(lambda: all(f"answer to question {each}" in bot_texts(server, each)[-1:] for each in threads))
        finally:
            assert agent.terminate() == 0
    for thread in threads:
        found = events(data, "discord-thread", thread)
        answers = [event for event in found if event.kind is Kind.AGENT and event.meta_dict().get("final")]
        assert [event.content for event in answers] == [f"answer to question {thread}"]
        assert [text for text in bot_texts(server, thread) if "answer" in text] == [f"answer to question {thread}"]
        assert len(of_kind(found, Kind.TOOL_RESULT)) == len(of_kind(found, Kind.TOOL_CALL)) <= 1
    return code, took_s


def test_a_second_signal_ends_it_at_once_and_each_turn_is_answered_once_afterwards(
    tmp_path: Path, server: PlaygroundServer
) -> None:
    """Row 43 of the matrix is the same with one SIGTERM and fifty turns."""
    code, took_s = stop_and_go_on(tmp_path, server, FEW, (signal.SIGTERM, signal.SIGTERM))

    assert code == -signal.SIGTERM
    assert took_s < LIMIT_S


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_other_signals_end_it_as_sigterm_does(process: Process, number: signal.Signals) -> None:
    process.start()
    assert process.process is not None
    code, took_s = last_word(process.process, (number,), 0.0)
    process.process = None

    assert code == 0
    assert took_s < LIMIT_S
