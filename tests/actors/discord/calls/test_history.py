from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from actors.discord.calls.history import PAGE, Page, read_page
from actors.discord.calls.parsing import UnreadableAnswerError
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults


def raw(number: int, **fields: Any) -> dict[str, Any]:
    """A message as Discord sends it."""
    author = {"id": "7", "username": "you", "discriminator": "0", "avatar": None}
    return {"id": str(number), "channel_id": "1", "type": 0, "content": str(number), "author": author, **fields}


GARBLED = {"type": None}


class Pages:
    """Discord's history of one channel: gives scripted answers, and keeps the requests."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.asked: list[dict[str, Any]] = []

    async def logs_from(self, channel_id: int, limit: int, **bounds: Any) -> object:
        assert (channel_id, limit) == (1, PAGE)
        self.asked.append(bounds)
        return self._answers.pop(0)


def read(pages: Pages, **bounds: Any) -> Page:
    async def run() -> Page:
        client = discord.Client(intents=discord.Intents.none(), max_messages=None)
        channel = client.get_partial_messageable(1)
        client._connection.http = cast(Any, SimpleNamespace(logs_from=pages.logs_from))
        return await read_page(channel, **bounds)

    return asyncio.run(run())


def ids(page: Page) -> list[int]:
    return [message.id for message in page.messages]


def test_a_message_that_cannot_be_read_costs_only_itself(
    caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    broken_messages: list[dict[str, Any]] = [
        GARBLED,
        {"type": None, "content": None, "author": None},
        {"author": "ann"},
        {"mentions": [None]},
        {"timestamp": "yesterday", "edited_timestamp": "yesterday"},
    ]
    for broken in broken_messages:
        caplog.clear()
        with subtests.test(broken=broken), caplog.at_level(logging.ERROR):
            page = read(Pages([raw(4), raw(3, **broken), raw(2)]), after=1)
            assert (ids(page), page.unreadable, page.oldest, page.newest, page.is_last) == ([2, 4], 1, 2, 4, True)
            assert "message 3 could not be read" in caplog.text


def test_a_part_that_discord_py_cannot_read_costs_nothing() -> None:
    """discordjs/discord.js#10328, #3892, nonebot/adapter-discord#77: null, missing and new fields of parts."""
    parts: list[dict[str, Any]] = [
        {"attachments": [{"id": "1", "filename": "without a size"}]},
        {"attachments": None, "content": None, "reactions": None},
        {"embeds": "no list"},
        {"poll": {}},
        {"message_snapshots": [{}]},
        {"thread": 5, "components": [{"type": 1, "components": 3}]},
        {
            "interaction_metadata": {},
            "call": {},
            "activity": 3,
            "role_subscription_data": {},
            "message_reference": None,
        },
    ]
    pages = [read(Pages([raw(4), raw(3, **part), raw(2)]), after=1) for part in parts]
    assert [part for part, page in zip(parts, pages, strict=True) if ids(page) != [2, 3, 4]] == []


def test_the_ends_of_a_page_count_what_cannot_be_read_there() -> None:
    page = read(Pages([raw(9, **GARBLED), raw(8), raw(7, **GARBLED)]), after=1)
    assert (page.oldest, page.newest, page.unreadable) == (7, 9, 2)


def test_an_answer_to_a_message_that_cannot_be_read_is_read() -> None:
    reference = {"channel_id": "1", "message_id": "2"}
    answer = raw(3, message_reference=reference, referenced_message=raw(2, **GARBLED))
    page = read(Pages([answer]), after=1)
    assert ids(page) == [3]
    assert page.messages[0].reference is not None
    assert page.messages[0].reference.message_id == 2


def test_entries_without_an_id_are_counted_and_left_out() -> None:
    page = read(Pages([raw(2), {"content": "without"}, None, 5, "text"]), after=1)
    assert (ids(page), page.unreadable) == ([2], 4)


@pytest.mark.parametrize("answer", [None, "<html>", {}, [None], [{"id": None}, {"id": "x"}]])
def test_an_answer_that_is_no_page_is_a_failure_and_no_end(answer: object) -> None:
    with pytest.raises(UnreadableAnswerError):
        read(Pages(answer))


def test_a_full_page_is_not_the_last_whatever_of_it_can_be_read() -> None:
    page = read(Pages([raw(number, **GARBLED) for number in range(PAGE, 0, -1)]))
    assert (ids(page), page.is_last, page.newest) == ([], False, PAGE)
    assert read(Pages([])) == Page(messages=(), unreadable=0, oldest=0, newest=0, is_last=True)


def test_backwards_nothing_at_or_below_the_bound_is_given_and_the_page_that_reaches_it_is_the_last() -> None:
    pages = Pages([raw(number) for number in range(299, 199, -1)])
    page = read(pages, after=205, before=300)
    assert pages.asked == [{"before": 300}]
    assert (ids(page), page.is_last) == (list(range(206, 300)), True)
    assert not read(Pages([raw(number) for number in range(299, 199, -1)]), after=199, before=300).is_last


def test_what_discord_py_reads_by_itself_is_the_same(playground: PlaygroundServer) -> None:
    """Against a server, through a real HTTP client."""
    said = [playground.say(defaults.GENERAL_ID, str(number)) for number in range(PAGE + 5)]
    playground.garble(said[3])

    async def run() -> tuple[Page, Page]:
        client = discord.Client(intents=discord.Intents.none(), max_messages=None)
        async with client:
            await client.login(playground.bot_token)
            channel = client.get_partial_messageable(defaults.GENERAL_ID)
            first = await read_page(channel, after=said[0] - 1)
            return first, await read_page(channel, after=first.newest)

    discord.http.Route.BASE, usual = playground.api_base, discord.http.Route.BASE
    try:
        first, second = asyncio.run(run())
    finally:
        discord.http.Route.BASE = usual
    assert [*ids(first), *ids(second)] == [number for number in said if number != said[3]]
    assert (first.is_last, second.is_last) == (False, True)
