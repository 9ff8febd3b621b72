"""Judgement of what killed gateways keep."""

from __future__ import annotations

import dataclasses

import pytest

from lab.bench.facts.store import Entry, Stored
from lab.bench.facts.verdict import COUNTED, ClientMessage, judge_kept
from lab.bench.facts.words import fact, message
from lab.chaos.lives.campaign import run
from lab.chaos.lives.gateway import GATEWAY

ANSWERED = ClientMessage("talk", "life", 1, "noted", is_stream=False)
STREAMED = ClientMessage("talk", "life", 2, "noted too", is_stream=True)
CUT_OFF = ClientMessage("talk", "life", 3, "", is_stream=False)


def entry(role: str, body: str, path: str = "entries/talk/x.md", conversation: str = "talk") -> Entry:
    return Entry(path, role, conversation, body)


WHOLE = (
    entry("user", message("life", 1)),
    entry("assistant", "noted"),
    entry("memory", fact("life", 1)),
    entry("user", message("life", 2)),
    entry("assistant", "noted too"),
    entry("memory", fact("life", 2)),
)


def figures(*entries: Entry, sent: tuple[ClientMessage, ...] = (ANSWERED, STREAMED, CUT_OFF)) -> dict[str, int]:
    counts = judge_kept(sent, Stored(entries, ()))
    return {name: counts[name] for name in COUNTED[3:] if counts[name]}


def test_what_was_answered_must_be_kept_and_what_was_cut_off_may_be() -> None:
    assert figures(*WHOLE) == {}
    assert figures(*WHOLE, entry("user", message("life", 3)), entry("memory", fact("life", 3))) == {}
    counts = judge_kept((ANSWERED, CUT_OFF), Stored(WHOLE, ("x: half",)))
    assert (counts["said"], counts["answered"], counts["files"], counts["broken"]) == (2, 1, len(WHOLE), 1)


@pytest.mark.req("X-225")
def test_a_message_that_is_sent_again_counts_once_and_by_its_last_answer() -> None:
    again = dataclasses.replace(CUT_OFF, answer="noted at last", is_retry=True)
    entries = (*WHOLE, entry("user", message("life", 3)), entry("memory", fact("life", 3)))
    sent = (ANSWERED, STREAMED, CUT_OFF, again)
    counts = judge_kept(sent, Stored((*entries, entry("assistant", "noted at last")), ()))
    assert (counts["said"], counts["answered"], counts["retried"]) == (3, 3, 1)
    assert figures(*entries, sent=sent) == {"answers_lost": 1}
    twice = (*entries, entry("user", message("life", 3)), entry("assistant", "noted at last"))
    assert figures(*twice, sent=sent) == {"turns_doubled": 1}


def test_each_thing_that_is_missing_is_counted_as_what_it_is() -> None:
    for place, lost in enumerate(("words_lost", "answers_lost", "facts_lost", "words_lost", "streams_lost")):
        missing = WHOLE[place]
        moved = entry(missing.role, missing.body, "entries/talk/deleted/x.md")
        elsewhere = entry(missing.role, missing.body, conversation="other")
        assert figures(*(each for each in WHOLE if each is not missing)) == {lost: 1}
        for other in (moved, elsewhere):
            assert figures(*(each if each is not missing else other for each in WHOLE)) == {lost: 1}, other


def test_what_is_there_twice_is_counted() -> None:
    for each in WHOLE:
        name = "facts_doubled" if each.role == "memory" else "turns_doubled"
        assert figures(*WHOLE, each) == {name: 1}
    twice = (entry("memory", fact("life", 3)), entry("memory", fact("life", 3)))
    assert figures(*twice, sent=(CUT_OFF,)) == {"facts_doubled": 1}


@pytest.mark.slow
def test_a_gateway_is_killed_and_whole_answers_and_facts_are_kept() -> None:
    report = run(GATEWAY, 2, "test")

    assert report.is_sound, report
    assert report.counts["answered"] > 0
