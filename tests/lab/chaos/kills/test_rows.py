"""The schedule of a kill campaign: by its seed, and of the rows that were asked for."""

from __future__ import annotations

import random

import pytest

from lab.chaos.kills.rows import ROWS, Act, Change, Harm, Life, Say, Talk, Trap, parse_rows, plan_life

MANY = 600


def lives(rows: frozenset[int], seed: str = "seed") -> list[Life]:
    choices = random.Random(seed)
    return [plan_life(choices, rows, has_dms=True) for _ in range(MANY)]


def harms(rows: frozenset[int]) -> set[int]:
    acts = [act for life in lives(rows) for act in (*life.before, *(act for _, act in life.during))]
    return {act.row for act in acts if isinstance(act, Harm)}


def test_rows_are_named_by_numbers_and_ranges_and_others_are_refused() -> None:
    named = {"1": {1}, "1, 3": {1, 3}, "36-38,1": {1, 36, 37, 38}, "5-12": {5, 10, 11, 12}}
    assert {text: parse_rows(text) for text in named} == named
    for text in ("", "one", "1-", "-3", "48", "6-9", "1,2,99", "3-1"):
        with pytest.raises(ValueError, match=r"^rows? "):
            parse_rows(text)


def test_a_seed_gives_the_same_lives_again() -> None:
    every = frozenset(ROWS)
    assert lives(every) == lives(every)
    assert lives(every) != lives(every, "another seed")
    assert all([at for at, _ in life.during] == sorted(at for at, _ in life.during) for life in lives(every))


def test_every_row_is_brought_about_sooner_or_later() -> None:
    by_harm = {5, 10, 11, 12, 14, 17, 22, 36, 37, 38, 39, 42, 49}
    assert harms(frozenset(ROWS)) == by_harm
    assert {life.trap for life in lives(frozenset(ROWS))} == set(Trap)
    wants = {act.wants for life in lives(frozenset(ROWS)) for act in life.before if isinstance(act, Say)}
    assert {"malformed", "huge", "tool", "big"} <= wants


def test_a_row_that_was_not_asked_for_does_not_come() -> None:
    assert [row for row in ROWS if row in harms(frozenset(ROWS) - {row})] == []


def test_one_row_alone_brings_its_own_kills_only() -> None:
    assert {life.trap for life in lives(frozenset({2}))} == {Trap.LOG}
    assert {life.trap for life in lives(frozenset({4}))} == {Trap.MODEL}
    assert {life.trap for life in lives(frozenset({39}))} == {Trap.TIME, Trap.HISTORY}


def test_a_third_of_the_lives_end_within_a_second_after_a_start() -> None:
    ends = [(life.trap, life.at_most_s, life.after_s) for life in lives(frozenset(ROWS))]
    early = [each for each in ends if each[0] in (Trap.START, Trap.ONLINE)]
    assert len(early) >= MANY / 3
    assert all(at_most_s <= 1.0 for trap, at_most_s, _ in early if trap is Trap.START)
    assert all(after_s <= 1.0 for *_, after_s in early)
    assert {trap for trap, _, _ in early} == {Trap.START, Trap.ONLINE}


def test_people_change_messages_attach_files_and_talk_to_the_gateway_where_it_was_asked_for() -> None:
    def acts(rows: frozenset[int]) -> list[Act]:
        return [act for life in lives(rows) for act in (*life.before, *(act for _, act in life.during))]

    every, without = acts(frozenset(ROWS)), acts(frozenset(ROWS) - {50, 51, 52})
    assert {each.is_deletion for each in every if isinstance(each, Change)} == {True, False}
    assert any(isinstance(each, Talk) for each in every)
    assert any(isinstance(each, Say) and each.file_bytes for each in every)
    assert not any(isinstance(each, Change | Talk) for each in without)
    assert not any(isinstance(each, Say) and each.file_bytes for each in without)
