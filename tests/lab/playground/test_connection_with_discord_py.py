from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from lab.playground.config import PlaygroundConfig
from lab.playground.gateway import events
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.lab.playground.away import said_while_away
from tests.lab.playground.real_client import Bot, discord

GENERAL = defaults.GENERAL_ID
SENDS = r"POST /channels/\d+/messages$"


def texts_heard(bot: Bot) -> list[str]:
    return [message.content for message in bot.client.messages]


@pytest.mark.parametrize("code", [4000, 1001, 1006])
def test_a_dropped_connection_resumes_and_misses_nothing(playground: PlaygroundServer, bot: Bot, code: int) -> None:
    with said_while_away(playground, "one", "two"):
        assert playground.drop(code) == 1
    bot.client.wait_until(lambda: len(bot.client.messages) >= 2)
    playground.say(GENERAL, "three")
    bot.client.wait_until(lambda: len(bot.client.messages) >= 3)

    assert texts_heard(bot) == ["one", "two", "three"]
    assert playground.counters()["identifies"] == 1
    assert playground.counters()["resumes"] == 1


@pytest.mark.parametrize("ask", [PlaygroundServer.op7, lambda server: server.op9(True)])
def test_a_client_that_is_asked_to_resumes(
    playground: PlaygroundServer, bot: Bot, ask: Callable[[PlaygroundServer], Any]
) -> None:
    with said_while_away(playground, "missed"):
        ask(playground)
    bot.client.wait_until(lambda: "resumed" in bot.client.seen and bool(bot.client.messages))

    assert texts_heard(bot) == ["missed"]


@pytest.mark.slow
def test_an_invalid_session_begins_anew(playground: PlaygroundServer, bot: Bot) -> None:
    playground.op9(False)  # discord.py waits five seconds before it identifies again
    bot.client.wait_until(lambda: bot.client.seen.count("ready") == 2)

    assert playground.counters()["identifies"] == 2


def test_a_resume_can_deliver_an_event_twice(playground: PlaygroundServer, bot: Bot) -> None:
    playground.gateway_faults(duplicate_after_resume=1)
    with said_while_away(playground, "again"):
        playground.drop()
    bot.client.wait_until(lambda: len(bot.client.messages) == 2)

    assert texts_heard(bot) == ["again", "again"]
    assert len({message.id for message in bot.client.messages}) == 1


@pytest.mark.slow
def test_a_silent_socket_is_noticed_and_resumed(start_bot: Callable[..., Bot], playground: PlaygroundServer) -> None:
    bot = start_bot(heartbeat_timeout=1.0)
    assert playground.zombie() == 1
    playground.say(GENERAL, "unheard")
    bot.client.wait_until(lambda: "resumed" in bot.client.seen)
    bot.client.wait_until(lambda: bool(bot.client.messages))

    assert texts_heard(bot) == ["unheard"]


def test_a_wrong_token_is_a_login_failure(playground: PlaygroundServer) -> None:
    bot = Bot(playground)
    try:
        with pytest.raises(discord.LoginFailure):
            bot.start("wrong")
    finally:
        bot.stop()


def test_missing_intents_are_refused() -> None:
    with PlaygroundServer(PlaygroundConfig(allowed_intents=events.INTENT_MEMBERS)) as playground:
        bot = Bot(playground)
        try:
            bot.call(bot.client.login(playground.bot_token))
            with pytest.raises(discord.PrivilegedIntentsRequired):
                bot.connect()
        finally:
            bot.stop()


@pytest.mark.parametrize("kind", ["429-user", "429-global"])
def test_a_429_is_waited_out(playground: PlaygroundServer, bot: Bot, kind: str) -> None:
    playground.inject(kind, SENDS, retry_after_s=0.05)
    bot.call(bot.channel().send("patient"))

    assert [m["content"] for m in playground.messages(GENERAL)] == ["patient"]
    assert [r.status for r in playground.requests("POST", "/messages")] == [429, 200]


def test_a_429_without_via_is_taken_for_a_ban(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("429-without-via", SENDS)
    with pytest.raises(discord.HTTPException) as refused:
        bot.call(bot.channel().send("banned"))

    assert refused.value.status == 429


def test_a_503_is_raised_and_an_html_page_is_no_json(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("503", SENDS)
    playground.inject("html", SENDS, status=403)
    with pytest.raises(discord.DiscordServerError):
        bot.call(bot.channel().send("1"))
    with pytest.raises(discord.Forbidden) as refused:
        bot.call(bot.channel().send("2"))

    assert "<!doctype html>" in refused.value.text
    assert playground.messages(GENERAL) == []


def test_a_500_is_tried_again_by_the_library(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("500", SENDS)
    bot.call(bot.channel().send("stubborn"))

    assert [r.status for r in playground.requests("POST", "/messages")] == [500, 200]


def test_a_connection_cut_before_the_work_leaves_nothing_behind(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("abort-before", SENDS)
    with pytest.raises((aiohttp.ClientError, OSError)):
        bot.call(bot.channel().send("lost", nonce="n"))

    assert playground.messages(GENERAL) == []


def test_a_lost_answer_and_the_same_nonce_make_one_message(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("abort-after", SENDS)
    with pytest.raises((aiohttp.ClientError, OSError)):
        bot.call(bot.channel().send("exactly once", nonce="n"))
    again = bot.call(bot.channel().send("exactly once", nonce="n"))

    assert [int(m["id"]) for m in playground.messages(GENERAL)] == [again.id]
    assert [r.status for r in playground.requests("POST", "/messages")] == [0, 200]


def test_a_delayed_answer_comes_after_its_delay(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("delay", SENDS, delay_s=0.2)
    with pytest.raises(TimeoutError):
        bot.call(bot.channel().send("slow"), timeout_s=0.05)

    assert playground.wait_for_reply(GENERAL, after=0)["content"] == "slow"


def test_a_delay_ends_when_the_faults_are_cleared(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("delay", SENDS, delay_s=600)
    with pytest.raises(TimeoutError):
        bot.call(bot.channel().send("held"), timeout_s=0.05)
    assert not playground.messages(GENERAL)
    playground.clear_faults()

    assert playground.wait_for_reply(GENERAL, after=0)["content"] == "held"


def test_real_rate_limits_make_the_library_wait(playground: PlaygroundServer, bot: Bot) -> None:
    sent = bot.call(bot.channel().send("target"))
    playground.limit_rates()
    for emoji in "👍👎":
        bot.call(sent.add_reaction(emoji))

    assert [record.status for record in playground.requests("PUT", "/reactions/")] == [204, 204]


def test_an_event_the_library_cannot_parse_ends_its_connection(playground: PlaygroundServer) -> None:
    bot = Bot(playground)
    try:
        bot.start()
        playground.dispatch("MESSAGE_CREATE", {"id": "1"})
        with pytest.raises(KeyError):
            bot.wait_for_end()
    finally:
        bot.stop()
