from __future__ import annotations

import random
from dataclasses import replace

from lab.chaos.curated.documents import document, try_documents


def test_every_law_holds_for_documents_of_chance() -> None:
    ticks: list[int] = []
    report = try_documents(300, "test", ticks.append)
    assert report.is_sound, report
    assert report.pages > report.documents == 300
    assert ticks == [100, 200, 300]


def test_a_seed_gives_the_same_documents() -> None:
    one, same, other = (
        [document(choices) for _ in range(20)] for choices in map(random.Random, ("seed", "seed", "other"))
    )
    assert one == same != other


def test_one_broken_law_is_unsound() -> None:
    report = try_documents(1, "test")
    assert not replace(report, altered=1).is_sound
    assert not replace(report, unequal=1).is_sound
    assert not replace(report, over_budget=1).is_sound
    assert not replace(report, beyond_caps=1).is_sound
    assert not replace(report, not_once=1).is_sound
    assert not replace(report, disturbed=1).is_sound
