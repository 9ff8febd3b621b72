from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from messages.facts import FACTS, AddEntry, EntryRole, StoreTurn, TurnStored
from tests.actors.facts.rig import FactsRig


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data")


@pytest.mark.req("S2-09", "S2-10", "S2-11", "S2-17", "S2-18", "S2-55")
def test_a_turn_is_in_files_the_user_s_words_before_the_answer(rig: FactsRig) -> None:
    rig.say("My wife is Anne\n ", "Hello \n")

    (user,), (answer,) = rig.entries("turns/user/*.md"), rig.entries("turns/assistant/*.md")
    assert (user.role, user.content, user.conversation) == (EntryRole.USER, "My wife is Anne\n ", "c")
    assert (answer.role, answer.content) == (EntryRole.ASSISTANT, "Hello \n")
    assert user.created_at < answer.created_at


@pytest.mark.req("S2-54", "X-92")
def test_the_first_half_of_a_streamed_turn_is_kept_at_once(rig: FactsRig) -> None:
    rig.say("My wife is Anne", "", turn="t", is_over=False)
    assert rig.turns() == ["My wife is Anne"]
    assert rig.model.asked == []

    rig.say("My wife is Anne", "Hello", turn="t")
    assert rig.turns() == ["Hello", "My wife is Anne"]
    assert rig.model.purposes() == ["facts.extract"]


@pytest.mark.req("S2-54")
def test_a_turn_that_is_broken_off_has_no_answer_and_its_facts_all_the_same(rig: FactsRig) -> None:
    rig.say("My wife is Anne", "", turn="t", is_over=False)
    rig.say("My wife is Anne", "", turn="t")

    assert rig.turns() == ["My wife is Anne"]
    assert rig.facts() == ["The user said: My wife is Anne"]


def test_who_asks_again_after_a_turn_without_an_answer_has_said_it_once(rig: FactsRig) -> None:
    rig.say("My wife is Anne", "", turn="t1", is_over=False)
    rig.say("My wife is Anne", "", turn="t1")
    rig.say("My wife is Anne", "", turn="t2", is_over=False)
    rig.say("My wife is Anne", "Hello", turn="t2")

    assert rig.turns() == ["Hello", "My wife is Anne"]
    assert rig.facts() == ["The user said: My wife is Anne"]

    rig.say("My wife is Anne", "Hello again")
    assert len(rig.turns()) == 4


def test_a_turn_that_is_told_twice_is_kept_once(rig: FactsRig) -> None:
    for _ in range(2):
        rig.say("My wife is Anne", "Hello", turn="t")
    rig.live_again()
    rig.say("My wife is Anne", "Hello", turn="t")

    assert len(rig.turns()) == 2
    assert rig.model.purposes() == ["facts.extract"]


def test_a_turn_without_words_leaves_nothing(rig: FactsRig) -> None:
    rig.say("", "")

    assert rig.paths() == []


def test_an_answer_to_a_tool_s_result_is_kept_by_itself(rig: FactsRig) -> None:
    rig.say("", "It is sunny.")

    assert rig.turns() == ["It is sunny."]
    assert rig.model.asked == []


@pytest.mark.req("S2-53")
def test_a_turn_is_kept_while_the_model_is_silent(rig: FactsRig) -> None:
    rig.model.silent.add("facts.extract")
    rig.say("My wife is Anne")

    assert len(rig.turns()) == 2
    assert rig.figures()["owed_turns"] == 1


@pytest.mark.parametrize("conversation", ["..", "deleted", "a/../../b", "\0", "x" * 500, "A\nB", "é"])
def test_any_conversation_has_one_folder_inside(rig: FactsRig, conversation: str) -> None:
    rig.say("I like tea", conversation=conversation)
    rig.say("I like tea", conversation=conversation)

    assert len(list((rig.memory / "entries").iterdir())) == 1
    assert {path.parent.parent.parent.parent for path in rig.memory.rglob("turns/*/*.md")} == {rig.memory / "entries"}
    assert {entry.conversation for entry in rig.entries("turns/*/*.md", conversation)} == {conversation}


def test_two_conversations_whose_ids_look_alike_are_two(rig: FactsRig) -> None:
    rig.say("I like tea", conversation="a/b")
    rig.say("I like tea", conversation="a_b")
    rig.say("I like tea", conversation="a%2Fb")

    assert len(list((rig.memory / "entries").iterdir())) == 3


