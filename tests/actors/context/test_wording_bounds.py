"""Size of results in a request without wording, and forgotten results with wording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from domain.text.token_estimate import CHARS_PER_TOKEN
from messages.model import ModelRequest, StopReason
from tests.actors.context.rig import CHANNEL, bash_call, bash_result, texts
from tests.actors.context.worded import WAIT_S, Worded, shown_results

PATIENCE = 3
ELSEWHERE = "All of it: "


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Worded]:
    made = Worded(tmp_path)
    yield made
    made.stop()


def size(request: ModelRequest) -> int:
    return sum(len(message.text) for message in request.messages)


def lines(what: str, chars: int) -> str:
    """A result of about so many characters, in lines."""
    line = f"{what} and what else there is to say of it\n"
    return line * (chars // len(line))


def test_without_any_wording_results_of_earlier_turns_are_shown_by_their_ends(rig: Worded) -> None:
    rig.say("one", 1)
    rig.let_wait()
    rig.run_command("short")
    rig.let_wait()
    long = lines("long", 50_000) + "the end"
    rig.run_command(long, call_id="call-2")
    rig.let_wait()
    assert shown_results(rig.end()) == ["short", long], "the turn that is answered has it plain"
    logged = next(event for event in rig.events() if event.content == long)
    rig.say("two", 2)
    request = rig.end()
    short, cut = shown_results(request)
    assert short == "short"
    assert 1_900 <= len(cut) <= 2_200
    assert "the end\n\n[Showing last" in cut
    assert f"{ELSEWHERE}the record {logged.id} in this conversation's newest log" in cut
    assert [len(message.tool_calls) for message in request.messages if message.tool_calls] == [1, 1]


def test_where_all_of_an_output_is_kept_in_a_file_that_is_named(rig: Worded) -> None:
    rig.say("one", 1)
    rig.let_wait()
    rig.answer("", bash_call("ls"), stop=StopReason.TOOL_CALLS)
    (command,) = rig.commands()
    ended = bash_result(command, lines("long", 9_000))
    rig.tell(CHANNEL, msgspec.structs.replace(ended, full_output_path="/work/output/1.txt"))
    rig.let_wait()
    rig.end()
    rig.say("two", 2)
    rig.let_wait()
    assert f"{ELSEWHERE}/work/output/1.txt" in shown_results(rig.end())[0]


def test_once_something_was_worded_what_is_not_named_is_plain_in_later_turns_too(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    long = lines("long", 9_000)
    rig.run_command(long)
    rig.word(rig.take_question())
    rig.end()
    rig.say("two", 2)
    rig.let_wait()
    assert shown_results(rig.end()) == [long]


def test_a_turn_of_fifty_long_results_stays_within_its_bound(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for is_dead in (True, False):
        with subtests.test(is_dead=is_dead):
            root = tmp_path / str(is_dead)
            root.mkdir()
            rig = Worded(root, max_rounds=60, max_history_tokens=20_000)
            half = rig.config.max_history_tokens * CHARS_PER_TOKEN // 2
            rig.say("one", 1)
            sizes, shown = [], []
            for number in range(51):
                for question in rig.questions():
                    if not is_dead:
                        rig.word(question)
                if is_dead and number < PATIENCE:
                    rig.advance(WAIT_S)
                request = rig.run_command(lines(f"result {number}", 10_000), call_id=f"call-{number}")
                sizes.append(size(request))
                shown = shown_results(request)
            assert len(shown) == 50
            assert max(sizes) <= half + 50 * 900
            assert shown[-1] == lines("result 49", 10_000)
            assert [len(text) > 8_000 for text in shown] == [False] * 46 + [True] * 4, "the newest, as many as fit"
            assert all(ELSEWHERE in text for text in shown[:46])
            rig.stop()


def test_the_newest_result_is_plain_even_if_it_alone_does_not_fit(tmp_path: Path) -> None:
    rig = Worded(tmp_path, max_history_tokens=1_000)
    rig.say("one", 1)
    rig.let_wait()
    rig.run_command(lines("first", 1_500))
    rig.let_wait()
    rig.run_command(lines("second", 9_000), call_id="call-2")
    rig.let_wait()
    assert shown_results(rig.end())[-1] == lines("second", 9_000)
    rig.stop()


@pytest.mark.req("S3-57")
def test_the_words_of_sixty_turns_stay_where_results_are_worded(tmp_path: Path) -> None:
    rig = Worded(tmp_path)
    for number in range(1, 61):
        rig.say(f"question {number}", number)
        rig.word_all()
        rig.run_command(lines("output", 10_000))
        rig.word_all()
        rig.end(f"answer {number}")
    rig.say("last", 61)
    assert len(rig.word_all().turns) == 61
    said = texts(rig.end())
    assert [f"question {number}" in said for number in range(1, 61)] == [True] * 60
    rig.stop()


def test_a_life_that_begins_anew_forgets_the_same_turns(tmp_path: Path) -> None:
    rig = Worded(tmp_path, max_history_tokens=2_000)
    for number in range(1, 31):
        rig.say(f"question {number}", number)
        rig.word(rig.take_question())
        rig.run_command(lines("output", 3_000))
        rig.word(rig.take_question())
        rig.end("answer " * 20)
    rig.say("last", 61)
    before = rig.take_question()
    assert 5 < len(before.turns) < 30
    rig.kill()
    again = Worded(tmp_path, max_history_tokens=2_000)
    again.resume()
    assert again.take_question().turns == before.turns
    again.stop()


def test_what_is_worded_takes_no_room_and_is_not_cut(tmp_path: Path) -> None:
    rig = Worded(tmp_path, max_history_tokens=1_000)
    rig.say("one", 1)
    rig.word_all()
    rig.run_command(lines("first", 9_000))
    question = rig.take_question()
    rig.word(question, {call.event: "ref first" for call in question.turns[0].calls})
    rig.run_command(lines("second", 900), call_id="call-2")
    rig.let_wait()
    rig.run_command(lines("third", 900), call_id="call-3")
    rig.let_wait()
    assert shown_results(rig.end()) == ["ref first", lines("second", 900), lines("third", 900)]
    rig.stop()


def test_newer_turns_have_the_room_before_older_ones(tmp_path: Path) -> None:
    rig = Worded(tmp_path, max_history_tokens=1_000)
    for number in (1, 2):
        rig.say("go on", number)
        rig.word(rig.take_question())
        rig.run_command(lines(f"result {number}", 1_500))
        rig.word(rig.take_question())
        rig.end()
    rig.say("and now?", 3)
    rig.word(rig.take_question())
    older, newer = shown_results(rig.end())
    assert ELSEWHERE in older
    assert newer == lines("result 2", 1_500)
    rig.stop()


def test_what_is_cut_takes_room_as_well(tmp_path: Path) -> None:
    rig = Worded(tmp_path, max_history_tokens=10_000)
    half = rig.config.max_history_tokens * CHARS_PER_TOKEN // 2
    for number in range(1, 31):
        rig.say("go on", number)
        rig.advance(WAIT_S)
        rig.run_command(lines(f"result {number}", 9_000))
        rig.advance(WAIT_S)
        rig.end()
    rig.say("and now?", 31)
    request = rig.end()
    shown = shown_results(request)
    assert len(shown) == 30
    assert [len(text) > 1_500 for text in shown[-5:]] == [True] * 5
    assert sum(map(len, shown)) <= half + 30 * 800
    rig.stop()


def test_where_there_is_no_room_what_a_notice_would_make_longer_is_plain(tmp_path: Path) -> None:
    rig = Worded(tmp_path, max_history_tokens=1_000)
    rig.say("one", 1)
    rig.let_wait()
    rig.run_command(lines("short", 300))
    rig.let_wait()
    rig.run_command(lines("long", 1_950), call_id="call-2")
    rig.let_wait()
    assert shown_results(rig.end()) == [lines("short", 300), lines("long", 1_950)]
    rig.stop()


def test_of_an_earlier_result_that_is_longer_than_the_room_as_much_is_shown_as_of_any_other(tmp_path: Path) -> None:
    rig = Worded(tmp_path, max_history_tokens=2_000)
    rig.say("one", 1)
    rig.let_wait()
    rig.run_command(lines("long", 9_000))
    rig.let_wait()
    rig.end()
    rig.say("two", 2)
    rig.let_wait()
    (cut,) = shown_results(rig.end())
    assert 1_900 <= len(cut) <= 2_200
    rig.stop()
