"""Facts of forgotten turns are in no file, index or history, and all other entries stay."""

from __future__ import annotations

import errno
import itertools
import shutil
import zlib
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from messages.base import Address, EventId, RequestId, TurnId
from messages.facts import FACTS, EntryForgotten, ForgetEntry
from messages.forget import DerivedForgotten, ForgetDerived, ForgottenEvent
from messages.turn import TurnEnded
from tests.actors.facts.rig import FactsRig
from tests.actors.facts.test_turns import NAME, WINDOW, ended_turn, event
from tests.patience import eventually

SECRET = "quagmire"


def holding(root: Path) -> list[str]:
    """Files with the words in their bytes; objects of git are read as git reads them."""
    found = []
    for path in root.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if path.parent.parent.name == "objects" and len(path.parent.name) == 2:
                data = zlib.decompress(data)
            if SECRET.encode() in data:
                found.append(path.name)
    return found


def turn(name: str, words: str, answer: str = "I see.") -> TurnEnded:
    return ended_turn(event("user", words, 0), event("agent", answer, 5), turn=name)


def hear(rig: FactsRig, *told: TurnEnded) -> None:
    for message in told:
        rig.system.tell(FACTS, message)
        rig.system.run()
        rig.wait(5)


def forget_request(*turns: str, whole: bool = False) -> ForgetDerived:
    events = tuple(
        ForgottenEvent(window=WINDOW, path="logs/x.md", line=1, event_id=EventId(name), turn_id=TurnId(name))
        for name in turns
    )
    return ForgetDerived(
        request_id=RequestId("f"),
        reply_to=Address("edge", "asker"),
        forget_id="f1",
        window=WINDOW,
        events=events,
        whole_window=whole,
    )


def forget(rig: FactsRig, *turns: str, whole: bool = False) -> None:
    rig.system.tell(FACTS, forget_request(*turns, whole=whole))
    rig.system.run()


def take_answer(rig: FactsRig) -> DerivedForgotten:
    answer = rig.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == "f")
    assert isinstance(answer, DerivedForgotten), answer
    return answer


@pytest.mark.req("X-249")
def test_no_file_holds_a_word_of_a_forgotten_turn_and_other_turns_stay(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True, enable_summarization=True)
    hear(rig, turn("t1", f"My word is {SECRET}", f"{SECRET}, noted"), turn("t2", "My wife is Anne"))
    rig.wait(60)
    assert {"index.sqlite", ".journal.jsonl"} & set(holding(rig.root))
    assert len(rig.turns(NAME)) == 4

    forget(rig, "t1", "t9")

    answer = take_answer(rig)
    assert (answer.room, answer.note) == ("facts", "")
    assert answer.count >= 3
    assert holding(rig.root) == []
    assert rig.turns(NAME) == ["I see.", "My wife is Anne"]
    assert [fact for fact in rig.facts(NAME) if "Anne" in fact]
    forget(rig, "t1")
    assert take_answer(rig).count == 0
    rig.wait(120)
    rig.live_again()
    rig.wait(120)
    assert holding(rig.root) == []


@pytest.mark.parametrize("is_full", [False, True])
def test_forgotten_words_that_joined_a_turn_leave_alone(tmp_path: Path, *, is_full: bool) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True)

    def refuse(call: str, _data: bytes) -> None:
        if call == "write" and is_full:
            raise OSError(errno.ENOSPC, "No space left on device")

    rig.disk.before = refuse
    joined = event("user", f"My word is {SECRET}", 3)
    hear(rig, ended_turn(event("user", "My wife is Anne", 0), joined, event("agent", "I see.", 5)))

    forget(rig, "t1-1")
    rig.disk.before = lambda _call, _data: None
    rig.wait(6)

    assert holding(rig.root) == []
    assert rig.turns(NAME) == ["I see.", "My wife is Anne"]


@pytest.mark.req("X-249")
def test_a_request_that_comes_while_a_life_begins_waits_until_all_entries_are_known(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True)
    hear(rig, turn("t1", f"My word is {SECRET}"))
    rig.wait(60)

    rig.live_again(forget_request("t1"))

    assert take_answer(rig).count >= 2
    assert holding(rig.root) == []


def test_a_whole_window_takes_every_entry_of_its_conversation(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True)
    hear(rig, turn("t1", f"My word is {SECRET}"))
    rig.add(f"a fact of the operator's about {SECRET}", NAME)
    rig.say("My wife is Anne")

    forget(rig, "t1", whole=True)

    take_answer(rig)
    assert holding(rig.root) == []
    assert rig.paths(conversation=NAME) == []
    assert len(rig.turns()) == 2


