"""Trouble from outside: moved files, disks that refuse some writes, clients that repeat themselves."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from actors.facts.store.files import EntryFiles
from messages.facts import (
    FACTS,
    AddEntry,
    EntriesListed,
    EntryForgotten,
    FilesChanged,
    ForgetEntry,
    ListEntries,
    StoreTurn,
    TurnStored,
)
from messages.socket import Refused
from tests.actors.facts.rig import FactsRig
from tests.actors.facts.test_forgetting import forget, hear, take_answer
from tests.actors.facts.test_forgetting import turn as discord_turn
from tests.actors.facts.test_turns import NAME


def texts(rig: FactsRig, pattern: str) -> list[str]:
    return [path.read_text().split("\n---\n", 1)[1].rstrip("\n") for path in sorted(rig.memory.glob(pattern))]


def store(rig: FactsRig, turn: str, words: str, answer: str = "", *, is_over: bool = True) -> object:
    return rig.reply(
        FACTS,
        StoreTurn,
        conversation="c",
        turn_id=turn,
        user_text=words,
        answer_text=answer,
        model="m",
        is_over=is_over,
    )


@pytest.mark.req("X-231")
def test_a_turn_that_only_the_journal_took_is_in_files_before_it_is_done(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path)
    way = rig.memory / "entries" / "c"
    way.write_text("in the way")
    assert isinstance(store(rig, "t1", "My wife is called Anne", "I see."), TurnStored)
    assert "Not a directory" in str(rig.figures()["trouble"])
    way.unlink()
    rig.say("My dog is called Rex", conversation="d")
    for _ in range(8):
        rig.wait(30)

    assert texts(rig, "entries/c/turns/user/*.md") == ["My wife is called Anne"]
    assert texts(rig, "entries/c/turns/assistant/*.md") == ["I see."]
    rig.stop()


def test_a_folder_that_is_removed_before_it_is_safe_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path)
    store(rig, "t1", "My wife is called Anne", "I see.")
    shutil.rmtree(rig.memory / "entries" / "c")
    rig.wait(10)

    assert rig.add("The user likes tea", "d").is_new
    assert '"type":"done","turn":"t1"' in (rig.memory / ".journal.jsonl").read_text()
    rig.stop()


def test_files_that_cannot_be_listed_for_a_moment_are_compared_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = FactsRig(tmp_path)
    rig.write("c/facts/f1.md", "---\nid: f1\n---\nThe user likes tea\n")
    with monkeypatch.context() as patched:
        patched.setattr(EntryFiles, "stamps", _one_has_just_gone)
        rig.system.tell(FACTS, FilesChanged(paths=()))
        rig.system.run()
        rig.wait(2)
    assert rig.figures()["entries"] == 0
    rig.wait(6)

    assert rig.figures()["entries"] == 1
    rig.stop()


@pytest.mark.req("X-231")
@pytest.mark.parametrize("fault", ["full", "missing"])
def test_a_turn_in_discord_that_the_disk_refuses_is_kept_once_the_disk_takes_it(tmp_path: Path, fault: str) -> None:
    rig = FactsRig(tmp_path, ingest_discord=True)

    def refuse(call: str, _data: bytes) -> None:
        if call == "write":
            raise OSError(errno.ENOSPC, "No space left on device")

    if fault == "full":
        rig.disk.before = refuse
    else:
        rig.stop()
        shutil.rmtree(rig.memory)
        rig.memory.write_text("in the way")
        rig.start()
    turns = [
        discord_turn(name, words) for name, words in (("t1", "My wife is called Anne"), ("t2", "My word is quagmire"))
    ]
    hear(rig, *turns, turns[0])
    assert rig.figures()["state"] == "in trouble"
    forget(rig, "t2")
    rig.disk.before = lambda _call, _data: None
    if fault == "missing":
        rig.memory.unlink()
    rig.wait(6)
    forget(rig, "t2")
    rig.wait(6)

    assert rig.turns(NAME) == ["I see.", "My wife is called Anne"]
    assert rig.figures()["state"] == "ready"
    rig.die()
    assert rig.turns(NAME) == ["I see.", "My wife is called Anne"]
    rig.stop()


@pytest.mark.req("X-249")
def test_a_turn_that_was_forgotten_while_the_disk_refused_it_is_not_kept(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path, ingest_discord=True)

    def refuse_long_lines(call: str, data: bytes) -> None:
        if call == "write" and len(data) > 4_096:
            raise OSError(errno.ENOSPC, "No space left on device")

    rig.disk.before = refuse_long_lines
    hear(rig, discord_turn("t1", "quagmire " * 1_000), discord_turn("t2", "My wife is called Anne"))
    forget(rig, "t1")
    assert take_answer(rig).count == 0
    rig.disk.before = lambda _call, _data: None
    rig.wait(6)

    assert rig.turns(NAME) == ["I see.", "My wife is called Anne"]
    rig.stop()


def _one_has_just_gone(_files: EntryFiles) -> NoReturn:
    raise FileNotFoundError(errno.ENOENT, "No such file or directory", "f2.md")


def test_a_journal_that_is_gone_is_written_anew_with_all_that_is_owed(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path)
    rig.model.silent = {"facts.extract"}
    rig.say("My wife is called Anne", turn="t1")
    shutil.rmtree(rig.memory)
    rig.say("We live in Oslo", turn="t2")

    journal = (rig.memory / ".journal.jsonl").read_text()
    assert "Anne" in journal
    assert "Oslo" in journal
    rig.stop()


def test_two_that_repeat_an_unanswered_turn_at_once_are_both_kept(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path)
    store(rig, "t1", "Who is Anne?", is_over=False)
    store(rig, "t1", "Who is Anne?")
    for turn in ("t2", "t3"):
        store(rig, turn, "Who is Anne?", is_over=False)
    for turn in ("t2", "t3"):
        store(rig, turn, "Who is Anne?", f"Answer {turn}")
        rig.wait(1)

    assert texts(rig, "entries/c/turns/user/*.md") == ["Who is Anne?"] * 2
    assert texts(rig, "entries/c/turns/assistant/*.md") == ["Answer t2", "Answer t3"]
    rig.stop()


def test_a_retry_that_is_broken_off_too_is_still_the_same_turn(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path)
    for turn in ("t1", "t2", "t3"):
        store(rig, turn, "Who is Anne?", is_over=False)
        store(rig, turn, "Who is Anne?")
        rig.wait(5)
    store(rig, "t4", "Who is Anne?", "Your wife.")

    assert texts(rig, "entries/c/turns/user/*.md") == ["Who is Anne?"]
    assert texts(rig, "entries/c/turns/assistant/*.md") == ["Your wife."]
    rig.stop()


@pytest.mark.parametrize("count", [300, 700])
def test_files_are_known_whatever_the_embedder_does_and_embedded_when_it_can(tmp_path: Path, count: int) -> None:
    facts = tmp_path / "memory_db" / "entries" / "c" / "facts"
    facts.mkdir(parents=True)
    for number in range(count):
        (facts / f"f{number}.md").write_text(f"---\nid: f{number}\n---\nFact {number}\n")
    rig = FactsRig(tmp_path)
    rig.stop()
    shutil.rmtree(tmp_path / "facts")
    rig.embedder.failure = "it is down"
    rig.start()

    listed = rig.answer(EntriesListed, FACTS, ListEntries, conversation="")
    assert [each.facts for each in listed.conversations] == [count]
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=f"f{count - 1}", for_good=False)
    asked = len(rig.embedder.asked)
    assert asked < 40
    rig.embedder.failure = ""
    for _ in range(20):
        rig.wait(900)
    assert rig.figures()["to_be_indexed"] == 0
    embedded = {text for each in rig.embedder.asked[asked:] for text in each.texts}
    assert len(embedded) == count - 1
    rig.stop()


@pytest.mark.parametrize("is_full", [False, True])
@pytest.mark.parametrize("pause_s", [0, 5])
def test_an_answer_that_comes_after_a_restart_has_ended_its_turn_is_kept(
    tmp_path: Path, pause_s: float, *, is_full: bool
) -> None:
    rig = FactsRig(tmp_path / "data")
    store(rig, "t1", "My wife is Anne", is_over=False)
    rig.live_again()
    rig.wait(pause_s)
    assert rig.facts() == ["The user said: My wife is Anne"]

    def refuse_files(call: str, data: bytes) -> None:
        if call == "write" and is_full and b"Congratulations" in data and b'"type"' not in data:
            raise OSError(errno.ENOSPC, "No space left on device")

    rig.disk.before = refuse_files
    assert isinstance(store(rig, "t1", "My wife is Anne", "Congratulations"), TurnStored)
    rig.wait(1)
    rig.disk.before = lambda _call, _data: None
    rig.be_quiet(1)
    rig.die()

    assert rig.turns() == ["Congratulations", "My wife is Anne"]
    assert rig.facts() == ["The user said: My wife is Anne"]
    assert rig.model.purposes() == ["facts.extract"]
    rig.stop()


def test_nothing_of_what_is_forgotten_for_good_stays_in_the_journal(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path)
    rig.say("My wife is called Anne")
    rig.wait(5)
    (path,) = rig.memory.glob("entries/c/turns/user/*.md")
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=path.stem.split("__")[1], for_good=True)

    assert "Anne" not in (rig.memory / ".journal.jsonl").read_text()
    rig.stop()


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("is_killed", [False, True])
def test_words_forgotten_while_their_answer_is_written_leave_no_fact_and_do_not_come_back(
    tmp_path: Path, for_good: bool, is_killed: bool
) -> None:
    rig = FactsRig(tmp_path / "data")
    store(rig, "t1", "I keep a zebra", is_over=False)
    (path,) = rig.memory.glob("entries/c/turns/user/*.md")
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=path.stem.split("__")[1], for_good=for_good)
    if is_killed:
        rig.die()
    else:
        store(rig, "t1", "I keep a zebra", "I see.")
    rig.wait(60)

    assert rig.facts() == []
    assert rig.turns() == ([] if is_killed else ["I see."])
    if for_good:
        assert [each for each in rig.memory.rglob("*") if each.is_file() and b"zebra" in each.read_bytes()] == []
    rig.stop()


@pytest.mark.parametrize("for_good", [False, True])
def test_words_that_a_full_disk_did_not_let_go_are_forgotten_by_the_same_request_later(
    tmp_path: Path, for_good: bool
) -> None:
    def before(call: str, data: bytes) -> None:
        if call == "write" and b'"type":"done"' in data:
            raise OSError(errno.ENOSPC, "No space left on device")

    rig = FactsRig(tmp_path / "data")
    rig.model.failures["facts.extract"] = "it is down"
    store(rig, "t1", "I keep a zebra", "I see.")
    rig.wait(5)
    (path,) = rig.memory.glob("entries/c/turns/user/*.md")
    request = {"id": path.stem.split("__")[1], "for_good": for_good}
    rig.disk.before = before
    assert "No space left" in rig.refusal(FACTS, ForgetEntry, **request)
    rig.disk.before = lambda _call, _data: None
    rig.answer(EntryForgotten, FACTS, ForgetEntry, **request)
    rig.model.failures.clear()
    rig.die()
    rig.wait(60)

    assert rig.facts() == []
    assert rig.turns() == ["I see."]
    if for_good:
        assert [each for each in rig.memory.rglob("*") if each.is_file() and b"zebra" in each.read_bytes()] == []
    rig.stop()


def test_a_folder_that_is_no_folder_any_more_is_no_crash(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path)
    rig.embedder.failure = "it is down"
    rig.say("My wife is called Anne")
    shutil.rmtree(rig.memory)
    rig.memory.write_text("a file")
    rig.wait(60)

    assert rig.figures()["is_loaded"] == "yes"
    assert isinstance(store(rig, "t9", "Hello Anne", "I see."), Refused)
    rig.memory.unlink()
    rig.wait(60)
    rig.say("Hello again Anne")
    assert "Hello again Anne" in texts(rig, "entries/c/turns/user/*.md")
    rig.stop()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (rig.memory / "entries" / "c").symlink_to(elsewhere)

    assert "link" in rig.refusal(FACTS, AddEntry, conversation="c", text="The user likes tea")
    assert list(elsewhere.iterdir()) == []