@pytest.mark.parametrize("field", ["conversation", "turn_id"])
def test_a_turn_without_a_name_is_refused(rig: FactsRig, field: str) -> None:
    fields = {"conversation": "c", "turn_id": "t", "user_text": "x"} | {field: ""}

    assert field in rig.refusal(FACTS, StoreTurn, **fields)


def test_a_disk_that_takes_nothing_is_refused_with_the_reason_and_tried_again(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "memory_db").write_text("in the way")
    rig = FactsRig(tmp_path / "data")

    assert "cannot be used" in rig.refusal(FACTS, StoreTurn, conversation="c", turn_id="t", user_text="I like tea")
    assert rig.figures()["state"] == "in trouble"
    (tmp_path / "data" / "memory_db").unlink()
    rig.answer(TurnStored, FACTS, StoreTurn, conversation="c", turn_id="t", user_text="I like tea")
    rig.system.run()
    assert rig.turns() == ["I like tea"]
    assert rig.figures()["state"] == "ready"


@pytest.mark.req("S2-13", "S2-10")
def test_a_start_with_nothing_changed_embeds_nothing(rig: FactsRig) -> None:
    for number in range(20):
        rig.say(f"I have {number} cats")
    rig.be_quiet(3)
    before = rig.figures()["entries"]
    rig.stop()
    rig.embedder.asked.clear()
    rig.start()

    assert rig.embedder.texts == []
    assert rig.figures()["entries"] == before > 59
    assert rig.recall("cats").hits


@pytest.mark.req("S2-10")
def test_an_index_that_is_gone_is_made_again_from_the_files(rig: FactsRig) -> None:
    for number in range(20):
        rig.say(f"I have {number} cats")
    rig.be_quiet(3)
    before = [hit.id for hit in rig.recall("cats", top_k=50).hits]
    rig.stop()
    for path in (rig.root / "facts").iterdir():
        path.unlink()
    (rig.memory / "memory_index.json").unlink()
    rig.start()

    assert [hit.id for hit in rig.recall("cats", top_k=50).hits] == before
    assert len(before) > 10


def test_an_index_that_goes_while_it_runs_is_made_again(rig: FactsRig) -> None:
    rig.say("I have 2 cats")
    (rig.root / "facts" / "index.sqlite").unlink()
    rig.recall("cats")
    rig.system.run()

    assert rig.recall("cats").hits


@pytest.mark.req("S2-32", "S2-87")
def test_another_embedding_model_has_everything_embedded_anew(rig: FactsRig) -> None:
    rig.say("I have 2 cats")
    rig.stop()
    rig.embedder.asked.clear()
    rig.embedder.size = 32
    rig.start()
    assert rig.embedder.texts == []

    rig.recall("cats")
    rig.system.run()
    assert rig.recall("do you have cats").hits
    assert len(rig.embedder.texts) == 5


