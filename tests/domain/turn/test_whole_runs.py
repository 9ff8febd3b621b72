"""Of a stream that somebody comes upon in its middle, whole runs are shown."""

from __future__ import annotations

import json

import pytest

from domain.turn.whole_runs import WholeRuns


def shown(*events: tuple[str, str, str]) -> list[int]:
    """Places of the events that are shown; each is a window, a run and a type."""
    runs = WholeRuns()
    lines = [json.dumps({"window": window, "run": run, "type": kind}) for window, run, kind in events]
    return [place for place, line in enumerate(lines) if runs.shows(line)]


@pytest.mark.req("S0-98f")
def test_a_run_whose_beginning_was_not_seen_is_left_out_and_the_next_is_not() -> None:
    assert shown(
        ("a", "1", "turn_end"), ("a", "1", "agent_end"), ("a", "2", "agent_start"), ("a", "2", "agent_end")
    ) == [2, 3]


def test_windows_are_told_apart() -> None:
    assert shown(
        ("a", "1", "agent_start"), ("b", "2", "turn_end"), ("b", "2", "agent_end"), ("a", "1", "agent_end")
    ) == [
        0,
        3,
    ]


def test_of_a_run_whose_beginning_was_missed_nothing_is_shown_though_the_one_before_had_no_end() -> None:
    assert shown(
        ("a", "1", "agent_start"), ("a", "2", "turn_end"), ("a", "2", "agent_end"), ("a", "1", "turn_end")
    ) == [
        0,
        3,
    ]


def test_a_run_that_begins_anew_in_a_later_life_is_shown() -> None:
    assert shown(("a", "1", "turn_end"), ("a", "1", "agent_start"), ("a", "1", "agent_end"), ("a", "1", "x")) == [1, 2]
