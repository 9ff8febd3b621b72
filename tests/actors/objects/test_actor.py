"""ObjectsActor: what a window's requests show of its files and outputs, and that nothing is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.objects.looking import Looking
from actors.objects.observer import MOST_LOOKS
from domain.objects.looked import FileLook
from messages.objects import ListObjects, ObjectsListed, objects_of
from messages.turn import RequestWorded
from tests.actors.objects.rig import ObjectsRig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[ObjectsRig]:
    rig = ObjectsRig(tmp_path)
    yield rig
    rig.stop()


@pytest.mark.req("S3-20", "S3-22", "S3-07", "S3-08")
def test_a_file_that_is_printed_whole_is_an_object_with_its_text(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    assert "[output t1 is file f1: a.txt, version 1, 3 characters]\n<a>" in rig.words()
    (kept,) = rig.shelf.of(rig.window).versions
    assert (kept.version.object, kept.version.no, kept.version.status, kept.text) == ("f1", 1, "text", "<a>\n")


@pytest.mark.req("S3-41")
def test_a_file_that_is_read_twice_is_one_object_and_two_equal_outputs_are_two(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    rig.write("a.txt", "<other>\n")
    rig.cat("a.txt")
    rig.word()
    for _ in range(2):
        rig.ran("grep x b.txt", "same\n")
    rig.word()
    files = rig.answer(ObjectsListed, ListObjects, kind="files").objects
    assert [(each.id, each.about) for each in files] == [("f1", "a.txt, version 2")]
    words = rig.words()
    assert ("[output t3: exit 0, 4 characters]" in words, "[output t4: exit 0, 4 characters]" in words) == (True, True)


@pytest.mark.req("S3-21")
def test_a_file_that_no_command_named_is_no_object(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.write("b.txt", "<b>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    listed = rig.answer(ObjectsListed, ListObjects, kind="files")
    assert [each.about for each in listed.objects] == ["a.txt, version 1"]


@pytest.mark.req("S3-24", "S3-39")
def test_files_that_a_listing_names_are_known_by_name_only(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.ran("ls", "a.txt\nnothing.txt\n")
    words = rig.words()
    assert "[files: f1 a.txt]" in words
    assert "<a>" not in words
    (kept,) = rig.shelf.of(rig.window).versions
    assert (kept.version.status, kept.text) == ("unread", None)
    rig.cat("a.txt")
    assert "[output t2 is file f1: a.txt, version 1, 3 characters]\n<a>" in rig.words()


@pytest.mark.req("S3-22")
def test_files_that_a_reader_is_given_by_a_pattern_are_known_with_their_texts(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.write("b.txt", "<b>\n")
    rig.turn()
    rig.ran("head -1 *.txt", "<a>\n<b>\n")
    rig.word()
    assert [each.text for each in rig.shelf.of(rig.window).versions] == ["<a>\n", "<b>\n"]


@pytest.mark.req("S3-23")
def test_a_file_of_which_only_the_name_was_known_has_its_text_once_a_command_has_changed_it(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.ran("ls", "a.txt\n")
    rig.word()
    rig.write("a.txt", "<b>\n", ago_s=0.5)
    rig.ran("sed -i s/a/b/ *.txt")
    rig.word()
    kept = rig.shelf.of(rig.window).versions[-1]
    assert (kept.version.no, kept.version.status, kept.text) == (1, "text", "<b>\n")


@pytest.mark.req("S3-23")
def test_a_file_that_a_command_has_written_is_known_with_its_text(rig: ObjectsRig) -> None:
    rig.turn()
    rig.write("a.txt", "<a>\n", ago_s=0.5)
    rig.ran("tee a.txt")
    assert "<a>" not in rig.words()
    (kept,) = rig.shelf.of(rig.window).versions
    assert (kept.version.status, kept.text) == ("text", "<a>\n")


@pytest.mark.req("S3-23", "S3-27", "S3-38", "S3-55", "X-99")
def test_a_change_from_wherever_is_a_new_version_and_an_active_file_is_shown_anew(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<old>\n")
    rig.turn()
    rig.cat("a.txt")
    assert "<old>" in rig.words()
    rig.write("a.txt", "<new>\n")
    rig.ran("true")
    words = rig.words()
    assert "<old>" not in words
    assert "[file f1: a.txt has changed, version 2, 6 characters]" in words
    assert "[text of f1, version 2]\n<new>" in words
    rig.write("a.txt", "<newest>\n")
    rig.turn()
    words = rig.words()
    assert "INJECTED_CONTEXT_OBJECTS" in words
    assert "newest" in words
    assert "<new>" not in words


def test_a_file_that_is_changed_and_printed_between_two_requests_is_shown_anew(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<old>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    rig.write("a.txt", "<new>\n")
    rig.ran("sed")
    rig.cat("a.txt")
    words = rig.words()
    assert "<old>" not in words
    assert "[output t3 is file f1: a.txt, version 2, 5 characters]\n[file f1: a.txt has changed" in words
    assert words.endswith("\n<new>")


@pytest.mark.req("S3-28")
def test_a_file_that_is_moved_keeps_its_id(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    (rig.folder / "a.txt").rename(rig.folder / "b.txt")
    rig.ran("mv a.txt b.txt")
    words = rig.words()
    assert "[file f1: b.txt is where a.txt was moved, version 2]" in words
    assert words.count("<a>") == 1
    assert "f2" not in words


@pytest.mark.req("S3-29")
def test_a_file_that_is_deleted_is_missing_and_its_versions_stay(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    (rig.folder / "a.txt").unlink()
    rig.write("unrelated.txt", "<b>\n")
    rig.ran("rm a.txt")
    words = rig.words()
    assert "[file f1: a.txt is gone, version 2]" in words
    assert "<a>" not in words
    assert [each.version.status for each in rig.shelf.of(rig.window).versions] == ["text", "missing"]


def test_a_file_that_is_moved_over_another_leaves_that_one_missing(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.write("b.txt", "<b>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.cat("b.txt")
    rig.word()
    (rig.folder / "a.txt").rename(rig.folder / "b.txt")
    rig.ran("mv a.txt b.txt")
    words = rig.words()
    assert "[file f1: b.txt is where a.txt was moved, version 2]" in words
    assert "[file f2: b.txt is gone, version 2]" in words
    assert "<b>" not in words


@pytest.mark.req("S3-02")
def test_a_file_that_is_printed_again_unchanged_costs_a_line(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    before = rig.words()
    rig.cat("a.txt")
    words = rig.words()
    assert words.startswith(before)
    assert words.count("<a>") == 1


@pytest.mark.req("S3-44", "S3-49")
def test_each_call_is_taken_in_once(rig: ObjectsRig) -> None:
    rig.turn()
    rig.ran("echo a", "<a>")
    assert rig.words() == rig.words()
    kept = rig.shelf.of(rig.window)
    assert (len(kept.rounds), len(kept.outputs)) == (1, 1)


@pytest.mark.req("S3-45")
def test_turns_that_the_window_has_forgotten_leave_and_their_files_stay_in_sight(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    first = rig.turn()
    rig.cat("a.txt")
    rig.ran("echo", "<out>")
    rig.word()
    rig.turn()
    del rig.turns[first]
    words = rig.words()
    assert "\\u003ca\\u003e" in words
    assert "out" not in words


def test_so_many_names_are_looked_at_before_a_request_and_no_more(
    rig: ObjectsRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    real = Looking.look

    def look(looking: Looking, name: str, *, reads: bool) -> FileLook | None:
        looks.append(name)
        return real(looking, name, reads=reads)

    monkeypatch.setattr(Looking, "look", look)
    rig.turn()
    for number in range(4):
        rig.ran(f"ls {number}", "\n".join(f"nothing {number}-{each}" for each in range(900)))
    rig.word()
    assert len(looks) == len(set(looks)) == MOST_LOOKS
    rig.ran("cat one more")
    rig.word()
    assert looks[-1] in ("one", "more")


def test_a_path_that_another_file_takes_is_one_objects(rig: ObjectsRig) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        rig.write(name, f"<{name}>")
    rig.turn()
    rig.ran("head *.txt", "")
    rig.word()
    (rig.folder / "a.txt").rename(rig.folder / "b.txt")
    (rig.folder / "c.txt").rename(rig.folder / "a.txt")
    rig.ran("mv")
    rig.word()
    listed = rig.answer(ObjectsListed, ListObjects, kind="files")
    assert [(each.id, each.state, each.about.partition(",")[0]) for each in listed.objects] == [
        ("f1", "inactive", "b.txt"),
        ("f2", "missing", "b.txt"),
        ("f3", "inactive", "a.txt"),
    ]


@pytest.mark.req("S3-60")
def test_a_new_log_is_a_new_session_with_the_same_names(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    rig.log, rig.turns = "logs/b.md", {}
    rig.turn()
    assert "f1" not in rig.words()
    rig.cat("a.txt")
    assert "[output t2 is file f1: a.txt, version 1, 3 characters]\n<a>" in rig.words()


@pytest.mark.req("X-97")
def test_the_next_life_words_a_request_as_the_last_one_did(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.ran("echo", "<out>")
    rig.write("a.txt", "<b>\n")
    rig.ran("sed -i s/a/b/ a.txt")
    rig.turn()
    before = rig.words()
    rig.live_again()
    assert rig.words() == before
    rig.ran("echo", "<more>")
    assert rig.words().startswith(before)


def test_a_long_session_is_kept_as_a_state_and_comes_back_the_same(rig: ObjectsRig) -> None:
    before = ""
    rig.write("a.txt", "<a>\n")
    for number in range(70):
        rig.turn()
        rig.ran("echo", f"<{number}>")
        rig.cat("a.txt")
        before = rig.words()
    assert 0 < len(rig.shelf.of(rig.window).rounds) < 10
    rig.live_again()
    assert rig.words() == before


def test_a_request_that_is_asked_again_makes_the_earlier_one_moot(rig: ObjectsRig) -> None:
    rig.turn()
    rig.ran("echo", "<out>")
    requests = [rig.word_request() for _ in range(3)]
    for request in requests:
        rig.system.tell(objects_of(rig.window), request)
    rig.system.run()
    heard = [message for message in rig.drain_messages() if isinstance(message, RequestWorded)]
    assert [message.request_id for message in heard] == [requests[0].request_id, requests[2].request_id]
