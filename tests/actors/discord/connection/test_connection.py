from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from actors.discord.connection.client import AgentClient
from actors.discord.connection.pauses import Pauses
from actors.discord.connection.session import GatewaySession
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import MessageId
from messages.discord import Delivered, ShowTyping
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import Life, timing
from tests.lab.playground.away import said_while_away
from tests.patience import PATIENCE_S, eventually


def settle() -> None:
    """Longer than any pause before a reconnection in these tests."""
    threading.Event().wait(0.6)


@pytest.mark.parametrize(
    ("token", "words"),
    [("", "There is no Discord bot token"), ("two words", "not a bot token"), ("wrong", "does not accept")],
)
def test_a_bad_token_is_told_once_in_one_sentence(
    playground: PlaygroundServer, start_life: StartLife, token: str, words: str
) -> None:
    life = start_life(wait=False, token=token)
    (sentence,) = life.fatal.wait(1)
    assert words in sentence
    assert "DISCORD_BOT_TOKEN" in sentence
    assert not token or token not in sentence
    settle()
    assert len(life.fatal.now()) == 1
    assert len(playground.requests("GET", "/users/@me")) == (token == "wrong")
    assert life.system.dead_letters.count == 0


def test_a_missing_intent_names_the_switch(start_life: StartLife) -> None:
    with PlaygroundServer(PlaygroundConfig(allowed_intents=0)) as playground, _life_at(playground, wait=False) as life:
        (sentence,) = life.fatal.wait(1)
        assert "MESSAGE CONTENT INTENT" in sentence
        settle()
        assert playground.counters()["identifies"] == 1


def test_a_token_revoked_meanwhile_ends_it_without_another_try(life: Life) -> None:
    life.playground.drop(4004)
    (sentence,) = life.fatal.wait(1)
    assert "no longer accepts" in sentence
    settle()
    assert life.playground.counters()["identifies"] == 1
    assert life.fatal.now() == [sentence]


@pytest.mark.parametrize("address", [{"api_base": "discord.example"}, {"gateway_url": "http://127.0.0.1/"}])
def test_an_address_that_is_none_is_told_in_one_sentence(start_life: StartLife, address: dict[str, str]) -> None:
    life = start_life(wait=False, **address)
    (sentence,) = life.fatal.wait(1)
    assert next(iter(address)) in sentence


