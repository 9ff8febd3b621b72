"""Ageing: what is shown, what lingers and what goes, to the letter and as it is by default."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.objects.ageing import Keep
from tests.domain.objects.story import LETTER, Story


def long(mark: str, tokens: int) -> str:
    """A text of so many tokens."""
    return f"<{mark}>" + "x" * (4 * tokens - len(mark) - 2)


@pytest.mark.req("S3-17", "X-94")
def test_of_seven_outputs_of_a_turn_the_last_five_are_shown() -> None:
    story = Story()
    story.turn()
    for number in range(7):
        story.run(f"<out {number}>")
    words = story.request()
    assert [f"<out {number}>" in words for number in range(7)] == [False] * 2 + [True] * 5
    assert all(f"[output t{number}: exit 0, 7 characters]" in words for number in range(1, 8))


@pytest.mark.req("S3-18", "X-94")
def test_an_output_stays_for_three_turns() -> None:
    story, seen = Story(), []
    story.turn()
    story.run("<out>")
    for _ in range(4):
        seen.append("<out>" in story.request())
        story.turn()
    assert seen == [True, True, True, False]


@pytest.mark.req("S3-19")
def test_what_is_pinned_neither_ages_nor_is_crowded_out() -> None:
    story = Story(replace(LETTER, active_tokens=50))
    story.turn()
    pinned = story.run(long("out", 60))
    story.switch(pinned, "pinned")
    for _ in range(6):
        story.turn()
        for number in range(6):
            story.run(f"<other {number}>")
        story.request()
    assert "<out>" in story.request()
    story.switch(pinned, "unpinned")
    story.switch(pinned, "inactive")
    assert "<out>" not in story.request()


def test_more_is_pinned_than_there_is_room_for() -> None:
    story = Story(Keep(pinned_tokens=100, active_tokens=0, linger_tokens=0, big_tokens=0))
    story.turn()
    for mark in "abc":
        story.write(mark, long(mark, 60))
        story.cat(mark)
        story.switch(f"f{'abc'.index(mark) + 1}", "pinned")
    story.request()
    story.turn()
    words = story.request()
    assert [f"<{mark}>" in words for mark in "abc"] == [False, False, True]


def test_files_share_a_budget_and_the_least_recently_touched_goes() -> None:
    story = Story(Keep(active_tokens=100, linger_tokens=0, big_tokens=0))
    story.turn()
    for mark in "abc":
        story.write(mark, long(mark, 40))
        story.cat(mark)
        story.request()
    story.cat("a")
    story.request()
    story.turn()
    words = story.request()
    assert [f"<{mark}>" in words for mark in "abc"] == [True, False, True]


def test_the_budget_touches_nothing_that_was_not_shown_yet() -> None:
    story = Story(Keep(active_tokens=10, linger_tokens=0, big_tokens=0))
    story.turn()
    story.write("a", long("a", 40))
    story.cat("a")
    assert "<a>" in story.request()
    story.turn()
    assert "<a>" not in story.request()


def test_what_has_aged_lingers_until_there_is_too_much_of_it() -> None:
    story, seen = Story(Keep(results=1, linger_tokens=100, big_tokens=0)), []
    story.turn()
    for number in range(5):
        story.run(long(str(number), 40))
        words = story.request()
        seen.append([at for at in range(number + 1) if f"<{at}>" in words])
    assert seen == [[0], [0, 1], [0, 1, 2], [3], [3, 4]]


def test_what_has_aged_behind_a_text_that_goes_goes_with_it() -> None:
    story = Story(Keep(results=1, linger_tokens=1000, big_tokens=0))
    story.turn()
    story.run(long("before", 10))
    story.write("a", long("a", 10))
    story.cat("a")
    story.run(long("behind", 10))
    story.run(long("last", 10))
    words = story.request()
    assert all(f"<{mark}>" in words for mark in ("before", "a", "behind", "last"))
    story.switch("f1", "inactive")
    words = story.request()
    assert [f"<{mark}>" in words for mark in ("before", "a", "behind", "last")] == [True, False, False, True]


def test_what_has_aged_goes_where_the_request_is_another_anyway() -> None:
    story = Story(Keep(results=1, linger_tokens=1000, big_tokens=0))
    first = story.turn()
    story.run(long("zero", 10))
    story.run(long("one", 10))
    story.request()
    second = story.turn()
    story.run(long("two", 10))
    story.run(long("three", 10))
    words = story.request(cut=second)
    assert [f"<{mark}>" in words for mark in ("zero", "one", "two", "three")] == [True, True, False, True]
    words = story.request(cut=first)
    assert [f"<{mark}>" in words for mark in ("zero", "one", "two", "three")] == [False, True, False, True]


def test_a_long_output_goes_with_its_turn_and_lingers_in_that_only_while_there_is_room() -> None:
    roomy = Keep(results=2, active_tokens=100, linger_tokens=100, big_tokens=50)
    for keep, expected in ((roomy, [True] * 3), (replace(roomy, active_tokens=10), [False, True, True])):
        story = Story(keep)
        story.turn()
        for number in range(3):
            story.run(long(str(number), 60))
        words = story.request()
        assert [f"<{at}>" in words for at in range(3)] == expected
        story.turn()
        words = story.request()
        assert not any(f"<{at}>" in words for at in range(3))


def test_when_too_much_has_gathered_half_of_the_budget_goes_along() -> None:
    story = Story(Keep(active_tokens=100, linger_tokens=30, big_tokens=0))
    story.turn()
    for mark in "abcd":
        story.write(mark, long(mark, 25))
        story.cat(mark)
        story.request()
    for mark, expected in (("e", "abcde"), ("f", "ef")):
        story.write(mark, long(mark, 25))
        story.cat(mark)
        story.request()
        story.turn()
        words = story.request()
        assert [each for each in "abcdef" if f"<{each}>" in words] == list(expected)


@pytest.mark.req("S3-11", "S3-37")
def test_what_is_deactivated_is_gone_from_the_next_request_and_can_come_back() -> None:
    story = Story(Keep())
    story.turn()
    name = story.run("<out>")
    assert "<out>" in story.request()
    story.switch(name, "inactive")
    assert "<out>" not in story.request()
    story.switch(name, "active")
    story.run("active: t1", manages=True)
    words = story.request()
    assert words.index("active: t1") < words.index("<out>")
    assert words.count("<out>") == 1


def test_commands_that_only_manage_are_shown_and_do_not_count() -> None:
    story = Story(LETTER)
    story.turn()
    for number in range(5):
        story.run(f"<out {number}>")
    for number in range(9):
        story.run(f"<managed {number}>", manages=True)
    for _ in range(2):
        words = story.request()
        assert all(f"<managed {number}>" in words for number in range(9))
        assert all(f"<out {number}>" in words for number in range(5))
        story.turn()


def test_of_what_managed_objects_the_newest_stays_and_not_more_than_a_little() -> None:
    story = Story(LETTER)
    story.turn()
    for number in range(9):
        story.run(long(f"managed {number}", 400), manages=True)
        story.turn()
    words = story.request()
    assert [number for number in range(9) if f"<managed {number}>" in words] == [4, 5, 6, 7, 8]


def test_whatever_is_shown_and_not_pinned_has_one_bound() -> None:
    story = Story(Keep(pinned_tokens=50, active_tokens=200, linger_tokens=100, total_tokens=400, big_tokens=50))
    for turn in range(4):
        story.turn()
        for number in range(8):
            name = f"{turn}{number}"
            story.write(name, long(name, 60))
            story.cat(name)
            story.run(long(f"out {name}", 60))
            if number % 3 == 0:
                story.request()
            if number == 5:
                story.switch(f"f{story.objects.last_file}", "pinned")
        story.request()
        assert sum(slot.tokens for slot in story.objects.slots) <= 450
        assert story.objects.slots[-1].object == f"t{story.objects.last_output}"


def test_outputs_that_the_model_asked_for_are_put_away_by_the_budget() -> None:
    story = Story(Keep(active_tokens=100, linger_tokens=0, big_tokens=0))
    story.turn()
    wanted = story.run(long("wanted", 60))
    for _ in range(4):
        story.turn()
        story.request()
    story.switch(wanted, "active")
    story.run("active", manages=True)
    assert "<wanted>" in story.request()
    story.write("a", long("a", 60))
    story.cat("a")
    story.request()
    story.turn()
    words = story.request()
    assert ("<a>" in words, "<wanted>" in words) == (True, False)
