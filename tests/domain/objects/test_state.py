"""State: files and outputs, where their texts stand, and what is left of them when turns go."""

from __future__ import annotations

import pytest

from domain.objects.ageing import Keep
from domain.objects.entries import SessionBegan
from domain.objects.state import NEWS, SAID_CHARS, decode, encode
from tests.domain.objects.story import Story, look

WIDE = Keep()


@pytest.mark.req("S3-02")
def test_a_file_that_is_printed_twice_is_one_object_and_shown_once() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<a>")
    story.cat("a.txt")
    story.request()
    story.cat("a.txt")
    words = story.request()
    assert words.count("<a>") == 1
    assert "[output t1 is file f1: a.txt, version 1, 3 characters]" in words
    assert "[output t2 is file f1: a.txt, version 1, 3 characters, unchanged, its text stands above]" in words
    assert list(story.objects.files) == ["f1"]


def test_two_equal_outputs_are_two_objects() -> None:
    story = Story(WIDE)
    story.turn()
    assert (story.run("same"), story.run("same")) == ("t1", "t2")


@pytest.mark.req("S3-12", "S3-25", "S3-27")
def test_an_active_file_that_changes_is_shown_anew_and_the_old_text_goes() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<old>")
    story.cat("a.txt")
    story.request()
    story.run("sed")
    story.write("a.txt", "<new>")
    words = story.request()
    assert "<old>" not in words
    assert words.count("<new>") == 1
    assert "[file f1: a.txt has changed, version 2, 5 characters]" in words
    assert "[text of f1, version 2]\n<new>" in words


@pytest.mark.req("S3-30")
def test_an_inactive_file_that_changes_stays_inactive() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<old>")
    story.run("ls", found=("f1",))
    story.request()
    story.run("sed")
    story.write("a.txt", "<new>")
    words = story.request()
    assert "<new>" not in words
    assert "version 2" in words


@pytest.mark.req("S3-28")
def test_a_file_that_is_moved_keeps_its_id_and_its_text_stays_where_it_is() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<a>")
    story.cat("a.txt")
    before = story.request()
    story.run("mv")
    story.see("f1", look("b.txt", "<a>"))
    words = story.request()
    assert words.startswith(before)
    assert "[file f1: b.txt is where a.txt was moved, version 2]" in words
    assert story.objects.file_at("a.txt") is None
    assert story.objects.file_at("b.txt") is story.objects.files["f1"]


@pytest.mark.req("S3-29")
def test_a_file_that_is_gone_is_shown_no_longer_and_comes_back_under_its_name() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<a>")
    story.cat("a.txt")
    story.run("rm")
    story.see("f1", None)
    words = story.request()
    assert "<a>" not in words
    assert "[file f1: a.txt is gone, version 2]" in words
    assert story.write("a.txt", "<again>") == "f1"
    assert story.objects.files["f1"].version.no == 3


def test_a_file_that_takes_anothers_place_leaves_that_one_missing() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<a>")
    story.write("b.txt", "<b>")
    story.see("f1", look("b.txt", "<a>"))
    story.see("f2", None)
    assert story.objects.file_at("b.txt") is story.objects.files["f1"]
    assert story.objects.files["f2"].version.status == "missing"


def test_what_is_active_finds_another_place_when_its_turn_goes() -> None:
    story = Story(WIDE)
    first = story.turn()
    story.write("a.txt", "<a>")
    story.cat("a.txt")
    output = story.run("<out>")
    story.switch(output, "pinned")
    story.request()
    story.turn()
    story.leave(first)
    words = story.request()
    assert "INJECTED_CONTEXT_OBJECTS\n{" in words
    assert (words.count("\\u003ca\\u003e"), words.count("\\u003cout\\u003e")) == (1, 1)


def test_what_was_active_in_a_turn_that_was_taken_back_is_shown_no_more_unless_it_is_pinned() -> None:
    story = Story(WIDE)
    first = story.turn()
    for name in ("a.txt", "b.txt"):
        story.write(name, f"<{name}>")
        story.cat(name)
    story.switch("f2", "pinned")
    story.switch(story.run("<out>"), "pinned")
    story.request()
    story.turn()
    story.leave(first, withdrawals=1)
    words = story.request()
    assert "a.txt" not in words
    assert "out" not in words
    assert "b.txt" in words
    assert not story.objects.files["f1"].is_active


def test_of_many_changes_in_one_request_some_are_told_and_the_rest_are_counted() -> None:
    story = Story(WIDE)
    story.turn()
    names = [story.write(f"{number}.txt", f"<{number}>") for number in range(60)]
    story.run("ls", found=tuple(names))
    story.request()
    story.run("mv")
    for number, name in enumerate(names):
        story.see(name, look(f"d/{number}.txt", f"<{number}>"))
    words = story.request()
    assert words.count("was moved") == NEWS
    assert f"[{60 - NEWS} more files are new, have changed, were moved or are gone; list shows them]" in words
    assert story.request() == words


def test_however_much_is_listed_the_lines_about_files_have_a_bound_and_room_again_when_turns_go() -> None:
    story, turns, words = Story(WIDE), [], ""
    for number in range(80):
        turns.append(story.turn())
        written_files = [story.write(f"{number}/{'x' * 150}{each}", "x") for each in range(50)]
        story.run("ls", found=tuple(written_files))
        words = story.request()
    assert len(words) < SAID_CHARS + 80 * 200
    assert "[50 more files are new" in words
    assert story.objects.said_chars == sum(
        len(line) for place, lines in story.objects.said.items() for line in lines[place in story.printed :]
    )
    story.leave(*turns[:-1])
    assert story.objects.said_chars < 200


def test_an_output_of_a_turn_that_is_gone_is_forgotten() -> None:
    story = Story(WIDE)
    first = story.turn()
    story.run("<out>")
    story.request()
    story.turn()
    story.leave(first)
    story.request()
    assert story.objects.outputs == {}


@pytest.mark.req("S3-60")
def test_another_log_is_another_session_in_which_nothing_is_present_but_names_stay() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<a>")
    story.cat("a.txt")
    story.switch("f1", "pinned")
    story.request()
    story.take(SessionBegan(log="logs/b.md"))
    file = story.objects.files["f1"]
    assert (file.is_present, file.is_active, file.is_pinned) == (False, False, False)
    assert (story.objects.slots, story.objects.outputs, story.objects.said) == ([], {}, {})
    assert story.objects.last_output == 1


def test_a_state_survives_its_encoding() -> None:
    story = Story(WIDE)
    story.turn()
    story.write("a.txt", "<a>")
    story.cat("a.txt")
    story.switch("f1", "pinned")
    story.request()
    again = decode(encode(story.objects))
    assert encode(again) == encode(story.objects)
