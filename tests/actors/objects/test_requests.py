"""Requests of scripts about a window's objects: done once stored, refused with the value and the rule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from messages.base import Message
from messages.objects import (
    DiffObject,
    HistoryTold,
    ListObjects,
    ObjectDone,
    ObjectShown,
    ObjectsListed,
    ReadObject,
    ShowObject,
    SwitchObject,
    TellHistory,
)
from tests.actors.objects.rig import ObjectsRig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[ObjectsRig]:
    rig = ObjectsRig(tmp_path)
    rig.turn()
    yield rig
    rig.stop()


def read(rig: ObjectsRig, path: str) -> tuple[str, ...]:
    """Steps of a read."""
    return rig.answer(ObjectDone, ReadObject, path=path).steps


@pytest.mark.req("S3-31", "S3-32", "S3-42")
def test_read_says_each_of_its_steps(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    assert read(rig, "a.txt") == (
        "indexed: f1 a.txt, version 1, 4 characters",
        "present from now on: f1",
        "active: f1, its text follows with this result",
    )
    rig.ran("objects.py read a.txt")
    assert "[text of f1, version 1]\n<a>" in rig.words()
    assert read(rig, str(rig.folder / "a.txt")) == (
        "indexed already: f1 a.txt, version 1",
        "present already: f1",
        "active: f1, its text is shown already",
    )


@pytest.mark.req("S3-36")
def test_an_object_is_switched_as_a_whole_and_no_field_of_it(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.ran("ls", "a.txt\n")
    rig.word()
    for name in ("f1.content", "f1.metadata", "f1/content", "f1 content"):
        assert "f1" in rig.refusal(SwitchObject, id=name, to="active")
    for state in ("content", "metadata"):
        assert "one of active, inactive, pinned, unpinned" in rig.refusal(SwitchObject, id="f1", to=state)
    assert "<a>" not in rig.words()


def test_read_takes_a_file_as_it_is_now(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    read(rig, "a.txt")
    rig.write("a.txt", "<other>\n")
    assert read(rig, "a.txt")[0] == "indexed: f1 a.txt, version 2, 8 characters"
    rig.ran("objects.py read a.txt")
    assert "[text of f1, version 2]\n<other>" in rig.words()


def test_read_of_what_is_no_file_of_the_folder_is_refused(rig: ObjectsRig, subtests: pytest.Subtests) -> None:
    (rig.folder / "d").mkdir()
    (rig.folder / "link").symlink_to("/etc/hostname")
    for path in ["nothing.txt", "d", "../x", "/etc/hostname", "link", "a\0b", "", "/", "x" * 1000]:
        with subtests.test(path=path):
            assert "must be a regular file of your folder" in rig.refusal(ReadObject, path=path)
            assert rig.shelf.of(rig.window).versions == []


@pytest.mark.req("X-100")
def test_a_binary_is_known_and_has_no_text(rig: ObjectsRig) -> None:
    rig.write("a.bin", b"\0\1\2")
    assert read(rig, "a.bin")[-1] == "not active: f1 is no UTF-8 text file, so only what is known about it is shown"
    assert "f1 has no text" in rig.refusal(SwitchObject, id="f1", to="active")
    assert "it is no UTF-8 text file" in rig.refusal(ShowObject, id="f1")


@pytest.mark.req("X-100")
def test_of_a_large_file_the_beginning_is_shown(rig: ObjectsRig) -> None:
    rig.write("a.txt", "x" * 300_000)
    steps = read(rig, "a.txt")
    assert steps[-1] == "only its beginning is kept and shown: it has 300000 bytes"
    rig.ran("objects.py read a.txt")
    words = rig.words()
    assert "[Showing the first 50000 of 262144 characters]" in words
    assert len(words) < 52_000


def test_no_more_files_are_known_than_may_be(tmp_path: Path) -> None:
    rig = ObjectsRig(tmp_path, max_files=1)
    rig.turn()
    rig.write("a.txt", "<a>\n")
    rig.write("b.txt", "<b>\n")
    read(rig, "a.txt")
    assert "1 files are known of this window" in rig.refusal(ReadObject, path="b.txt")
    rig.cat("b.txt")
    assert "[1 more files are not indexed]" in rig.words()
    rig.stop()


def test_of_a_listing_fifty_files_are_indexed_and_the_rest_are_counted(rig: ObjectsRig) -> None:
    names = [f"{number:03}.txt" for number in range(120)]
    for name in names:
        rig.write(name, "x")
    rig.ran("ls", "\n".join(names))
    words = rig.words()
    assert "[70 more files are not indexed]" in words
    assert "f50 049.txt" in words
    assert "f51" not in words


@pytest.mark.req("X-228")
def test_a_list_names_the_command_of_each_output(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    cases = {
        "make  check\n": "make check",
        "cat a.txt": "is f1",
        f"grep {'x' * 100} .": f"grep {'x' * 72}...",
        "printf '\x1b[2K\u202e'": "printf ' [2K '",
        f"true {' ' * 400} && make": "true...",
    }
    for number, command in enumerate(cases):
        rig.ran(command, "<a>\n" if command.startswith("cat") else f"{number}\n")
        rig.word()
    listed = rig.answer(ObjectsListed, ListObjects, kind="outputs").objects

    assert {each.id: each.about for each in listed} == {
        f"t{number}": wanted for number, wanted in enumerate(cases.values(), start=1)
    }


@pytest.mark.req("S3-08", "S3-33", "S3-34", "S3-37")
def test_an_object_is_active_inactive_and_active_again(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    assert "<a>" in rig.words()
    assert rig.switch("f1", "inactive") == ("inactive: f1, only its reference is shown from the next request on",)
    rig.ran("objects.py deactivate f1")
    assert "<a>" not in rig.words()
    assert rig.switch("t1", "active") == ("active: f1, its text follows with this result",)
    rig.ran("objects.py activate t1")
    assert rig.words().count("<a>") == 1


@pytest.mark.req("S3-35", "X-102")
def test_what_is_locked_cannot_be_put_away(rig: ObjectsRig, subtests: pytest.Subtests) -> None:
    for name in ["chat", "system", "memory", "curated", "soul", "agents"]:
        with subtests.test(name=name):
            assert f"{name} is locked" in rig.refusal(SwitchObject, id=name, to="inactive")


@pytest.mark.req("S3-42")
def test_an_unknown_object_is_refused(rig: ObjectsRig, subtests: pytest.Subtests) -> None:
    for name in ["f1", "t1", "f0", "x", "", "f" * 60, "f01", "t99999999999"]:
        with subtests.test(name=name):
            reason = rig.refusal(SwitchObject, id=name, to="active")
            assert "none of this conversation has that name" in reason or "id of an object" in reason


def test_a_state_that_there_is_not_is_refused(rig: ObjectsRig) -> None:
    assert "state 'loud': one of active, inactive" in rig.refusal(SwitchObject, id="f1", to="loud")
    assert "kind 'loud': one of all, files" in rig.refusal(ListObjects, kind="loud")
    assert "id of an object 'loud'" in rig.refusal(ListObjects, after="loud")


def test_a_missing_file_cannot_be_active(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    rig.word()
    (rig.folder / "a.txt").unlink()
    rig.ran("rm a.txt")
    rig.word()
    assert "f1 is missing" in rig.refusal(SwitchObject, id="f1", to="active")
    assert rig.answer(ObjectShown, ShowObject, id="f1", version=1).text == "<a>\n"
    assert "the file is not there" in rig.refusal(ShowObject, id="f1")


def test_what_is_asked_is_done_only_when_it_is_kept(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    before = rig.words()
    rig.shelf.trouble = "disk full"
    reason = rig.refusal(SwitchObject, id="f1", to="inactive")
    assert reason == "it could not be stored, so nothing was changed: disk full"
    assert "nothing was changed" in rig.refusal(ReadObject, path="a.txt")
    rig.shelf.trouble = ""
    assert rig.words() == before
    rig.switch("f1", "pinned")
    rig.live_again()
    listed = rig.answer(ObjectsListed, ListObjects, kind="active")
    assert [(each.id, each.state) for each in listed.objects] == [("f1", "pinned"), ("t1", "pinned")]


def test_a_silent_store_refuses_a_script_in_time(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    rig.word()
    rig.shelf.is_silent = True
    reason = rig.refusal(SwitchObject, id="f1", to="inactive")
    assert reason.startswith("the object store did not answer in time, so it is not certain")
    assert rig.refusal(TellHistory, id="f1") == "the object store did not answer in time"


@pytest.mark.req("S3-12", "S3-13", "S3-16")
def test_a_history_tells_versions_and_hashes(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    rig.word()
    (rig.folder / "a.txt").rename(rig.folder / "b.txt")
    rig.ran("mv a.txt b.txt")
    rig.word()
    told = rig.answer(HistoryTold, TellHistory, id="f1")
    first, second = (each.version for each in told.versions)
    assert (first.path, second.path) == ("a.txt", "b.txt")
    assert first.content_hash == second.content_hash
    assert first.metadata_hash != second.metadata_hash
    assert first.object_hash != second.object_hash
    output = rig.answer(HistoryTold, TellHistory, id="t1")
    assert output.versions == ()
    assert output.note.startswith("t1: an output has one version, of ")
    assert output.note.endswith("3 characters, exit 0; it is f1, version 1")


@pytest.mark.req("S3-14", "S3-15")
def test_texts_are_shown_by_number_time_and_hash_and_compared(rig: ObjectsRig) -> None:
    for text in ("<one>\n", "<two>\n", "<three>\n"):
        rig.write("a.txt", text)
        rig.cat("a.txt")
        rig.word()
    versions = [each.version for each in rig.answer(HistoryTold, TellHistory, id="f1").versions]
    assert rig.answer(ObjectShown, ShowObject, id="f1", version=1).text == "<one>\n"
    assert rig.answer(ObjectShown, ShowObject, id="f1").text == "<three>\n"
    at = versions[1].valid_from.isoformat()
    assert rig.answer(ObjectShown, ShowObject, id="f1", at=at).text == "<two>\n"
    assert rig.answer(ObjectShown, ShowObject, id="", hash=versions[0].content_hash[:8]).text == "<one>\n"
    assert "-<two>\n+<three>" in rig.answer(ObjectShown, DiffObject, id="f1").text
    assert "-<one>\n+<three>" in rig.answer(ObjectShown, DiffObject, id="f1", old=1, new=3).text
    assert rig.answer(ObjectShown, DiffObject, id="f1", old=2, new=2).text == "(no difference)"


UNTOLD: list[tuple[type[Message], dict[str, Any], str]] = [
    (ShowObject, {"id": ""}, "the id of an object or a hash is needed"),
    (ShowObject, {"id": "f1", "version": 1, "hash": "0" * 8}, "and not several of them"),
    (ShowObject, {"id": "f1", "at": "yesterday"}, "time 'yesterday': a moment such as"),
    (ShowObject, {"id": "t7"}, "there is none of that name in this window"),
    (ShowObject, {"id": "tx"}, "id of an object 'tx'"),
    (ShowObject, {"id": "chat"}, "this conversation is kept nowhere"),
    (ShowObject, {"id": "system"}, "system: has no versions"),
    (TellHistory, {"id": "chat"}, "chat: has no versions"),
    (DiffObject, {"id": "t1"}, "a file's name is needed"),
    (DiffObject, {"id": "f1"}, "f1 has one version, so there is nothing to compare it with"),
]


def test_what_cannot_be_told_is_refused(rig: ObjectsRig, subtests: pytest.Subtests) -> None:
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    rig.word()
    for kind, fields, reason in UNTOLD:
        with subtests.test(kind=kind, fields=fields, reason=reason):
            assert reason in rig.refusal(kind, **fields)


def test_lists_go_on_where_they_ended(rig: ObjectsRig) -> None:
    for number in range(205):
        rig.ran("echo", f"{number}")
    rig.word()
    first = rig.answer(ObjectsListed, ListObjects, kind="outputs")
    assert (len(first.objects), first.is_all) == (200, False)
    rest = rig.answer(ObjectsListed, ListObjects, kind="outputs", after=first.objects[-1].id)
    assert ([each.id for each in rest.objects], rest.is_all) == ([f"t{number}" for number in range(201, 206)], True)
    everything = rig.answer(ObjectsListed, ListObjects)
    assert [each.id for each in everything.objects[:3]] == ["chat", "system", "t1"]
    assert [each.state for each in everything.objects[:2]] == ["locked", "locked"]


def test_more_requests_than_may_wait_are_refused(rig: ObjectsRig) -> None:
    from messages.base import RequestId
    from messages.objects import objects_of
    from messages.socket import Refused

    rig.ran("echo", "x")
    rig.shelf.is_silent = True
    for number in range(120):
        message = ListObjects(request_id=RequestId(f"q{number}"), reply_to=rig.asker.address, window=rig.window)
        rig.system.tell(objects_of(rig.window), message)
    rig.system.run()
    refused = [each for each in rig.drain_messages() if isinstance(each, Refused)]
    assert len(refused) >= 19
    assert all("100 requests wait already" in each.reason for each in refused)
