"""What goes wrong between Discord and the bot costs no message and doubles none; most of it is in `tests/matrix`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUILD_ID
from tests.e2e.stage import Process, Stage, answered_once, bot_texts, say
from tests.patience import eventually


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


def test_a_message_that_discord_sends_no_event_of_is_answered_once_a_session_goes_on(stage: Stage) -> None:
    say(stage, "before")
    answered_once(stage, "before")
    stage.server.gateway_faults(lose_messages=1)
    say(stage, "unsent")
    say(stage, "after")
    answered_once(stage, "after")
    stage.server.drop(4000)
    eventually(lambda: len(bot_texts(stage.server)) == 3)
    say(stage, "end")
    answered_once(stage, "end")
    texts = bot_texts(stage.server)
    assert [sum(f"\n{word}" in text for text in texts) for word in ("before", "unsent", "after", "end")] == [1, 1, 1, 1]


@pytest.mark.parametrize("end", [Process.kill, Process.terminate], ids=["killed", "in-good-order"])
def test_a_message_that_discord_sends_no_event_of_is_answered_once_by_the_next_life(
    process: Process, end: Callable[[Process], object]
) -> None:
    server = process.server
    process.start()
    server.settled_replies(GENERAL_ID, after=server.say(GENERAL_ID, "run: echo before"), quiet_s=1)
    server.gateway_faults(lose_messages=1)
    server.say(GENERAL_ID, "run: echo unsent")
    server.settled_replies(GENERAL_ID, after=server.say(GENERAL_ID, "run: echo after"), quiet_s=1)
    end(process)
    process.start()

    def answers(word: str) -> int:
        return sum(f"\n{word}" in text for text in bot_texts(server))

    eventually(lambda: answers("unsent") > 0)
    said = server.say(GENERAL_ID, "run: echo end")
    server.settled_replies(GENERAL_ID, after=said, quiet_s=2)
    assert [answers(word) for word in ("before", "unsent", "after", "end")] == [1, 1, 1, 1]


def test_what_an_earlier_life_has_logged_counts_for_no_rate_limit_of_the_next_one(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    limit: dict[str, Any] = {"discord.turns_per_user": 3}
    stage = Stage(server, tmp_path / "data", **limit)
    try:
        for word in ("one", "two", "three"):
            assert word in stage.ask(f"run: echo {word}")
    finally:
        stage.stop()
    stage = Stage(server, tmp_path / "data", **limit)
    try:
        for word in ("four", "five", "six"):
            assert f"\n{word}" in stage.ask(f"run: echo {word}")
        assert "at most 3 messages" in stage.ask("run: echo seven")
    finally:
        stage.stop()


@pytest.mark.parametrize("is_permitted", [False, True])
def test_a_message_without_an_event_is_answered_once_history_may_be_read(
    server: PlaygroundServer, tmp_path: Path, is_permitted: bool
) -> None:
    """discord/discord-api-docs#455: a history that may not be read is an empty list, and no refusal."""
    stage = Stage(server, tmp_path / "data")
    try:
        say(stage, "before")
        answered_once(stage, "before")
        server.overwrite(GENERAL_ID, GUILD_ID, deny=0 if is_permitted else 1 << 16)
        server.gateway_faults(lose_messages=1)
        say(stage, "unsent")
        say(stage, "after")
        answered_once(stage, "after")
        server.drop(4000)
        eventually(lambda: server.counters().get("resumes", 0) == 1)
        eventually(lambda: len(server.requests("GET", f"/channels/{GENERAL_ID}/messages")) > 0)
    finally:
        stage.stop()
    server.overwrite(GENERAL_ID, GUILD_ID)
    stage = Stage(server, tmp_path / "data")
    try:
        eventually(lambda: any("\nunsent" in text for text in bot_texts(server)))
        say(stage, "end")
        answered_once(stage, "end")
        texts = bot_texts(server)
        words = ("before", "unsent", "after", "end")
        assert [sum(f"\n{word}" in text for text in texts) for word in words] == [1, 1, 1, 1]
    finally:
        stage.stop()
