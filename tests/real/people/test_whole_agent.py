"""Locks and missing rights on the whole agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from domain.text.running_text import is_running
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUILD_ID
from tests.e2e.stage import Stage, bot_texts, is_bot
from tests.patience import eventually

NO_HISTORY = 1 << 16


def running(server: PlaygroundServer, channel: int) -> list[dict[str, Any]]:
    """The bot's messages in a channel that show a running turn."""
    own = filter(is_bot, server.messages(channel))
    return [message for message in own if is_running(message["content"]) or message["components"]]


def test_a_thread_that_is_locked_in_mid_turn_gets_its_answer_when_it_is_opened_again(tmp_path: Path) -> None:
    """discord/discord-api-docs#6884, victornpb/undiscord#399: the answer is lost, and its beginning stays."""
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "data")
        try:
            thread = server.create_thread(GENERAL_ID, "talk")
            server.say(thread, "run: sleep 3; echo the answer")
            eventually(lambda: running(server, thread) != [])
            server.change_thread(thread, archived=True, locked=True)
            eventually(lambda: running(server, thread) == [])
            assert not any("the answer\n" in text for text in bot_texts(server, thread))
            server.change_thread(thread, archived=False, locked=False)
            eventually(lambda: any("\nthe answer" in text for text in bot_texts(server, thread)))
            assert running(server, thread) == []
        finally:
            stage.stop()


def test_without_the_right_to_read_history_every_quick_question_is_answered(tmp_path: Path) -> None:
    """nminaya/grammar-nazi-bot#244: replies are refused there (160002), messages are not."""
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "data")
        try:
            server.overwrite(GENERAL_ID, GUILD_ID, deny=NO_HISTORY)
            for number in range(4):
                server.say(GENERAL_ID, f"run: echo word{number}")
            eventually(lambda: all(f"\nword{number}" in "\n".join(bot_texts(server)) for number in range(4)))
        finally:
            stage.stop()
