from __future__ import annotations

from pathlib import Path

import pytest

from actors.kernel import ManualClock
from domain.turn.worded import AS_LOGGED
from lab.bench.objects.play import PLAIN, STARTS_AT, Play, moments_of
from lab.bench.objects.request import request_of, shared_prefix, sums_of, words_in
from lab.bench.objects.story import Act, Exchange, Step, Story
from lab.bench.objects.work_folder import WorkFolder
from messages.model import ChatMessage, Role, ToolCall

QUESTION = ChatMessage(role=Role.USER, text="What is there?")
CALL = ToolCall(id="c1", name="bash", arguments_json='{"command":"ls"}')
ASKS = ChatMessage(role=Role.ASSISTANT, text="", tool_calls=(CALL,))
RESULT = ChatMessage(role=Role.TOOL, text="a\nb", tool_call_id="c1")
ANSWER = ChatMessage(role=Role.ASSISTANT, text="Two files.")

STORY = Story(
    "tiny",
    {"a.txt": 100},
    (
        Exchange("BLOCK-1", "First question?", ((Step(Act.PRINT, "a.txt"), Step(Act.EDIT, "a.txt")),), "First answer."),
        Exchange("BLOCK-2", "Second question?", ((Step(Act.LIST, "."),),), "Second answer."),
    ),
)


def test_a_prefix_is_what_both_begin_with() -> None:
    pairs = [(b"", b"abc", 0), (b"abc", b"abc", 3), (b"abcd", b"abx", 2), (b"xbc", b"abc", 0), (b"ab", b"abcdef", 2)]
    assert [(shared_prefix(one, other), shared_prefix(other, one)) for one, other, _ in pairs] == [
        (shared, shared) for *_, shared in pairs
    ]


def test_a_requests_size_is_that_of_its_texts_and_calls_without_json() -> None:
    request = request_of("System.", (QUESTION, ASKS, RESULT))
    assert request.chars == len("System." + "What is there?" + "c1" + "bash" + '{"command":"ls"}' + "a\nb" + "c1")
    assert request.tokens == request.chars // 4
    assert b'["tool","a\\nb",[],"c1"]' in request.data


def test_sums_are_those_that_one_finds_by_hand() -> None:
    first, second = request_of("S" * 100, (QUESTION,)), request_of("S" * 100, (QUESTION, ASKS, RESULT))
    sums = sums_of([first, second], [("What is there?", "Two files.")])
    shared = len(first.data) - 1  # all but the bracket that ends the list
    total = len(first.data) + len(second.data)
    assert (sums.largest_tokens, sums.words) == (second.tokens, 1)
    assert sums.mean_tokens == (first.chars + second.chars) / 8
    assert sums.cached_share == shared / total
    assert sums.price == pytest.approx(total - shared + 0.1 * shared)


def test_without_a_request_there_are_no_sums() -> None:
    with pytest.raises(ValueError, match="one is required"):
        sums_of([], [])


def test_a_turns_words_are_kept_when_both_prompt_and_answer_stand() -> None:
    exchanges = [("What is there?", "Two files."), ("And where?", "There.")]
    newest = ChatMessage(role=Role.USER, text="INJECTED\n\nAnd where?")
    assert words_in((QUESTION, ASKS, RESULT, ANSWER, newest), exchanges) == 2
    assert words_in((QUESTION, newest), exchanges) == 1
    assert words_in((ANSWER,), exchanges) == 0


def test_a_story_is_folded_as_the_core_folds_it(tmp_path: Path) -> None:
    now = moments_of(ManualClock(STARTS_AT))
    play = Play(STORY, WorkFolder(tmp_path / "work", STORY, now()), PLAIN, now)
    requests = []
    for turn in play.model_calls():
        wording_request = play.ask(turn)
        requests.append(play.messages(wording_request, AS_LOGGED))
    assert [[message.role.value for message in request] for request in requests] == [
        ["user"],
        ["user", "assistant", "tool", "tool"],
        ["user", "assistant", "tool", "tool", "assistant", "user"],
        ["user", "assistant", "tool", "tool", "assistant", "user", "assistant", "tool"],
    ]
    calls, printed = requests[1][1].tool_calls, requests[1][2]
    assert [call.id for call in calls] == [requests[1][2].tool_call_id, requests[1][3].tool_call_id]
    assert "cat a.txt" in calls[0].arguments_json
    assert len(printed.text) == 99
    assert requests[1][0].text.startswith("BLOCK-1\n\n[2037-01-01")
    assert requests[2][0].text.startswith("[2037-01-01")
    assert requests[2][5].text.startswith("BLOCK-2\n\n")
    assert "ls -R ." in requests[3][6].tool_calls[0].arguments_json


def test_the_oldest_turn_that_differs_is_the_one_whose_block_went(tmp_path: Path) -> None:
    now = moments_of(ManualClock(STARTS_AT))
    play = Play(STORY, WorkFolder(tmp_path / "work", STORY, now()), PLAIN, now)
    calls = [play.ask(turn) for turn in play.model_calls()]
    first, second = calls[0].turn_id, calls[2].turn_id
    assert [each.turn_id for each in calls] == [first, first, second, second]
    assert [each.breaks_from for each in calls] == ["", "", first, ""]
