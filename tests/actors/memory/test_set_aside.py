"""Turns whose text the embedding model cannot take: found by their words, tried again at a start, and counted."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from actors.memory.checks import compare
from actors.memory.index.pending import MOST_ATTEMPTS
from actors.part import Level
from tests.actors.memory.rig import AGAIN_S, Brain, MemoryRig
from tests.actors.memory.test_memory_actor import THREAD, excerpts

HOUR_S = 3_700.0


@pytest.fixture
def choosy() -> Brain:
    brain = Brain()
    brain.mood = "choosy"
    return brain


def asked_for(brain: Brain, word: str) -> int:
    return sum(word in text for request in brain.asked for text in request.texts)


@pytest.mark.req("X-202")
def test_what_is_set_aside_is_found_by_its_words_and_asked_for_once_in_a_life(
    tmp_path: Path, choosy: Brain, caplog: pytest.LogCaptureFixture
) -> None:
    rig = MemoryRig(tmp_path, brain=choosy)
    rig.exchange("The poison is in the cellar", "Fine.")
    rig.exchange("My cat is called Zorro", "Fine.")
    for _ in range(5):
        rig.advance(HOUR_S)

    counted = rig.stats()
    assert (counted.rows, counted.ok, counted.pending, counted.failed, counted.set_aside) == (4, 3, 0, 1, 1)
    assert asked_for(choosy, "poison") == 1
    request = rig.exchange("What is in the cellar?", "Something.", THREAD)
    assert any("poison is in the cellar" in excerpt for excerpt in excerpts(request))
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    rig.stop()


def test_what_is_put_off_is_asked_for_when_the_embedder_says_so_and_as_often_as_it_does(
    tmp_path: Path, choosy: Brain, caplog: pytest.LogCaptureFixture
) -> None:
    choosy.mood = "hesitant"
    rig = MemoryRig(tmp_path, brain=choosy)
    rig.exchange("The poison is in the cellar", "Fine.")
    rig.advance(AGAIN_S - 30)
    assert (asked_for(choosy, "poison"), rig.stats().ok, rig.stats().set_aside) == (1, 1, 0)
    for count in range(2, 12):
        rig.advance(AGAIN_S + 1)
        assert asked_for(choosy, "poison") == count

    choosy.mood = "well"
    rig.advance(AGAIN_S + 1)
    assert (rig.stats().ok, rig.stats().failed) == (2, 0)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    rig.stop()


def test_it_is_tried_again_at_the_next_start(tmp_path: Path, choosy: Brain) -> None:
    rig = MemoryRig(tmp_path, brain=choosy)
    rig.exchange("The poison is in the cellar", "Fine.")
    rig.stop()

    rig = MemoryRig(tmp_path, brain=choosy)
    assert (asked_for(choosy, "poison"), rig.stats().set_aside) == (2, 1)
    rig.advance(HOUR_S)
    assert asked_for(choosy, "poison") == 2
    rig.stop()

    choosy.mood = "well"
    rig = MemoryRig(tmp_path, brain=choosy)
    counted = rig.stats()
    assert (counted.ok, counted.failed, counted.set_aside) == (2, 0, 0)
    rig.stop()


def test_doctor_says_how_many_there_are_beside_all_else(tmp_path: Path, choosy: Brain) -> None:
    rig = MemoryRig(tmp_path, brain=choosy)
    rig.exchange("The poison is in the cellar", "Fine.")
    counted = rig.stats()
    rig.stop()

    finding = compare(counted, counted.rows)
    assert finding.level is Level.WARN
    assert "1 of these are set aside" in finding.detail
    assert "the logs hold 9" in compare(counted, 9).detail
    assert "set aside" in compare(counted, 9).detail


def test_a_request_that_the_embedder_answers_late_stays_one_request_and_its_vectors_count(tmp_path: Path) -> None:
    brain = Brain()
    brain.mood = "silent"
    rig = MemoryRig(tmp_path, brain=brain)
    rig.exchange("My cat is called Zorro", "Fine.")
    for _ in range(40):
        rig.advance(HOUR_S / 4)

    assert len(brain.asked) > MOST_ATTEMPTS
    (request,) = set(brain.asked)
    brain.mood = "well"
    answer = brain.answer(request)
    assert answer is not None
    rig.tell(request.reply_to, answer)
    assert (rig.stats().ok, rig.stats().pending, rig.stats().failed) == (2, 0, 0)
    rig.stop()
