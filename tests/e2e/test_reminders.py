"""Where the whole agent says what is due."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from actors.bootstrap import Agent, discord_connection
from actors.scheduler.zone import load_zone
from actors.settings.load import load
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_TOKEN, ELSEWHERE_ID, GENERAL_ID
from tests.e2e.stage import bot_texts, eventually


def test_reminders_are_said_in_the_first_channel_that_the_settings_list(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    now = datetime.now(UTC).astimezone(load_zone())
    file = tmp_path / "reminders.md"
    file.write_text(f'- [ ] date={now:%Y-%m-%d} time={now:%H:%M} recur=none msg="tea" id=rid_AAAAAAAAAAAA\n')
    discord = {
        "channels": [str(ELSEWHERE_ID), str(GENERAL_ID)],
        "allowed_users": ["*"],
        "api_base": server.api_base,
        "gateway_url": server.gateway_url,
    }
    given = {"data_root": str(tmp_path / "data"), "reminders.file": str(file), "discord": discord}
    settings = load(environ={}, folder=tmp_path, given=given)
    agent = Agent(settings, {}, discord_connection(settings, BOT_TOKEN), lambda _name: None)
    agent.start()
    try:
        eventually(lambda: file.read_text() == "")
    finally:
        agent.stop()

    (text,) = bot_texts(server, ELSEWHERE_ID)
    assert text.startswith("⏰ tea\n")
    assert bot_texts(server, GENERAL_ID) == []
    assert ELSEWHERE_ID > GENERAL_ID, "the first is not the smallest"