@pytest.mark.req("S2-96", "S2-14")
def test_edits_by_hand_are_seen_at_the_next_start(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    rig.stop()
    (path,) = rig.paths("facts/*.md")
    path.write_text(path.read_text().replace("a cat", "a parrot"))
    rig.write("c/facts/mine.md", "The user has a dog")
    rig.write("other/facts/mine.md", "---\nconversation_id: c\nrole: memory\n---\nThe user has a horse")
    rig.embedder.asked.clear()
    rig.start()

    assert sorted(rig.embedder.texts) == ["The user has a dog", "The user has a horse", "The user has a parrot"]
    assert {hit.content for hit in rig.recall("The user has a", top_k=9).hits} == set(rig.embedder.texts[:3])


def test_a_file_that_is_removed_is_recalled_no_more(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    rig.stop()
    rig.paths("facts/*.md")[0].unlink()
    rig.start()

    assert rig.recall("The user has a cat").hits == ()
    assert rig.figures()["entries"] == 0


def test_a_file_that_is_moved_is_not_embedded_again(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    rig.stop()
    (path,) = rig.paths("facts/*.md")
    path.rename(path.with_name("renamed.md"))
    rig.embedder.asked.clear()
    rig.start()

    assert rig.embedder.texts == []
    assert len(rig.recall("The user has a cat").hits) == 1


def test_two_files_with_one_id_are_two_entries(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    rig.stop()
    (path,) = rig.paths("facts/*.md")
    path.with_name("copy.md").write_text(path.read_text().replace("cat", "dog"))
    rig.start()

    assert {hit.content for hit in rig.recall("The user has a").hits} == {"The user has a cat", "The user has a dog"}


def test_whatever_people_put_there_breaks_nothing(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    rig.stop()
    rig.write("c/facts/empty.md", "")
    rig.write("c/facts/broken.md", "---\n: [\n\t{{{\n---\nThe user has a cow")
    rig.write("c/facts/deep.md", "---\n" + "a: " + "[" * 5_000 + "\n---\nThe user has a deer")
    rig.write("c/facts/bomb.md", "---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n---\nThe user has a bee")
    rig.write("c/facts/strange.md", "---\nid: [1]\nrole: {}\ncreated_at: never\n---\nThe user has an ant")
    (rig.memory / "entries/c/facts/binary.md").write_bytes(bytes(range(256)))
    (rig.memory / "entries/c/facts/link.md").symlink_to("/etc/passwd")
    (rig.memory / "entries/c/facts/folder.md").mkdir()
    rig.start()

    found = {hit.content for hit in rig.recall("The user has a", top_k=50).hits}
    assert {"The user has a cat", "The user has a cow", "The user has a deer", "The user has a bee"} <= found
    assert not any("root:" in content for content in found)


def test_files_of_the_original_are_read_where_it_left_them(rig: FactsRig) -> None:
    rig.stop()
    front = (
        "---\nid: 7a0e\nrole: {}\nconversation_id: Alice Smith\ncreated_at: '2026-01-05T10:00:00.123456+00:00'\n---\n"
    )
    rig.write("alice-smith/facts/2026-01-05T10-00-00__7a0e.md", front.format("memory") + "\nThe user has a cat\n")
    rig.write("alice-smith/turns/user/2026__7a0f.md", front.format("user").replace("7a0e", "7a0f") + "I have a cat\n")
    rig.write("alice-smith/summary.md", front.format("summary").replace("7a0e", "s") + "They talk of cats\n")
    rig.write("deleted/alice-smith/facts/x.md", front.format("memory").replace("7a0e", "7a10") + "The user has a hen\n")
    rig.start()

    found = rig.recall("The user has a cat", conversation="Alice Smith")
    assert {hit.content for hit in found.hits} == {"The user has a cat", "I have a cat"}
    assert found.summary == "They talk of cats"


def test_a_crash_loses_nothing_that_is_owed(rig: FactsRig) -> None:
    rig.model.silent.add("facts.extract")
    rig.say("My wife is Anne")
    rig.model.silent.clear()
    rig.die()

    assert rig.facts() == ["The user said: My wife is Anne"]
    assert rig.figures()["owed_turns"] == 0


@pytest.mark.req("S2-13", "X-81")
def test_snapshots_are_written_seldom_and_at_the_end(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    assert not (rig.memory / "memory_index.json").exists()
    rig.wait(31)
    assert (rig.memory / "memory_index.json").exists()


@pytest.mark.req("S2-13")
def test_the_snapshot_has_the_hash_of_each_file(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    rig.say("My wife is Anne")
    for path in rig.memory.rglob("*.md"):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # What changed just now is left out.
    rig.live_again()
    rig.wait(31)
    rig.stop()
    files = json.loads((rig.memory / "memory_index.json").read_bytes())["files"]

    entries = (rig.memory / "entries").rglob("*.md")
    read = {path.relative_to(rig.memory).as_posix(): path.read_bytes() for path in entries}
    assert len(read) >= 3
    assert {path: file["hash"] for path, file in files.items()} == {
        path: hashlib.sha256(data).hexdigest() for path, data in read.items()
    }


def test_a_snapshot_that_is_damaged_costs_a_look_at_every_file_and_no_call(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    rig.stop()
    (rig.memory / "memory_index.json").write_text("{broken")
    rig.embedder.asked.clear()
    rig.start()

    assert rig.embedder.texts == []
    assert rig.recall("The user has a cat").hits


def test_adding_needs_words(rig: FactsRig) -> None:
    assert "words" in rig.refusal(FACTS, AddEntry, conversation="c", text=" \n")
