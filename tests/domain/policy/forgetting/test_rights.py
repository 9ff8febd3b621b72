"""Rights of forgetting, and which texts and search results a request takes along."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.policy.forgetting.rights import (
    NO_ACCOUNT,
    NOT_ALL_YOURS,
    Asker,
    asker_of,
    excerpts,
    on_topic,
    people,
    refusal,
    repeatable_texts,
)
from messages.base import EventId, Surface, UserId, Window
from messages.forget import ForgettableEvent, Scope, ScopeKind
from messages.memory import FoundMemory

CHANNEL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000012")
DIRECT = Window(surface=Surface.DISCORD_DM, id="910000000000000013")
AT = datetime(2026, 11, 29, tzinfo=UTC)


def event(text: str, author: str = "111", typed: str = "") -> ForgettableEvent:
    return ForgettableEvent(
        event_id=EventId("e1"), path="logs/x.md", line=1, at=AT, author_id=UserId(author), text=text, typed=typed
    )


def memory(words: float, similarity: float) -> FoundMemory:
    return FoundMemory(
        path="logs/x.md",
        line=1,
        at=AT,
        role="user",
        author="Anne",
        window=CHANNEL.address.key,
        pinned=False,
        excerpt="",
        truncated=False,
        score=0.0,
        similarity=similarity,
        recency=0.0,
        repetition=0.0,
        words=words,
    )


@pytest.mark.req("X-247")
def test_everyones_words_are_an_operators_a_managers_in_the_window_and_a_persons_in_a_direct_one() -> None:
    anne = asker_of("111", ["444"], CHANNEL, manages_messages=False)
    manager = asker_of("111", ["444"], CHANNEL, manages_messages=True)
    operator = asker_of("444", ["444"], CHANNEL, manages_messages=False)
    direct = asker_of("111", ["444"], DIRECT, manages_messages=False)
    limits = [[asker.limit_in(window) for window in (CHANNEL, THREAD, DIRECT)] for asker in (anne, manager, operator)]
    assert limits == [["111", "111", "111"], ["", "111", "111"], ["", "", ""]]
    assert (direct.limit_in(DIRECT), direct.limit_in(CHANNEL)) == ("", "111")
    assert asker_of("", [], CHANNEL, manages_messages=False).limit_in(THREAD) == ""


@pytest.mark.req("X-247")
def test_whole_windows_and_other_people_are_refused_without_the_right() -> None:
    anne = Asker(account="111", is_operator=False)
    refused = {
        kind: refusal(Scope(kind=kind, window=CHANNEL, person_id="222"), anne)
        for kind in ScopeKind
        if kind is not ScopeKind.REPEATED
    }
    assert {kind for kind, reason in refused.items() if reason == NOT_ALL_YOURS} == {
        ScopeKind.WINDOW,
        ScopeKind.EXPIRED,
        ScopeKind.PERSON,
    }
    assert refusal(Scope(kind=ScopeKind.PERSON, window=CHANNEL, person_id="111"), anne) == ""
    for asker in (anne, Asker(account="", is_operator=True)):
        assert refusal(Scope(kind=ScopeKind.PERSON, window=CHANNEL, person_name="Bob"), asker) == NO_ACCOUNT
    operator = Asker(account="", is_operator=True)
    assert refusal(Scope(kind=ScopeKind.WINDOW, window=CHANNEL), operator) == ""
    assert refusal(Scope(kind=ScopeKind.REPEATED, window=CHANNEL), operator)


def test_a_topic_is_what_has_its_words_or_is_near_and_nothing_where_all_is_far() -> None:
    by_words, near, far = memory(0.8, 0.3), memory(0.0, 0.9), memory(0.1, 0.6)
    assert on_topic([near, by_words, far]) == [near, by_words]
    assert on_topic([memory(0.0, 0.2), memory(0.0, 0.1)]) == []
    assert on_topic([]) == []


def test_only_long_words_of_people_are_looked_for_elsewhere_typed_ones_by_themselves() -> None:
    long, short, with_file = "the owl of the barn", "an owl", "the owl of the barn\n[file notes.txt]"
    events = [event(f" {long} "), event(short), event(with_file, typed=long), event("Done, as you asked.", author="")]
    assert repeatable_texts(events) == (long, with_file)


def test_excerpts_are_the_first_and_the_newest_in_one_line_each() -> None:
    texts = [f"text {number}\nof many" for number in range(9)]
    beginnings = excerpts([event(text) for text in (*texts, " ", "x" * 500)])
    assert beginnings[:3] == ("text 0 of many", "text 1 of many", "text 2 of many")
    assert (len(beginnings), len(beginnings[-1]), beginnings[-1][-1]) == (4, 120, "…")
    assert people([event("a", "1"), event("b", "2"), event("c", "1"), event("d", "")]) == 2
