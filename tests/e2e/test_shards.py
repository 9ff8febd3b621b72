"""The whole agent over two connections, each with a server of its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from domain.log.event import Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUILD_ID
from tests.e2e.stage import Process, bot_texts, events, of_kind
from tests.patience import PATIENCE_S, eventually

SECOND_GUILD = GUILD_ID + (1 << 22)
AWAY_SHARD = (SECOND_GUILD >> 22) % 2


def shows(words: str, message: dict[str, Any]) -> bool:
    """Whether a message holds `words`."""
    return words in str(message["content"])


def test_two_servers_on_two_connections_lose_and_double_nothing_when_one_is_cut(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    with PlaygroundServer() as server:
        server.create_guild("Second", SECOND_GUILD)
        away = server.create_channel("away", guild_id=SECOND_GUILD)
        process = Process(server, tmp_path / "agent" / "data")
        config = tmp_path / "agent" / "agent.toml"
        config.write_text(
            config.read_text().replace(
                f'channels = ["{GENERAL_ID}"]', f'channels = ["{GENERAL_ID}", "{away}"]\nshards = 2'
            )
        )
        process.start()
        try:
            eventually(lambda: server.counters()["identifies"] == 2)  # Discord wants seconds between the two
            for refused, word in ((0, "first"), (1, "second"), (0, "third")):
                server.gateway_faults(refuse_resumes=refused)
                if word != "first":
                    assert server.drop(1006, shard=AWAY_SHARD) == 1
                said = {place: server.say(place, f"run: echo {word}-{place}") for place in (GENERAL_ID, away)}
                for place, message in said.items():
                    server.wait_for_reply(
                        place, after=message, timeout_s=PATIENCE_S, until=partial(shows, f"\n{word}-{place}")
                    )
            assert process.terminate() == 0
        finally:
            if process.process is not None:
                process.kill()
        for place in (GENERAL_ID, away):
            shown = "\n".join(bot_texts(server, place))
            assert [shown.count(f"\n{word}-{place}") for word in ("first", "second", "third")] == [1, 1, 1]
            logged = of_kind(events(process.data, "discord-channel", place), Kind.USER)
            assert logged == [f"run: echo {word}-{place}" for word in ("first", "second", "third")]
        assert server.counters()["identifies"] == 3
