"""Trouble of a window's objects: a store that is away, lost or slow, lives that end, turns that leave and come back."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.objects.actor import RETRY_S
from actors.objects.answers import LOCKED
from actors.objects.looking import Looking
from domain.objects.ageing import Keep
from messages.base import RequestId
from messages.objects import ListObjects, ObjectDone, ObjectsListed, ReadObject, objects_of
from tests.actors.objects.rig import ObjectsRig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[ObjectsRig]:
    rig = ObjectsRig(tmp_path)
    yield rig
    rig.stop()


def fail(rig: ObjectsRig, how: str) -> None:
    """The store refuses, is silent, or is well again."""
    rig.shelf.trouble = "disk full" if how == "refuses" else ""
    rig.shelf.is_silent = how == "silent"


@pytest.mark.parametrize("how", ["refuses", "silent"])
def test_a_window_that_nothing_can_be_learnt_of_is_worded_after_a_while_with_numbers_of_its_own(
    rig: ObjectsRig, how: str
) -> None:
    fail(rig, how)
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    assert [rig.refused_word() for _ in range(2)] == [True, True]
    before = rig.words()
    assert "[output t1000001 is file f1000001: a.txt" in before
    assert "cannot be loaded" in rig.refusal(ListObjects)
    rig.ran("echo", "<out>")
    assert rig.words().startswith(before)
    fail(rig, "well")
    rig.settle(6.0)
    kept = rig.shelf.of(rig.window)
    assert [each.object for each in kept.outputs] == ["t1000001", "t1000002"]
    assert [each.text for each in kept.versions] == ["<a>\n"]
    rig.live_again()
    assert rig.words().startswith(before)


@pytest.mark.parametrize("how", ["refuses", "silent"])
def test_no_number_is_given_to_two_things_though_the_store_was_away(rig: ObjectsRig, how: str) -> None:
    rig.turn()
    rig.ran("echo", "<one>")
    before = rig.words()
    rig.live_again()
    fail(rig, how)
    assert [rig.refused_word() for _ in range(2)] == [True, True]
    assert "[output t1000001: " in rig.words()
    fail(rig, "well")
    rig.ran("echo", "<two>")
    words = rig.words()
    assert words.startswith(before)
    assert "[output t2: exit 0, 5 characters]\n<two>" in words
    assert "1000001" not in words


@pytest.mark.parametrize("how", ["refuses", "silent"])
def test_what_the_store_has_not_got_goes_in_when_it_can_and_no_idle_window_forgets_it(
    rig: ObjectsRig, how: str
) -> None:
    rig.write("a.txt", "<one>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    fail(rig, how)
    for text in ("<two>\n", "<three>\n"):
        rig.write("a.txt", text)
        rig.cat("a.txt")
        assert text.strip() in rig.words()
    rig.settle(200.0)
    fail(rig, "well")
    rig.settle(6.0)
    kept = rig.shelf.of(rig.window).versions
    assert [(each.version.no, each.text) for each in kept] == [(1, "<one>\n"), (2, "<two>\n"), (3, "<three>\n")]


def test_a_turn_that_was_left_out_for_a_while_comes_back_to_its_place_with_its_numbers(rig: ObjectsRig) -> None:
    first = rig.turn()
    rig.ran("echo", "<one>")
    rig.turn()
    rig.ran("echo", "<two>")
    before = rig.words()
    turns = dict(rig.turns)
    del rig.turns[first]
    rig.word()
    rig.turns = turns
    words = rig.words()
    assert "[output t1: exit 0, 5 characters]" in words
    assert words.index("[output t1:") < words.index("[output t2:")
    rig.turn()
    rig.turn()
    assert "<two>" in rig.words()
    assert "<one>" not in rig.words()
    assert len(rig.shelf.of(rig.window).outputs) == 2
    assert before


def test_a_machine_without_descriptors_is_refused_and_no_crash(
    rig: ObjectsRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    with monkeypatch.context() as patched:
        patched.setattr(Looking, "look", lambda *_args, **_how: raise_no_files())
        assert rig.refused_word()
    assert "[output t1 is file f1: a.txt, version 1, 3 characters]\n<a>" in rig.words()


def test_what_was_taken_in_before_the_machine_had_no_descriptors_is_kept_though_nobody_asks_again(
    rig: ObjectsRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    with monkeypatch.context() as patched:
        patched.setattr(Looking, "look", lambda *_args, **_how: raise_no_files())
        assert rig.refused_word()
    assert rig.shelf.of(rig.window).last == 0
    rig.settle(RETRY_S + 1)

    assert rig.shelf.of(rig.window).last == 1
    (mailbox,) = (each for each in rig.system.mailboxes() if each.address == objects_of(rig.window))
    assert not mailbox.holds_work()


def raise_no_files() -> None:
    """No descriptor is left."""
    raise OSError(errno.EMFILE, "Too many open files")


def test_a_store_that_has_lost_everything_is_filled_again(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    rig.word()
    rig.shelf.windows.clear()
    rig.ran("echo", "<out>")
    words = rig.words()
    assert "[output t1 is file f1: a.txt, version 1, 3 characters]\n<a>" in words
    assert "<out>" in words
    assert rig.shelf.of(rig.window).last == 1


def test_what_was_kept_and_cannot_be_read_is_begun_anew(rig: ObjectsRig) -> None:
    rig.turn()
    rig.ran("echo", "<out>")
    rig.word()
    rig.shelf.of(rig.window).rounds[:] = [b"\xc1"]
    rig.live_again()
    before = rig.words()
    assert "[output t2: exit 0, 5 characters]\n<out>" in before, "the number that was given away is another's"
    assert rig.shelf.of(rig.window).rounds == [], "the state takes the place of what cannot be read"
    rig.live_again()
    assert rig.words() == before


@pytest.mark.req("S3-43", "S3-53")
def test_long_outputs_of_one_turn_are_bounded(tmp_path: Path) -> None:
    rig, words = ObjectsRig(tmp_path, keep=Keep()), ""
    rig.turn()
    for number in range(50):
        rig.ran(f"make {number}", f"{number}" * 25_000)
        words = rig.words()
    assert len(words) / 4 <= 70_000
    assert words.count("[output t") == 50
    rig.stop()


def test_a_leave_for_idleness_loses_nothing(rig: ObjectsRig) -> None:
    rig.write("a.txt", "<a>\n")
    rig.turn()
    rig.cat("a.txt")
    before = rig.words()
    for _ in range(3):
        rig.clock.advance(61.0)
        rig.system.run()
    assert rig.words() == before


def test_what_comes_late_from_the_store_means_nothing(rig: ObjectsRig) -> None:
    from messages.objects import RoundStored

    rig.turn()
    rig.ran("echo", "<out>")
    rig.word()
    rig.system.tell(objects_of(rig.window), RoundStored(request_id=RequestId("other"), round=9))
    rig.system.run()
    assert "<out>" in rig.words()


def test_a_list_goes_on_after_what_a_list_has_and_after_nothing_else(rig: ObjectsRig) -> None:
    for name in LOCKED:
        if name in ("chat", "system"):
            assert rig.answer(ObjectsListed, ListObjects, after=name).is_all
        else:
            assert "id of an object" in rig.refusal(ListObjects, after=name)


def test_a_pinned_output_stays_however_often_the_turn_it_stands_in_leaves(rig: ObjectsRig) -> None:
    rig.turn()
    rig.ran("echo '<out>'", "<out>\n")
    rig.word()
    rig.switch("t1", "pinned")
    rig.ran("true")
    words = rig.words()
    for _ in range(8):
        rig.turn()
        if len(rig.turns) > 2:
            del rig.turns[next(iter(rig.turns))]
        rig.ran("true")
        words = rig.words()
    assert "[text of t1]" in words or '"object":"t1"' in words


def test_a_file_that_only_its_name_was_known_of_is_shown_once_it_is_active(rig: ObjectsRig) -> None:
    rig.turn()
    rig.write("a.txt", "<a>\n")
    rig.ran("ls", "a.txt\n")
    rig.settle(1.0)
    rig.word()
    rig.ran("true")
    rig.word()
    rig.switch("f1", "active")
    rig.ran("true")
    assert rig.words().endswith("\n<a>")


def test_a_file_that_was_gone_and_is_there_again_is_seen(rig: ObjectsRig) -> None:
    rig.turn()
    rig.write("a.txt", "<one>\n")
    rig.cat("a.txt")
    rig.word()
    (rig.folder / "a.txt").unlink()
    rig.ran("rm a.txt")
    assert "[file f1: a.txt is gone, version 2]" in rig.words()
    rig.write("a.txt", "<two>\n")
    rig.ran("git checkout .")
    assert "[file f1: a.txt has changed, version 3, 6 characters]" in rig.words()
    rig.cat("a.txt")
    assert rig.words().endswith("[output t4 is file f1: a.txt, version 3, 5 characters]\n<two>")


def test_what_a_refused_read_would_have_kept_takes_no_room(rig: ObjectsRig) -> None:
    rig.turn()
    rig.write("big.txt", "x" * 250_000)
    rig.write("small.txt", "<small>\n")
    rig.word()
    rig.shelf.trouble = "locked"
    for _ in range(18):
        assert "it could not be stored" in rig.refusal(ReadObject, path="big.txt")
    rig.shelf.trouble = ""
    rig.answer(ObjectDone, ReadObject, path="small.txt")
    assert [kept.text for kept in rig.shelf.of(rig.window).versions] == ["<small>\n"]
