"""Arithmetic of a kill campaign's report."""

from __future__ import annotations

import json

from lab.chaos.kills.ledger import WRONG, Tally
from lab.chaos.kills.report import Kill, KillReport, report

KILLS = [Kill(batch="s/1", life=1, trap="time", at_s=0.5), Kill(batch="s/2", life=1, trap="log", at_s=1.5)]


def made(*tallies: Tally) -> KillReport:
    named = [(f"s/{number}", tally, "") for number, tally in enumerate(tallies, 1)]
    return report("s", [3, 1], named, KILLS, starts_s=[3.0, 1.0, 2.0], terms_s=[0.5, 4.0], seconds=5.0)


def test_a_sound_campaign_says_so() -> None:
    sound = made(Tally(said=6, answered=4, given_up=1, taken_back=1), Tally(said=4, answered=3, excused=1))
    assert sound.is_sound
    assert (sound.said, sound.answered, sound.exactly_once) == (10, 7, 1.0)
    assert sound.wrong == dict.fromkeys(WRONG, 0)
    assert (sound.start_s, sound.slowest_term_s, sound.seconds_a_kill, sound.rows) == (2.0, 4.0, 2.5, (1, 3))
    assert sound.by_trap == {"log": 1, "time": 1}
    assert "nothing lost, doubled, altered or left" in "\n".join(sound.lines())


def test_what_is_wrong_in_one_batch_makes_the_campaign_unsound_and_names_the_batch() -> None:
    bad = Tally(said=4, answered=3)
    bad.note("not_answered", "q-1")
    unsound = made(Tally(said=6, answered=6), bad)
    assert not unsound.is_sound
    assert unsound.exactly_once == 0.9
    assert [batch.is_sound for batch in unsound.batches] == [True, False]
    text = "\n".join(unsound.lines())
    assert "--seed s --batch 2" in text
    assert "not answered: q-1" in text


def test_what_was_answered_and_never_logged_is_not_exactly_once() -> None:
    bad = Tally(said=10, answered=10)
    bad.note("not_logged", "q-1")
    bad.note("logged_twice", "q-2")
    assert made(bad).exactly_once == 0.8


def test_every_count_that_must_be_zero_makes_it_unsound_by_itself() -> None:
    for name in WRONG:
        tally = Tally(said=1, answered=1)
        tally.note(name, "x")
        assert not made(tally).is_sound, name


def test_a_report_names_a_few_of_each_kind() -> None:
    bad = Tally()
    for number in range(50):
        bad.note("not_logged", f"q-{number}")
    bad.note("faults", "a rare one")
    (batch,) = made(bad).batches
    assert "faults: a rare one" in batch.details
    assert len(batch.details) == 6


def test_a_report_is_json_with_seed_rows_instants_and_verdict() -> None:
    document = json.loads(json.dumps(made(Tally()).as_dict()))
    assert (document["seed"], document["rows"], document["is_sound"]) == ("s", [1, 3], True)
    assert document["at"][1] == {"batch": "s/2", "life": 1, "trap": "log", "at_s": 1.5}
