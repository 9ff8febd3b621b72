"""Account of killed turns."""

from __future__ import annotations

from lab.bench.durable.instants import Instant, Outcome, Timeline, figures_of, median_gaps, rows_of

GOOD = Outcome(instant=Instant.FIRST_CALL, effects=1, answers=1, goes_on_s=2.0, restart_cpu_s=1.0)


def test_each_kind_of_outcome_is_counted_once() -> None:
    twice = Outcome(instant=Instant.COMMAND_DONE, effects=2, answers=2, goes_on_s=4.0, restart_cpu_s=3.0)
    never = Outcome(instant=Instant.COMMAND_BEGUN, effects=0, answers=1)
    given_up = Outcome(instant=Instant.COMMAND_BEGUN, effects=0, answers=0, is_stopped=True)
    lost = Outcome(instant=Instant.AFTER_POST, effects=1, answers=0)

    assert figures_of((GOOD, twice, never, given_up, lost)) == {
        "kills": 5,
        "answered": 3,
        "stopped": 1,
        "lost": 1,
        "effects_doubled": 1,
        "effects_missing": 1,
        "answers_doubled": 1,
        "goes_on_s": 3.0,
        "restart_cpu_s": 2.0,
    }


def test_an_instant_has_a_row_only_if_a_turn_of_it_went_otherwise() -> None:
    twice = Outcome(instant=Instant.COMMAND_DONE, effects=2, answers=1)

    rows = rows_of("peer", (GOOD, twice), {"cpu_ms": 5.0})

    assert [*rows] == ["peer", "peer: command done"]
    assert (rows["peer"]["kills"], rows["peer"]["cpu_ms"]) == (2, 5.0)
    assert rows["peer: command done"]["effects_doubled"] == 1


def test_what_lies_between_two_steps_is_a_median_and_never_negative() -> None:
    lines = [Timeline(asked_at=0.0, begun=gap, done=1.0, asked_again=0.9, posting=2.0) for gap in (0.1, 0.2, 9.0)]

    gaps = median_gaps(lines)

    assert gaps[Instant.BEFORE_COMMAND] == 0.2
    assert gaps[Instant.AFTER_COMMAND] == gaps[Instant.AFTER_POST] == 0.0
    assert round(gaps[Instant.BEFORE_POST], 6) == 1.1