def test_an_event_that_cannot_be_read_is_left_out(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    life.playground.dispatch("MESSAGE_CREATE", {"id": "secret words"})
    life.playground.dispatch("GUILD_ROLE_CREATE", {"guild_id": str(defaults.GUILD_ID), "role": None})
    life.say("still here")
    assert life.texts(1) == ["still here"]
    assert life.playground.counters()["identifies"] == 1
    assert "MESSAGE_CREATE could not be read" in caplog.text
    assert "secret words" not in caplog.text


def test_of_the_bots_own_words_no_object_is_made(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    """They lack what discord.py needs, which nobody notices; another program has posted them, with the same token."""
    question = life.say("question")
    life.messages.wait(1)
    own = {"id": str(question + 1), "channel_id": str(defaults.GENERAL_ID), "author": {"id": str(defaults.BOT_ID)}}
    life.playground.dispatch("MESSAGE_CREATE", own)
    life.playground.dispatch("MESSAGE_UPDATE", own)
    life.playground.dispatch("MESSAGE_UPDATE", own | {"id": "words", "channel_id": None})
    life.say("another")
    assert life.texts(2) == ["question", "another"]
    assert "could not be read" not in caplog.text


def test_the_bots_own_words_count_as_the_newest_of_their_channel(life: Life) -> None:
    question = life.say("question")
    life.messages.wait(1)
    own = {"id": str(question + 1), "channel_id": str(defaults.GENERAL_ID), "author": {"id": str(defaults.BOT_ID)}}
    life.playground.dispatch("MESSAGE_CREATE", own)
    life.say("aside", life.playground.create_thread(defaults.GENERAL_ID, "a thread"))
    life.messages.wait(2)
    life.delivered("answer", answers_message_id=MessageId(str(question)))
    (sent,) = life.playground.requests("POST", "/messages")
    assert str(sent.payload["message_reference"]["message_id"]) == str(question)


def test_an_own_message_whose_id_cannot_be_read_is_left_out_as_any_other(
    life: Life, caplog: pytest.LogCaptureFixture
) -> None:
    life.playground.dispatch("MESSAGE_CREATE", {"id": "words", "author": {"id": str(defaults.BOT_ID)}})
    life.say("still here")
    assert life.texts(1) == ["still here"]
    assert "MESSAGE_CREATE could not be read" in caplog.text


def test_what_ends_discord_py_is_followed_by_a_new_client_without_a_gap(life: Life) -> None:
    life.say("before")
    life.messages.wait(1)
    life.playground.dispatch("READY", {"no": "session"})
    life.say("during")
    life.online.wait(2)
    life.say("after")
    assert life.texts(3) == ["before", "during", "after"]
    life.delivered("and it speaks")


def test_discord_py_waits_as_it_is_told_while_it_is_refused(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    next_s, ws_connect, refusals = Pauses.next_s, aiohttp.ClientSession.ws_connect, [1, 2, 3]

    def noted(pauses: Pauses) -> float:
        waits.append(next_s(pauses))
        return waits[-1]

    async def refused(*args: Any, **how: Any) -> Any:
        if refusals:
            refusals.pop()
            raise ConnectionRefusedError
        return await ws_connect(*args, **how)

    monkeypatch.setattr(Pauses, "next_s", noted)
    monkeypatch.setattr(aiohttp.ClientSession, "ws_connect", refused)
    life.playground.drop(4000)
    eventually(lambda: life.playground.counters().get("resumes", 0) == 1)
    assert waits == [0.05, 0.1, 0.2]


@pytest.mark.slow
def test_a_resume_that_is_never_answered_is_given_up(start_life: StartLife) -> None:
    life = start_life(timing=timing(session_timeout_s=1.5))
    life.say("before")
    life.messages.wait(1)
    life.playground.gateway_faults(ignore_resumes=100)
    with said_while_away(life.playground, "during"):
        life.playground.drop(4000)
    life.online.wait(2)
    life.say("after")
    assert life.texts(3) == ["before", "during", "after"]


def test_a_refused_resume_opens_a_new_session(life: Life) -> None:
    life.say("before")
    life.messages.wait(1)
    life.playground.gateway_faults(refuse_resumes=1)
    life.playground.drop(4000)
    life.say("during")
    life.online.wait(2)
    life.say("after")
    assert life.texts(3) == ["before", "during", "after"]


@pytest.mark.slow
def test_a_silent_socket_is_replaced(start_life: StartLife) -> None:
    with PlaygroundServer(PlaygroundConfig(heartbeat_interval_ms=200)) as playground:
        slow = timing(heartbeat_timeout_s=1.0)
        with _life_at(playground, timing=slow) as life:
            life.say("before")
            life.messages.wait(1)
            playground.zombie()
            life.say("into the void")
            assert life.texts(2) == ["before", "into the void"]


def test_a_server_that_comes_up_late_is_waited_for() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    playground = PlaygroundServer(port=port)
    life = Life(playground).start(wait=False)
    try:
        posted = life.post("patience")
        settle()
        assert life.online.now() == []
        with playground:
            life.online.wait(1)
            assert isinstance(life.outcome(posted), Delivered)
            life.stop()
    finally:
        life.stop()


@pytest.mark.crashes
def test_a_crashed_actor_comes_back_with_a_new_connection(life: Life) -> None:
    life.tell(ShowTyping(window=None, on=True))  # type: ignore[arg-type]
    eventually(lambda: life.system.dead_letters.count == 1)
    life.online.wait(2)
    life.say("hello again")
    assert life.messages.wait(1)[0].text == "hello again"
    life.delivered("and hello to you")


def test_stopping_is_quick_and_leaves_no_connection_and_no_thread(start_life: StartLife) -> None:
    before = set(threading.enumerate())
    life = start_life()
    life.type(True)
    assert {thread.name for thread in set(threading.enumerate()) - before} >= {"discord"}
    life.stop()
    life.playground.wait_until_online(online=False)
    eventually(lambda: not {thread.name for thread in set(threading.enumerate()) - before})


@pytest.mark.parametrize("what", ["close", "abandon_sockets"])
def test_a_client_that_cannot_be_closed_is_followed_by_the_next(
    life: Life, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    failed = list[AgentClient]()

    async def fail_once(client: AgentClient) -> None:
        await end(client)
        if not failed:
            failed.append(client)
            raise RuntimeError("a defect")

    end = getattr(AgentClient, what)
    monkeypatch.setattr(AgentClient, what, fail_once)
    life.playground.dispatch("READY", {"no": "session"})
    life.online.wait(2)

    assert len(failed) == 1
    assert life.fatal.now() == []
    life.delivered("and it speaks")


@pytest.mark.crashes
def test_an_end_that_goes_wrong_ends_the_loop_all_the_same(
    start_life: StartLife, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_session: GatewaySession) -> None:
        raise RuntimeError("a defect")

    life = start_life()
    monkeypatch.setattr(GatewaySession, "close", fail)
    life.stop()

    assert "discord" not in {thread.name for thread in threading.enumerate()}


def test_stopping_is_bounded_when_the_server_is_silent(start_life: StartLife, caplog: pytest.LogCaptureFixture) -> None:
    life = start_life(timing=timing(close_timeout_s=0.5))
    life.playground.zombie()
    life.stop()
    assert "did not stop in time" not in caplog.text
    assert "is left behind" not in caplog.text


def test_neither_texts_nor_the_token_are_logged(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    life.playground.inject("503", "POST", times=2)
    life.say("a private question")
    life.delivered("a private answer")
    life.playground.drop(4000)
    life.playground.wait_until_online()
    own = [record.getMessage() for record in caplog.records if record.name.startswith(("actors.discord", "discord"))]
    assert own
    assert not [line for line in own if "private" in line or life.playground.bot_token in line]


def _life_at(playground: PlaygroundServer, *, wait: bool = True, **options: object) -> _Started:
    return _Started(lambda: Life(playground, **options), wait)  # type: ignore[arg-type]  # passed on as they are


class _Started:
    """A life that ends with its block."""

    def __init__(self, build: Callable[[], Life], wait: bool) -> None:
        self._life = build()
        self._wait = wait

    def __enter__(self) -> Life:
        return self._life.start(wait=self._wait)

    def __exit__(self, *_: object) -> None:
        self._life.stop()


def test_the_start_waits_for_no_server_when_all_are_known(start_life: StartLife) -> None:
    assert start_life(timing=timing(guild_ready_timeout_s=10 * PATIENCE_S)).online.now()
