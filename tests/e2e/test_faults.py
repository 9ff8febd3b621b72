"""What goes wrong between Discord and the bot costs no message and doubles none; most of it is in `tests/matrix`."""

from __future__ import annotations

from functools import partial
from typing import Any

from domain.log.event import Kind
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Process, Stage, bot_texts, events, eventually, of_kind
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


def test_a_payload_that_cannot_be_parsed_does_not_silence_the_bot(stage: Stage) -> None:
    stage.server.dispatch("MESSAGE_CREATE", {"id": "1", "channel_id": str(GENERAL_ID)})
    say(stage, "alive")
    answered_once(stage, "alive")


class TestKill:
    """kill -9, at the worst moments."""

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
