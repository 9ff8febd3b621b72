"""What goes wrong between Discord and the bot costs no message and doubles none."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from domain.log.event import Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Process, Stage, bot_texts, events, eventually, is_bot, of_kind
from tests.patience import PATIENCE_S


def answered_once(stage: Stage, *words: str) -> None:
    """Every one of `words` was logged once and answered once."""
    server = stage.server
    for word in words:
        server.wait_for_reply(GENERAL_ID, after=0, timeout_s=PATIENCE_S, until=partial(holds, word))
    shown = bot_texts(server)
    logged = of_kind(events(stage.data, "discord-channel", GENERAL_ID), Kind.USER)
    for word in words:
        assert sum(f"\n{word}" in text for text in shown) == 1, shown
        assert logged.count(f"run: echo {word}") == 1


def holds(word: str, message: dict[str, Any]) -> bool:
    """Whether a message shows `word` as a command's output."""
    return f"\n{word}" in str(message["content"])


def say(stage: Stage, word: str) -> int:
    """Ask for an answer that holds `word`."""
    return stage.server.say(GENERAL_ID, f"run: echo {word}")


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(lambda server: server.drop(4000), id="closed-and-resumed"),
        pytest.param(lambda server: server.drop(1006), id="reset-and-resumed"),
        pytest.param(lambda server: server.op7(), id="asked-to-reconnect"),
        pytest.param(lambda server: server.op9(resumable=False), id="session-invalid"),
    ],
)
def test_a_broken_gateway_costs_no_message_and_doubles_none(
    stage: Stage, break_it: Callable[[PlaygroundServer], object]
) -> None:
    say(stage, "before")
    answered_once(stage, "before")
    break_it(stage.server)
    say(stage, "between")
    stage.server.wait_until_online(timeout_s=PATIENCE_S)
    say(stage, "after")
    answered_once(stage, "before", "between", "after")


@pytest.mark.parametrize("kind", ["429-user", "429-global", "500", "503", "abort-before", "abort-after", "html"])
def test_a_failing_post_costs_no_answer_and_doubles_none(stage: Stage, kind: str) -> None:
    stage.server.inject(kind, r"POST /channels/\d+/messages$")
    say(stage, "once")
    answered_once(stage, "once")
    say(stage, "next")
    answered_once(stage, "once", "next")


def test_a_message_that_the_gateway_brings_twice_is_answered_once(stage: Stage) -> None:
    server = stage.server
    say(stage, "twice")
    answered_once(stage, "twice")
    (message,) = [found for found in server.messages(GENERAL_ID) if not is_bot(found)]
    server.dispatch("MESSAGE_CREATE", message)
    say(stage, "next")
    answered_once(stage, "twice", "next")


def test_a_payload_that_cannot_be_parsed_does_not_silence_the_bot(stage: Stage) -> None:
    stage.server.dispatch("MESSAGE_CREATE", {"id": "1", "channel_id": str(GENERAL_ID)})
    say(stage, "alive")
    answered_once(stage, "alive")


class TestKill:
    """kill -9, at the worst moments."""

    def test_a_turn_cut_short_in_a_command_is_answered_exactly_once(self, process: Process) -> None:
        server = process.server
        pipe = process.data / "work" / "discord-channel" / str(GENERAL_ID) / "pipe"
        pipe.parent.mkdir(parents=True)
        os.mkfifo(pipe)
        process.start()
        said = server.say(GENERAL_ID, "run: echo started > pipe; sleep 30; echo finished")
        assert pipe.read_text() == "started\n"
        process.kill()
        assert bot_texts(server) == []
        process.start()
        reply = server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
        assert "nterrupted" in reply["content"]
        server.settled_replies(GENERAL_ID, after=said, quiet_s=1)
        assert len(bot_texts(server)) == 1
        logged = events(process.data, "discord-channel", GENERAL_ID)
        assert len(of_kind(logged, Kind.USER)) == 1
        assert len(of_kind(logged, Kind.TOOL_CALL)) == 1

    def test_messages_said_while_it_is_down_are_answered_after_the_start(self, process: Process) -> None:
        server = process.server
        process.start()
        first = server.say(GENERAL_ID, "run: echo first")
        server.wait_for_reply(GENERAL_ID, after=first, timeout_s=PATIENCE_S)
        process.kill()
        server.say(GENERAL_ID, "run: echo second")
        process.start()
        server.wait_for_reply(
            GENERAL_ID, after=first, timeout_s=PATIENCE_S, until=lambda message: "second" in message["content"]
        )
        server.settled_replies(GENERAL_ID, after=first, quiet_s=1)
        assert sum("\nfirst" in text for text in bot_texts(server)) == 1
        assert sum("\nsecond" in text for text in bot_texts(server)) == 1

    def test_an_answer_that_was_being_posted_is_shown_once(self, process: Process) -> None:
        server = process.server
        process.start()
        server.inject("delay", r"POST /channels/\d+/messages$", delay_s=1.5)
        said = server.say(GENERAL_ID, "run: echo once")
        eventually(lambda: server.counters()["faults_fired"] == 1)
        process.kill()
        process.start()
        server.settled_replies(GENERAL_ID, after=said, quiet_s=3)
        assert sum("\nonce" in text for text in bot_texts(server)) == 1

    def test_an_answer_that_was_just_posted_is_not_shown_again(self, process: Process) -> None:
        server = process.server
        process.start()
        said = server.say(GENERAL_ID, "run: echo once")
        server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
        process.kill()
        process.start()
        server.settled_replies(GENERAL_ID, after=said, quiet_s=1)
        assert sum("\nonce" in text for text in bot_texts(server)) == 1

    def test_sigterm_ends_it_in_good_order(self, process: Process) -> None:
        process.start()
        said = process.server.say(GENERAL_ID, "run: echo bye")
        process.server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
        assert process.terminate() == 0
