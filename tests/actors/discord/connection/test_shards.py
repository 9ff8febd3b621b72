"""Several connections that share the servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.actors.discord.life import Life, timing
from tests.patience import eventually

SECOND_GUILD = defaults.GUILD_ID + (1 << 22)
"""With two shards it is the other one's."""
HOME, AWAY = (defaults.GUILD_ID >> 22) % 2, (SECOND_GUILD >> 22) % 2
Start = Callable[..., Life]


@pytest.fixture
def playground() -> Iterator[PlaygroundServer]:
    with PlaygroundServer(PlaygroundConfig(recommended_shards=2)) as server:
        server.create_guild("Second", SECOND_GUILD)
        yield server


@pytest.fixture
def away(playground: PlaygroundServer) -> int:
    """A configured channel of the second server."""
    return playground.create_channel("away", guild_id=SECOND_GUILD)


@pytest.fixture
def start(playground: PlaygroundServer, away: int) -> Iterator[Start]:
    lives: list[Life] = []

    def begin(shards: int = 2, **options: object) -> Life:
        channels = frozenset({str(defaults.GENERAL_ID), str(away)})
        lives.append(Life(playground, channels=channels, shards=shards, **options))  # type: ignore[arg-type]
        return lives[-1].start()

    yield begin
    for life in lives:
        life.stop()


def told(life: Life, channel_id: int) -> list[str]:
    """What a window was told, in order."""
    return [message.text for message in life.messages.now() if message.window.id == str(channel_id)]


@pytest.mark.parametrize("shards", [2, 0])
def test_each_server_is_heard_through_its_own_connection(
    playground: PlaygroundServer, start: Start, away: int, shards: int
) -> None:
    life = start(shards)
    life.say("here")
    life.say("there", away)
    life.messages.wait(2)
    assert (told(life, defaults.GENERAL_ID), told(life, away)) == (["here"], ["there"])
    assert playground.counters()["identifies"] == 2
    assert len(playground.requests("GET", "/gateway/bot")) == (shards == 0)
    assert playground.run(lambda: sorted(s.shard for s in playground.hub.gateway._sessions.values())) == [
        (0, 2),
        (1, 2),
    ]


def test_what_a_lost_connection_missed_comes_once_while_the_other_goes_on(
    playground: PlaygroundServer, start: Start, away: int
) -> None:
    life = start()
    life.say("before", away)
    life.messages.wait(1)
    playground.gateway_faults(refuse_resumes=1)
    assert playground.drop(1006, shard=AWAY) == 1
    for number in range(3):
        life.say(f"missed {number}", away)
        life.say(f"meanwhile {number}")
    life.messages.wait(7)
    life.say("after", away)
    life.say("after")
    life.messages.wait(9)
    assert told(life, away) == ["before", "missed 0", "missed 1", "missed 2", "after"]
    assert told(life, defaults.GENERAL_ID) == ["meanwhile 0", "meanwhile 1", "meanwhile 2", "after"]
    assert playground.counters()["identifies"] == 3
    assert len(life.online.wait(2)) == 2


def test_a_thread_begun_in_one_server_while_only_the_other_was_heard_is_read(
    playground: PlaygroundServer, start: Start, away: int
) -> None:
    life = start()
    life.say("before", away)
    life.messages.wait(1)
    playground.gateway_faults(ignore_resumes=1)
    playground.drop(1006, shard=AWAY)
    eventually(lambda: playground.counters().get("resumes", 0) == 1)
    thread = playground.create_thread(away, "new")
    life.say("in the thread", thread)
    life.say("heard meanwhile")
    life.messages.wait(2)
    playground.op9()
    life.messages.wait(3)
    assert told(life, thread) == ["in the thread"]
    assert told(life, defaults.GENERAL_ID) == ["heard meanwhile"]


def test_a_resumed_connection_disturbs_nobody(playground: PlaygroundServer, start: Start, away: int) -> None:
    life = start()
    playground.drop(4000, shard=HOME)
    life.say("here")
    life.say("there", away)
    life.messages.wait(2)
    assert (told(life, defaults.GENERAL_ID), told(life, away)) == (["here"], ["there"])
    assert playground.counters()["identifies"] == 2
    assert len(life.online.now()) == 1


@pytest.mark.slow
def test_one_connection_that_never_comes_back_is_replaced(
    playground: PlaygroundServer, start: Start, away: int
) -> None:
    life = start(timing=timing(session_timeout_s=1.5))
    playground.gateway_faults(ignore_resumes=100)
    playground.drop(4000, shard=AWAY)
    life.say("missed", away)
    life.say("here")
    life.messages.wait(2)
    assert (told(life, defaults.GENERAL_ID), told(life, away)) == (["here"], ["missed"])


def test_both_connections_lost_at_once_come_back_with_everything(
    playground: PlaygroundServer, start: Start, away: int
) -> None:
    life = start()
    life.say("first", away)
    life.say("first")
    life.messages.wait(2)
    playground.op9()
    life.say("second", away)
    life.say("second")
    life.messages.wait(4)
    assert (told(life, defaults.GENERAL_ID), told(life, away)) == (["first", "second"], ["first", "second"])


def test_what_was_said_between_two_lives_is_read_in_both_servers(
    playground: PlaygroundServer, start: Start, away: int
) -> None:
    life = start()
    life.say("first", away)
    life.say("first")
    last = {message.window.address.key: message.message_id for message in life.messages.wait(2)}
    life.stop()
    life.say("second", away)
    life.say("second")
    second = start(last_seen=last)
    second.messages.wait(2)
    assert (told(second, defaults.GENERAL_ID), told(second, away)) == (["second"], ["second"])
