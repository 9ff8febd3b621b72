"""Arithmetic of a kill campaign's report."""

from __future__ import annotations

import json

from lab.chaos.kills.ledger import WRONG, Tally
from lab.chaos.kills.report import BatchReport, Kill, KillReport


def report_of(*tallies: Tally) -> KillReport:
    batches = tuple(
        BatchReport(
            name=f"s/{number}",
            tally=tally,
            kills=(Kill(life=1, trap=("time", "log")[number - 1], at_s=number - 0.5),),
            starts_s=(3.0, 1.0, 2.0),
            term_s=(0.5, 4.0),
            rows=(1, 3),
            cpu_s=2.5,
            machine=f"machine {number}",
        )
        for number, tally in enumerate(tallies, 1)
    )
    return KillReport(batches=batches)


def test_a_sound_campaign_says_so_in_words_and_as_json() -> None:
    sound = report_of(Tally(said=6, answered=4, given_up=1, taken_back=1), Tally(said=4, answered=3, excused=1))
    assert (sound.is_sound, sound.exactly_once) == (True, 1.0)
    words = "\n".join(sound.lines())
    assert (
        "2 kills (1 at log, 1 at time), seed s, rows 1,3: 1 within a second after a start; 2.50 s CPU a kill" in words
    )
    assert "nothing lost, doubled, altered or left" in words
    document = json.loads(json.dumps(sound.as_dict()))
    assert (document["seed"], document["rows"], document["is_sound"], document["kills"]) == ("s", [1, 3], True, 2)
    assert (document["said"], document["answered"], document["wrong"]) == (10, 7, dict.fromkeys(WRONG, 0))
    assert (document["start_s"], document["slowest_term_s"]) == (2.0, 4.0)
    assert (document["early"], document["cpu_s"]) == (1, 5.0)
    assert document["machines"] == ["machine 1", "machine 2"]


def test_what_is_wrong_in_one_batch_makes_the_campaign_unsound_and_names_the_batch() -> None:
    bad = Tally(said=4, answered=3)
    bad.note("not_answered", "q-1")
    unsound = report_of(Tally(said=6, answered=6), bad)
    assert (unsound.is_sound, unsound.exactly_once) == (False, 0.9)
    text = "\n".join(unsound.lines())
    assert "1 not answered" in text
    assert "--seed s --batch 2" in text
    assert "--batch 1" not in text
    assert "not answered: q-1" in text


def test_what_was_answered_and_never_logged_is_not_exactly_once() -> None:
    bad = Tally(said=10, answered=10)
    bad.note("not_logged", "q-1")
    bad.note("logged_twice", "q-2")
    assert report_of(bad).exactly_once == 0.8


def test_every_count_that_must_be_zero_makes_it_unsound_by_itself() -> None:
    for name in WRONG:
        tally = Tally(said=1, answered=1)
        tally.note(name, "x")
        assert not report_of(tally).is_sound, name


def test_a_report_names_a_few_of_each_kind() -> None:
    bad = Tally()
    for number in range(50):
        bad.note("not_logged", f"q-{number}")
    bad.note("faults", "a rare one")
    named = [line for line in report_of(bad).lines() if line.startswith("  ")]
    assert len(named) == 6
    assert "  faults: a rare one" in named
