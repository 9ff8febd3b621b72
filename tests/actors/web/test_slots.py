"""Slots of the web: pages that are slow on purpose, from however many windows, keep nobody out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from aiohttp import web

from actors.web.actor import MOST_OF_WINDOW, REQUESTS_AT_ONCE
from actors.web.page import PAGES_OF_REQUEST, PageReader
from messages.socket import Refused
from messages.web import PageRead
from tests.actors.web.bench import Bench, window
from tests.actors.web.site import ARTICLE
from tests.actors.web.test_search import hit, results
from tests.patience import PATIENCE_S

MakeBench = Callable[..., Bench]
GAVE_WAY = "not done within 0.2 seconds, and others are waiting for the web"


def test_slow_pages_in_every_slot_give_way_to_who_waits(make_bench: MakeBench, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["slow", "drip"]
    for kind in cases:
        with subtests.test(kind=kind):
            bench = make_bench(slot_s=0.2)
            bench.site.pages["/slow"] = getattr(bench.site, kind)
            first, *_ = [bench.ask_page("/slow", of=window(number)) for number in range(REQUESTS_AT_ONCE)]

            assert isinstance(bench.answer(bench.ask_page("/article", of=window(99))), PageRead)

            gave_way = bench.answer(first)
            assert isinstance(gave_way, Refused)
            assert gave_way.reason == GAVE_WAY


def test_who_asks_again_and_again_gets_no_more_than_his_turns(make_bench: MakeBench) -> None:
    bench = make_bench(slot_s=2.0)
    bench.site.pages["/slow"] = bench.site.slow
    for number in range(2 * REQUESTS_AT_ONCE):
        for _ in range(5):
            bench.ask_page("/slow", of=window(number))

    page = bench.ask_page("/article", of=window(99))

    refused = 0
    while getattr(answer := bench.edge.receive(PATIENCE_S), "request_id", "") != page:
        refused += 1
    assert isinstance(answer, PageRead)
    assert refused <= 2 * REQUESTS_AT_ONCE


def test_where_nobody_waits_a_slow_page_has_its_time(make_bench: MakeBench) -> None:
    bench = make_bench(slot_s=0.01, single_page_s=0.4)
    bench.site.pages["/slow"] = bench.site.slow
    pages = [bench.ask_page("/slow", of=window(number)) for number in range(REQUESTS_AT_ONCE)]
    own = bench.ask_page("/slow", of=window(0))

    answers = [bench.answer(page) for page in (*pages, own)]

    assert [each.reason for each in answers if isinstance(each, Refused)] == ["no answer within 0.4 seconds"] * len(
        answers
    )


def test_the_requests_of_one_window_take_no_room_from_others(bench: Bench) -> None:
    bench.site.pages["/slow"] = bench.site.slow
    many = [bench.ask_page("/slow") for _ in range(MOST_OF_WINDOW + 1)]

    refused = bench.answer(bench.ask_page("/slow"))

    assert isinstance(refused, Refused)
    assert "requests of this window are waiting for the web already" in refused.reason
    assert isinstance(bench.answer(bench.ask_page("/article", of=window(1))), PageRead)
    assert len(many) == MOST_OF_WINDOW + 1


def test_one_search_reads_a_few_pages_at_a_time(bench: Bench) -> None:
    open_now: list[int] = [0]
    most = [0]

    async def page(_request: web.Request) -> web.StreamResponse:
        open_now[0] += 1
        most[0] = max(most[0], open_now[0])
        await asyncio.sleep(0.02)
        open_now[0] -= 1
        return web.Response(text=ARTICLE, content_type="text/html")

    bench.site.pages["/page"] = page
    bench.site.results = results(*(hit("A", f"{bench.site.base}/page?{number}") for number in range(12)))

    found = bench.search(content=True, count=12).results

    assert all(result.content.startswith("# Owls") for result in found)
    assert most == [PAGES_OF_REQUEST]


def test_a_page_that_gave_way_is_extracted_beside_no_other(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make_bench(slot_s=0.03)
    running, most, go_on = [0], [0], threading.Event()
    extract = PageReader._article

    def slowly(reader: PageReader, page: object) -> object:
        running[0] += 1
        most[0] = max(most[0], running[0])
        go_on.wait(0.1)
        running[0] -= 1
        return extract(reader, page)  # type: ignore[arg-type]

    monkeypatch.setattr(PageReader, "_article", slowly)
    pages = [bench.ask_page("/article", of=window(number)) for number in range(REQUESTS_AT_ONCE + 2)]

    answers = [bench.answer(page) for page in pages]

    assert any(isinstance(answer, Refused) for answer in answers)
    assert most == [1]
