"""What goes wrong between Discord and the bot costs no message and doubles none; most of it is in `tests/matrix`."""

from __future__ import annotations

from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Process, Stage, answered_once, bot_texts, eventually, say


def test_a_payload_that_cannot_be_parsed_does_not_silence_the_bot(stage: Stage) -> None:
    stage.server.dispatch("MESSAGE_CREATE", {"id": "1", "channel_id": str(GENERAL_ID)})
    say(stage, "alive")
    answered_once(stage, "alive")


def test_an_answer_that_was_being_posted_when_the_agent_was_killed_is_shown_once(process: Process) -> None:
    """Row 3 of the matrix is that of an answer that was posted already."""
    server = process.server
    process.start()
    server.inject("delay", r"POST /channels/\d+/messages$", delay_s=1)
    said = server.say(GENERAL_ID, "run: echo once")
    eventually(lambda: server.counters()["faults_fired"] == 1)
    process.kill()
    process.start()
    server.settled_replies(GENERAL_ID, after=said, quiet_s=2)
    assert sum("\nonce" in text for text in bot_texts(server)) == 1