def test_a_fact_that_took_the_place_of_a_forgotten_turn_s_fact_goes_with_it(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True)
    hear(rig, turn("t1", f"My word is {SECRET}"))
    (old,) = rig.entries("facts/*.md", NAME)
    (path,) = rig.paths("facts/*.md", NAME)
    new = rig.add(f"The word is {SECRET}, still", NAME)
    buried = rig.memory / "entries" / "deleted" / path.relative_to(rig.memory / "entries")
    rig.stop()
    text = path.read_text().replace("---\n", f'---\nreplaced_by: "{new.id}"\n', 1)
    buried = path.parent.parent / "deleted" / "facts" / path.name
    buried.parent.mkdir(parents=True)
    buried.write_text(text)
    path.unlink()
    rig.start()
    rig.wait(5)

    forget(rig, "t1")

    take_answer(rig)
    assert old.source_id
    assert holding(rig.root) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine")
def test_the_answer_waits_until_the_git_history_has_no_forgotten_file(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True, enable_git_versioning=True)
    hear(rig, turn("t1", f"My word is {SECRET}"), turn("t2", "My wife is Anne"))

    def is_committed() -> bool:
        rig.system.run()
        return (rig.memory / ".git" / "refs" / "heads" / "main").exists()

    eventually(is_committed)
    forget(rig, "t1")

    def is_answered() -> bool:
        rig.system.run()
        try:
            take_answer(rig)
        except TimeoutError:
            return False
        return True

    eventually(is_answered)
    assert not (rig.memory / ".git" / "remembrancer-forget").exists()
    assert holding(rig.root) == []
    rig.stop()


def test_a_turn_whose_facts_are_still_being_found_leaves_nothing(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True)
    rig.model.silent.add("facts.extract")
    hear(rig, turn("t1", f"My word is {SECRET}"))
    assert rig.model.held

    forget(rig, "t1")
    take_answer(rig)
    assert holding(rig.root) == []
    rig.answer_held()
    rig.wait(60)

    assert holding(rig.root) == []
    assert rig.facts(NAME) == []


def live_with_a_successor(root: Path) -> FactsRig:
    """Life with two turns, a summary, and a deleted fact of the first turn that another fact took the place of."""
    rig = FactsRig(root, ingest_discord=True, enable_summarization=True)
    hear(rig, turn("t1", f"My word is {SECRET}", f"{SECRET}, noted"), turn("t2", f"My word is {SECRET} again"))
    (old, *_) = rig.entries("facts/*.md", NAME)
    new = rig.add(f"The word is {SECRET}, still", NAME)
    (path,) = [path for path in rig.paths("facts/*.md", NAME) if old.id in path.name]
    buried = path.parent.parent / "deleted" / "facts" / path.name
    rig.stop()
    buried.parent.mkdir(parents=True, exist_ok=True)
    buried.write_text(path.read_text().replace("---\n", f'---\nreplaced_by: "{new.id}"\n', 1))
    path.unlink()
    rig.start()
    rig.wait(60)
    return rig


@pytest.mark.req("X-249")
@pytest.mark.parametrize("after", range(1, 14))
def test_a_death_at_any_removal_of_a_file_leaves_a_rest_that_the_repeated_request_finds(
    tmp_path: Path, after: int
) -> None:
    rig = live_with_a_successor(tmp_path / "data")
    calls = itertools.count(1)

    def before(call: str, _data: bytes) -> None:
        if call == "unlink" and next(calls) >= after:
            raise OSError(errno.EIO, "dead")

    rig.disk.before = before
    forget(rig, "t1", "t2")
    rig.asker.drain()
    rig.disk.before = lambda _call, _data: None
    rig.die()
    rig.wait(5)
    forget(rig, "t1", "t2")

    take_answer(rig)
    assert holding(rig.root) == []


@pytest.mark.req("X-249")
def test_what_leads_to_other_entries_is_removed_when_their_removal_is_safe_from_a_power_loss(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", ingest_discord=True, enable_summarization=True)
    hear(rig, turn("t1", f"My word is {SECRET}"), turn("t2", f"My other word is {SECRET} again"))
    fact, _ = rig.entries("facts/*.md", NAME)
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=fact.id, for_good=False)
    rig.wait(60)
    looks: list[tuple[Counter[str], set[str]]] = []
    """Before each removal: files by kind, and kinds whose removal a power loss may undo."""

    def look() -> None:
        kinds = Counter(_kind(path.relative_to(rig.memory).as_posix()) for path in rig.paths(conversation=NAME))
        looks.append((kinds, {_kind(path) for path in rig.at_risk("entries/")}))

    rig.disk.before = lambda call, _data: look() if call == "unlink" else None
    forget(rig, "t1", "t2")
    look()

    take_answer(rig)
    removed = [
        (kind, risks) for (kinds, risks), (rest, _) in pairwise(looks) for kind in kinds if rest[kind] < kinds[kind]
    ]
    assert {kind for kind, _ in removed} >= {"facts", "deleted", "turns"}
    assert [(kind, risks) for kind, risks in removed if risks - {kind, "summaries"} and kind != "facts"] == []


def _kind(path: str) -> str:
    return "deleted" if "/deleted/" in path else path.split("/")[2]
