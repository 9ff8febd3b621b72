"""Power losses: what is answered, and what is finished, is on the disk; each sync of the room is noticed here."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from messages.facts import FACTS, EntryForgotten, ForgetEntry, StoreTurn, TurnStored
from tests.actors.facts.rig import FactsRig

JOURNAL = ".journal.jsonl"


def turn_of(rig: FactsRig) -> str:
    return rig.paths("turns/user/*.md")[-1].stem.split("__")[1]


def fact_of(rig: FactsRig) -> str:
    return rig.paths("facts/*.md")[0].stem.split("__")[1]


def forget(rig: FactsRig, entry_id: str, *, for_good: bool) -> None:
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=entry_id, for_good=for_good)


REQUESTS: dict[str, Callable[[FactsRig], object]] = {
    "add": lambda rig: rig.add("The user likes tea"),
    "add in another conversation": lambda rig: rig.add("The user likes tea", "a/new/one"),
    "forget a fact": lambda rig: forget(rig, fact_of(rig), for_good=False),
    "forget a turn": lambda rig: forget(rig, turn_of(rig), for_good=False),
    "forget a fact for good": lambda rig: forget(rig, fact_of(rig), for_good=True),
    "forget a turn for good": lambda rig: forget(rig, turn_of(rig), for_good=True),
}


@pytest.mark.req("X-225")
def test_what_is_answered_survives_a_power_loss(tmp_path: Path) -> None:
    failures = []
    for number, (name, request) in enumerate(REQUESTS.items()):
        rig = FactsRig(tmp_path / str(number))
        rig.say("My wife is Anne")
        rig.model.silent = {"facts.extract"}
        rig.say("I like green tea", turn="still owed")
        request(rig)
        risk = rig.at_risk("entries/") | rig.at_risk(JOURNAL)
        ours = {path for path in risk if not _is_of_owed(path, rig)}
        failures += [f"{name}: {ours}"] if ours else []
        failures += [f"{name}: {rig.too_early} at risk without the journal"] if rig.too_early else []
        rig.stop()
    assert not failures


def _is_of_owed(path: str, rig: FactsRig) -> bool:
    """True for texts that the journal has as well."""
    place = rig.memory / path
    return path.startswith("entries/c/turns/") and place.is_file() and "green tea" in place.read_text()


@pytest.mark.req("X-225")
def test_a_turn_is_in_a_synced_journal_when_it_is_answered(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.model.silent = {"facts.extract"}
    for turn, answer, is_over in (("a", "", False), ("a", "Hello", True), ("b", "Hi", True)):
        rig.say("My wife is Anne", answer, turn=turn, is_over=is_over)
        assert rig.at_risk(JOURNAL) == set()
    rig.stop()


def test_words_are_synced_before_the_journal_has_only_their_late_answer(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")

    def refuse_files(call: str, data: bytes) -> None:
        if call == "write" and b"Anne" in data and b'"type"' not in data:
            raise OSError(errno.ENOSPC, "No space left on device")

    rig.disk.before = refuse_files
    fields = {"conversation": "c", "turn_id": "a", "user_text": "My wife is Anne", "model": "m"}
    rig.answer(TurnStored, FACTS, StoreTurn, **fields, is_over=False)
    rig.stop()
    rig.disk.before = lambda _call, _data: None
    rig.start()  # whose first work puts the words into a file, and ends the turn without an answer
    words = {path.relative_to(rig.memory).as_posix() for path in rig.paths("turns/user/*.md")}
    assert words <= rig.at_risk("entries/")

    rig.answer(TurnStored, FACTS, StoreTurn, **fields, answer_text="Congratulations")

    assert words
    assert not words & rig.at_risk("entries/")
    assert len(rig.turns()) == 2
    rig.stop()


@pytest.mark.req("X-225")
def test_finished_work_leaves_the_journal_when_its_files_are_synced(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.model.summarize = lambda text: text
    for number in range(6):
        rig.say(f"My {number}th drawer has many old letters of my friends, a map of Oslo and the winter coats")
        rig.wait(1)
    rig.say("My wife is Anne", "other", answer_before="")
    rig.say("My wife is Anne", "other one", answer_before="")
    rig.wait(1)
    assert '"type":"done"' in (rig.memory / JOURNAL).read_text()
    assert rig.too_early == []
    assert rig.at_risk("entries/") == set()
    rig.stop()


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-9], lambda data: data[:-9] + bytes(9)])
def test_a_file_that_a_power_loss_has_torn_is_written_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.model.silent = {"facts.extract"}
    rig.say("I like green tea")
    (words,) = rig.paths("turns/user/*.md")
    before = words.read_bytes()
    rig.stop()
    words.write_bytes(damage(before))
    rig.start()
    assert words.read_bytes() == before
    rig.stop()


def test_a_file_that_a_person_has_edited_meanwhile_stays(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.model.silent = {"facts.extract"}
    rig.say("I like green tea")
    (words,) = rig.paths("turns/user/*.md")
    rig.stop()
    words.write_text(words.read_text("utf-8").replace("green", "black"), "utf-8")
    rig.start()
    assert "black tea" in words.read_text("utf-8")
    rig.stop()


def test_texts_of_an_earlier_life_are_synced_before_their_turn_is_finished(tmp_path: Path) -> None:
    """That life may have ended between the file and its sync, and a later power loss would take the file."""
    rig = FactsRig(tmp_path / "data")
    rig.model.silent = {"facts.extract"}
    rig.say("I like green tea")
    texts = {*rig.paths("turns/user/*.md"), *rig.paths("turns/assistant/*.md")}
    rig.die()
    rig.disk.synced.clear()
    rig.model.silent.clear()
    rig.say("Good morning", turn="another")
    for seconds in (2_000, 60, 60):
        rig.wait(seconds)
    assert '"type":"done"' in (rig.memory / JOURNAL).read_text()
    assert len(texts) == 2
    assert texts <= rig.disk.synced
    rig.stop()
