from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.text.running_text import running_text
from lab.playground.gateway.events import Event
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from lab.playground.world.errors import ApiError
from tests.lab.playground.real_client import Bot, discord
from tests.patience import PATIENCE_S

GENERAL = defaults.GENERAL_ID


def test_a_wait_ends_when_the_playground_is_stopped(playground: PlaygroundServer) -> None:
    is_waiting = threading.Event()

    def never(_: Event) -> bool:
        is_waiting.set()
        return False

    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(playground.wait_for, never)
        while not is_waiting.is_set():
            playground.say(GENERAL, "is anybody waiting?")
        playground.stop()
        with pytest.raises(RuntimeError, match="stopped meanwhile"):
            waiting.result(PATIENCE_S)


def test_a_wait_that_is_in_vain_is_a_timeout(playground: PlaygroundServer) -> None:
    message_id = playground.say(GENERAL, "hello?")
    with pytest.raises(TimeoutError):
        playground.wait_for_reply(GENERAL, after=message_id, timeout_s=0.01)
    with pytest.raises(TimeoutError):
        playground.wait_until_online(timeout_s=0.01)

    assert playground.next_events(after=playground.last_event(), timeout_s=0.01) == []


def test_a_subscriber_hears_everything_until_it_leaves(playground: PlaygroundServer) -> None:
    received: list[str] = []
    leave = playground.subscribe(lambda event: received.append(event.name))
    playground.say(GENERAL, "one")
    leave()
    playground.say(GENERAL, "two")

    assert received == ["MESSAGE_CREATE"]
    assert [e.payload["content"] for e in playground.next_events(after=0)] == ["one", "two"]


def test_a_reply_that_grows_by_edits_is_waited_for_until_it_fits(playground: PlaygroundServer, bot: Bot) -> None:
    async def answer(message: discord.Message) -> None:
        sent = await message.channel.send("…")
        for text in ("a", "ab", "abc"):
            await sent.edit(content=text)

    bot.client.answer = answer
    message_id = playground.say(GENERAL, "spell")
    final = playground.wait_for_reply(GENERAL, after=message_id, until=lambda message: message["content"] == "abc")

    assert final["edited_timestamp"] is not None


def test_settled_replies_are_all_of_them_in_their_last_form(playground: PlaygroundServer, bot: Bot) -> None:
    async def answer(message: discord.Message) -> None:
        async with message.channel.typing():
            first = await message.channel.send("first")
        await message.channel.send("second")
        await first.edit(content="first, edited")

    bot.client.answer = answer
    message_id = playground.say(GENERAL, "go")
    replies = playground.settled_replies(GENERAL, after=message_id, quiet_s=0.3)

    assert [reply["content"] for reply in replies] == ["first, edited", "second"]


def test_replies_are_not_settled_while_one_is_still_being_written(playground: PlaygroundServer, bot: Bot) -> None:
    async def answer(message: discord.Message) -> None:
        growing = await message.channel.send(running_text("", "running `sleep 1` …"))
        await message.channel.send("beside it")
        await asyncio.sleep(1)
        await growing.edit(content="whole")

    bot.client.answer = answer
    message_id = playground.say(GENERAL, "go")
    replies = playground.settled_replies(GENERAL, after=message_id, quiet_s=0.1)

    assert [reply["content"] for reply in replies] == ["whole", "beside it"]


def test_requests_and_counters_tell_what_the_bot_did(playground: PlaygroundServer, bot: Bot) -> None:
    playground.inject("429-user", "POST /channels", retry_after_s=0.01)
    bot.call(bot.channel().send("x", allowed_mentions=discord.AllowedMentions.none(), nonce="n"))
    refused, sent = playground.requests("POST", f"/channels/{GENERAL}/messages")
    counters = playground.counters()

    assert (refused.status, refused.fault, sent.status, sent.fault) == (429, "429-user", 200, None)
    assert sent.payload["allowed_mentions"] == {"parse": []}
    assert (sent.payload["nonce"], sent.payload["enforce_nonce"]) == ("n", True)
    assert (counters["messages_by_bot"], counters["faults_fired"], counters["identifies"]) == (1, 1, 1)


def test_half_a_surrogate_pair_reaches_the_bot_and_its_history(playground: PlaygroundServer, bot: Bot) -> None:
    received: list[str] = []

    async def answer(message: discord.Message) -> None:
        received.append(message.content)
        await message.channel.send("heard")

    async def history() -> list[str]:
        return [m.content async for m in bot.channel().history(limit=5, oldest_first=True)]

    bot.client.answer = answer
    message_id = playground.say(GENERAL, "half \ud83d alone")
    playground.wait_for_reply(GENERAL, after=message_id)

    assert received == ["half \ud83d alone"]
    assert bot.call(history())[0] == "half \ud83d alone"


def test_many_threads_can_drive_at_once_and_each_gets_its_own_answer(playground: PlaygroundServer, bot: Bot) -> None:
    async def answer(message: discord.Message) -> None:
        if message.type is discord.MessageType.default:
            await message.channel.send(f"re: {message.content}")

    bot.client.answer = answer
    places = [playground.create_thread(GENERAL, f"t{n}") for n in range(20)]

    def talk(place: int) -> str:
        message_id = playground.say(place, f"from {place}")
        return str(playground.wait_for_reply(place, after=message_id)["content"])

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(talk, places))

    assert answers == [f"re: from {place}" for place in places]


def test_the_callers_mistakes_are_told(playground: PlaygroundServer) -> None:
    with pytest.raises(ValueError, match="gateway fault 'nonsense'"):
        playground.gateway_faults(nonsense=1)
    with pytest.raises(ApiError, match="10003"):
        playground.say(1, "where?")
    with pytest.raises(ApiError, match="10013"):
        playground.say(GENERAL, "who?", user=1)
    with pytest.raises(ValueError, match="component 'x'"):
        playground.click(GENERAL, playground.say(GENERAL, "no buttons"), "x")


def test_what_another_person_says_is_no_reply(playground: PlaygroundServer, bot: Bot) -> None:
    message_id = playground.say(GENERAL, "hello?")
    playground.say(GENERAL, "not me", user=defaults.GUEST_ID)
    bot.call(bot.channel().send("me"))

    assert playground.wait_for_reply(GENERAL, after=message_id)["content"] == "me"
