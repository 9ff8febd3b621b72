"""Requests that wait for a person: nothing goes out before the grant, and the command's clock stands still."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.kernel import Actor, ActorSpec
from messages.base import Message
from messages.shell import APPROVAL, SHELL, ApprovalGranted, ApprovalKind, ApprovalRefused, AskApproval, HoldCommands
from messages.socket import Refused
from messages.web import PageRead
from tests.actors.web.bench import Bench, window
from tests.actors.web.test_search import hit, results
from tests.patience import eventually

MakeBench = Callable[..., Bench]


class Probe(Actor):
    """Hears what it is told; the test answers."""

    def __init__(self, heard: list[Message]) -> None:
        super().__init__()
        self._heard = heard

    def handle(self, message: Message) -> None:
        self._heard.append(message)


@pytest.fixture
def heard() -> list[Message]:
    return []


@pytest.fixture
def asking(make_bench: MakeBench, heard: list[Message]) -> Bench:
    bench = make_bench(asks_first=True)
    for address in (APPROVAL, SHELL):
        bench.system.register(ActorSpec(address.kind, lambda _: Probe(heard)))
    return bench


def asked(heard: list[Message], count: int = 1) -> list[AskApproval]:
    def look() -> list[AskApproval]:
        return [each for each in heard if isinstance(each, AskApproval)]

    eventually(lambda: len(look()) >= count)
    return look()


@pytest.mark.req("X-236")
def test_a_page_is_fetched_only_after_a_grant(asking: Bench, heard: list[Message]) -> None:
    request_id = asking.ask_page("/article")
    (question,) = asked(heard)
    assert (question.kind, question.text) == (ApprovalKind.PAGE, f"{asking.site.base}/article")
    assert asking.site.asked == []
    eventually(lambda: HoldCommands(window=window(), holds=True) in heard)

    asking.system.tell(question.reply_to, ApprovalGranted(request_id=question.request_id))

    page = asking.answer(request_id)
    assert isinstance(page, PageRead)
    assert asking.site.asked != []
    eventually(lambda: HoldCommands(window=window(), holds=False) in heard)


@pytest.mark.req("X-236")
def test_a_refused_request_reaches_no_server_and_says_why(asking: Bench, heard: list[Message]) -> None:
    request_id = asking.ask_search("owls of Rotterdam")
    (question,) = asked(heard)
    assert (question.kind, question.text) == (ApprovalKind.SEARCH, "owls of Rotterdam")
    asking.system.tell(question.reply_to, ApprovalRefused(request_id=question.request_id, reason="a person refused."))
    answer = asking.answer(request_id)
    assert isinstance(answer, Refused)
    assert answer.reason == "a person refused."
    assert asking.site.asked == []


def test_another_windows_request_goes_ahead_of_one_that_waits(asking: Bench, heard: list[Message]) -> None:
    asking.site.results = results(hit("Owls", f"{asking.site.base}/article"))
    asking.ask_page("/article")
    other = asking.ask_page("/other", of=window(1))
    question = next(each for each in asked(heard, 2) if each.window == window(1))
    asking.system.tell(question.reply_to, ApprovalGranted(request_id=question.request_id))
    assert not isinstance(asking.answer(other), AskApproval)


def test_what_is_not_permitted_anyway_is_not_asked_about(make_bench: MakeBench, heard: list[Message]) -> None:
    bench = make_bench(asks_first=True, read="off")
    assert "turned off" in bench.page_refusal("/article")
    assert heard == []


def test_at_a_stop_those_who_wait_are_told(asking: Bench, heard: list[Message]) -> None:
    request_id = asking.ask_page("/article")
    asked(heard)
    asking.system.stop()
    answer = asking.answer(request_id)
    assert isinstance(answer, Refused)
    assert "restarted" in answer.reason
