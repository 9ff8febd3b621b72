"""Names of hosts: those that nobody answers for, and those that cannot be names, cost only who asked."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from actors.web import names
from actors.web.actor import REQUESTS_AT_ONCE
from messages.web import PageRead
from tests.actors.web.bench import Bench, window
from tests.actors.web.site import redirect
from tests.actors.web.test_search import hit, results
from tests.patience import PATIENCE_S

MakeBench = Callable[..., Bench]
THREADS_OF_ASYNCIO = min(32, (os.cpu_count() or 1) + 4)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Semaphore]:
    """Counts look-ups of `.silent.example`, which nobody answers before the test is over."""
    begun, over, look_up = threading.Semaphore(0), threading.Event(), socket.getaddrinfo

    def resolve(host: Any, *rest: Any, **more: Any) -> Any:
        if str(host).endswith(".silent.example"):
            begun.release()
            over.wait(60)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return look_up(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    yield begun
    over.set()


def test_names_that_nobody_answers_for_hold_up_no_other_page(
    make_bench: MakeBench, silent: threading.Semaphore
) -> None:
    bench = make_bench(slot_s=0.05)
    for number in range(THREADS_OF_ASYNCIO + REQUESTS_AT_ONCE):
        bench.ask_page(f"http://a{number}.silent.example/", of=window(number))
    for _ in range(THREADS_OF_ASYNCIO):
        assert silent.acquire(timeout=PATIENCE_S)

    assert isinstance(bench.answer(bench.ask_page("/article", of=window(99))), PageRead)


def test_a_name_that_takes_too_long_is_given_up(
    make_bench: MakeBench, silent: threading.Semaphore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "LOOKUP_S", 0.1)
    bench = make_bench()

    assert bench.page_refusal("http://a.silent.example/") == (
        "cannot connect to a.silent.example: the name was not found within 0.1 seconds"
    )
    assert "the name was not found" in bench.page_refusal("http://a.silent.example/other")
    assert silent.acquire(timeout=PATIENCE_S)
    assert not silent.acquire(blocking=False), "a name that hangs is not looked up again"


def test_a_name_that_has_addresses_is_connected_to_at_each(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make_bench()
    kinds = (socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    answer = [(socket.AF_INET, *kinds, (host, bench.site.port)) for host in ("169.254.169.254", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)

    assert "is not a public address" in bench.page_refusal(f"http://rebound.example:{bench.site.port + 1}/article")
    assert bench.page(f"http://both.example:{bench.site.port}/article").title == "On Owls"


def test_what_can_be_no_name_spoils_no_search_and_no_page_that_leads_there(
    bench: Bench, subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["a" * 64 + ".example", "a..example", ".example", "xn--a.example", "b" * 250]
    for host in cases:
        with subtests.test(host=host):
            bench.site.pages["/moved"] = redirect(f"http://{host}/")
            bench.site.results = results(hit("None", f"http://{host}/"), hit("Owls", f"{bench.site.base}/article"))

            assert host in bench.page_refusal(f"http://{host}/")
            assert host in bench.page_refusal("/moved")
            none, owls = (result.content for result in bench.search(content=True).results)
            assert none.startswith("(Error: ")
            assert owls.startswith("# Owls")
