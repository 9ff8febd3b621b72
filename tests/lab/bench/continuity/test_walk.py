"""Rules that were only said: a short walk in each of the modes that differ."""

from __future__ import annotations

import pytest

from lab.bench.continuity.rules import LISTS
from lab.bench.continuity.walk import measure_mode


def test_three_lists_of_rules_in_six_languages_have_deciding_words_that_stand_in_no_other_rule() -> None:
    failures: list[tuple[str, object]] = []
    for name, least in (("first", 60), ("second", 60), ("third", 24)):
        rules = [rule for each in LISTS[name].values() for rule in each]
        if len(LISTS[name]) != 6 or len(rules) < least:
            failures.append((name, len(rules)))
        failures += [(name, rule.key) for rule in rules if sum(rule.key in each.text for each in rules) != 1]
    assert not failures


@pytest.mark.req("S4-99", "X-226")
def test_rules_that_were_only_said_stay_in_sight_and_no_turn_waits_twice_whatever_the_workers_do() -> None:
    failures: list[tuple[str, object]] = []
    walks = (
        ("off", "ja", "first"),
        ("failing_late", "de", "first"),
        ("hanging", "es", "second"),
        ("slow", "fr", "second"),
        ("garbage", "zh", "third"),
    )
    for mode, language, rules in walks:
        outcome = measure_mode(mode, (language,), 60, rules)
        figures = outcome.figures()
        if min(figures["cut_share"], figures["new_share"]) < 0.9:
            failures.append((mode, outcome.missed))
        if outcome.delayed or outcome.breaks != outcome.cuts or outcome.cuts < 2:
            failures.append((mode, figures))
    assert not failures
