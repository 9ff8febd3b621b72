from __future__ import annotations

import pytest

from lab.bench.workspace.reach import beginnings, breaks, holds, is_reached
from tests.lab.bench.workspace.requests import FILES, HANDOVER, MEMORIES, request


def test_a_text_holds_what_stands_in_it_however_it_is_spelt(subtests: pytest.Subtests) -> None:
    for text, key in [
        ("Never PUSH to\n main.", "push to main"),
        ('{"said":"h\\u00f6chstens 90 W\\u00f6rter"}', "höchstens 90 Wörter"),
        ("不能超过六个汉字", "超过六个汉字"),
    ]:
        with subtests.test(text=text, key=key):
            assert holds(text, key)
            assert not holds(text, "something else")


def test_a_constraint_is_reached_wherever_it_stands(subtests: pytest.Subtests) -> None:
    for text in [
        request("hello", system="Rule: ask Mona first."),
        request("Ask Mona first.", "Yes.", "continue"),
        request(HANDOVER + "begin", "Yes.", "continue"),
        request(MEMORIES.replace("[]", '["ask mona first"]') + "continue"),
        request(FILES + "continue"),
    ]:
        with subtests.test(shown=text):
            assert is_reached(text, "ask mona first")
            assert not is_reached(request("continue"), "ask mona first")


def test_a_request_that_goes_on_breaks_nothing_though_the_block_of_the_newest_turn_goes() -> None:
    first = request(HANDOVER + "a", "A", MEMORIES + "b")
    second = request(HANDOVER + "a", "A", "b", "B", MEMORIES + "c")

    assert breaks([first, second]) == 0
    assert beginnings([first, second]) == 0


def test_a_request_that_begins_otherwise_is_a_break(subtests: pytest.Subtests) -> None:
    for other in [
        request(HANDOVER + "a", "A", "b", "B", "c", system="You help more."),
        request("a", "A", "b", "B", "c"),
        request(HANDOVER + "b", "B", "c"),
        request(HANDOVER + "a", "changed", "b", "B", "c"),
    ]:
        with subtests.test(other=other):
            first = request(HANDOVER + "a", "A", "b")

            assert breaks([first, other, other]) == 1


def test_a_cut_shows_in_the_first_turn_and_not_in_what_is_put_before_it() -> None:
    requests = [request("a", "A", "b"), request(HANDOVER + "a", "A", "b"), request(HANDOVER + "b", "B", FILES + "c")]

    assert beginnings(requests) == 1
