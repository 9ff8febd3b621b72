from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.answer.assembly import Assembly
from domain.turn.bash_tool import BASH_TOOL
from messages.base import Address, RequestId, Surface, Window
from messages.model import ModelRequest, StopReason, Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda x: st.lists(x, max_size=2) | st.dictionaries(st.text(), x, max_size=2),
    max_leaves=3,
)


def delta(index: object = None, call_id: object = None, name: object = None, arguments: object = None) -> object:
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}


REQUEST = ModelRequest(
    request_id=RequestId("r1"),
    reply_to=Address("test"),
    window=Window(surface=Surface.CLI, id="w"),
    system_prompt="",
    messages=(),
    tools=(BASH_TOOL,),
)


def calls_of(*deltas: object) -> list[tuple[str, str, str]]:
    assembly = Assembly()
    for each in deltas:
        assembly.add_call(each)
    return [(call.id, call.name, call.arguments_json) for call in assembly.completion(REQUEST, Usage()).tool_calls]


def test_pieces_with_an_index_are_joined_by_it() -> None:
    pieces = (
        delta(0, "a", "bash", '{"x"'),
        delta(1, "b", "bash", "{"),
        delta(0, None, None, ":1}"),
        delta(1, None, None, "}"),
    )

    assert calls_of(*pieces) == [("a", "bash", '{"x":1}'), ("b", "bash", "{}")]


def test_pieces_without_an_index_are_joined_by_id_and_then_by_order() -> None:
    pieces = (delta(None, "a", "bash", "1"), delta(None, None, None, "2"), delta(None, "b", "bash", "3"))

    assert calls_of(*pieces) == [("a", "bash", "12"), ("b", "bash", "3")]


def test_calls_that_are_numbered_alike_are_apart_where_each_has_an_id_and_a_name() -> None:
    pieces = (delta(0, "a", "bash", "{"), delta(0, None, None, "}"), delta(0, "b", "bash", "["), delta(0, "", "", "]"))

    assert calls_of(*pieces) == [("a", "bash", "{}"), ("b", "bash", "[]")]


def test_a_server_that_makes_up_an_id_for_each_piece_is_understood() -> None:
    assert calls_of(delta(0, "a", "bash", "{"), delta(0, "b", None, "}")) == [("a", "bash", "{}")]


def test_a_piece_that_has_lost_its_index_is_joined_by_id() -> None:
    pieces = (delta(0, "a", "bash", "{"), delta(1, "b", "bash", "["), delta(None, "a", None, "}"))

    assert calls_of(*pieces) == [("a", "bash", "{}"), ("b", "bash", "[")]


def test_a_piece_without_index_and_id_belongs_to_the_call_that_was_spoken_of_last() -> None:
    pieces = (delta(0, "a", "x", "1"), delta(1, "b", "x", "2"), delta(0, None, None, "3"), delta(None, None, None, "4"))

    assert calls_of(*pieces) == [("a", "x", "134"), ("b", "x", "2")]


def test_a_name_behind_whole_arguments_begins_another_call_where_ids_are_missing() -> None:
    for index in (None, 0):
        pieces = (delta(index, None, "bash", '{"n": 1}'), delta(index, None, "bash", '{"n": 2}'))

        assert [arguments for _, _, arguments in calls_of(*pieces)] == ['{"n": 1}', '{"n": 2}']


def test_words_that_come_in_parts_are_words() -> None:
    assembly = Assembly()

    assert assembly.add_text([{"type": "text", "text": "a"}, {"text": 7}, "x", {"type": "text", "text": "b"}]) == "ab"
    assert assembly.text == "ab"


def test_missing_and_doubled_ids_are_made_up() -> None:
    assert calls_of(delta(0, None, "x", ""), delta(1, "a", "x", ""), delta(2, "a", "x", "")) == [
        ("call_r1_1", "x", "{}"),
        ("a", "x", "{}"),
        ("call_r1_3", "x", "{}"),
    ]


def test_objects_serve_as_well_as_mappings() -> None:
    piece = SimpleNamespace(index=0, id="a", function=SimpleNamespace(name="bash", arguments="{}"))

    assert calls_of(piece) == [("a", "bash", "{}")]


def test_arguments_that_are_no_text_become_json() -> None:
    assert calls_of(delta(0, "a", "bash", {"command": "ls"})) == [("a", "bash", '{"command": "ls"}')]


@given(st.lists(st.builds(delta, JSON, JSON, JSON, JSON) | JSON))
def test_no_piece_makes_it_raise(deltas: list[object]) -> None:
    ids = [call_id for call_id, _, _ in calls_of(*deltas)]

    assert all(ids)


def test_the_stop_reason_agrees_with_what_came(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, bool, StopReason]] = [
        ("stop", False, StopReason.STOP),
        ("content_filter", False, StopReason.FILTER),
        ("length", False, StopReason.LENGTH),
        ("length", True, StopReason.LENGTH),
        ("stop", True, StopReason.TOOL_CALLS),
        ("tool_calls", True, StopReason.TOOL_CALLS),
        ("tool_calls", False, StopReason.MALFORMED),
    ]
    for reason, with_call, expected in cases:
        with subtests.test(told=reason, with_call=with_call, expected=expected):
            assembly = Assembly()
            assembly.finish_reason = reason
            if with_call:
                assembly.add_call(delta(0, "a", "bash", "{}"))

            assert assembly.completion(REQUEST, Usage()).stop_reason is expected


def test_what_is_no_text_adds_none(subtests: pytest.Subtests) -> None:
    cases: list[object] = [None, "", 3, ["x"]]
    for piece in cases:
        with subtests.test(piece=piece):
            assembly = Assembly()

            assert assembly.add_text(piece) == ""
            assert assembly.text == ""


@pytest.mark.req("X-235")
def test_calls_in_very_many_pieces_take_little_time() -> None:
    """A server that repeats the name beside each piece has the arguments looked at with each, to see a new call."""
    for piece in ("x", "{", '{"a": "', "{}x", "}", "\\"):
        before = time.process_time()
        calls_of(delta(0, "a", "bash", "{"), *(delta(0, None, "bash", piece) for _ in range(30_000)))
        assert time.process_time() - before < 5, piece


def test_a_call_behind_whole_arguments_in_pieces_is_another() -> None:
    pieces = [delta(0, None, "bash", part) for part in ('{"a": "}', '\\"', '{"', "}", '{"b": [1', "]}", "{}")]

    assert [arguments for _, _, arguments in calls_of(*pieces)] == ['{"a": "}\\"{"}', '{"b": [1]}', "{}"]


@pytest.mark.req("X-235")
def test_names_and_ids_of_calls_are_kept_short_and_steer_nothing() -> None:
    long_id, signed = "i" * 100_000, "call_1__thought__" + "s" * 9_000
    ids_and_names = [("\x1b[2J\n", "ba\x07sh\r"), (long_id, "n" * 1_000_000), (signed, "bash"), ("é", "ü")]

    calls = calls_of(*(delta(number, call_id, name, "{}") for number, (call_id, name) in enumerate(ids_and_names)))

    assert [(call_id, name) for call_id, name, _ in calls] == [
        ("call_r1_1", "ba\ufffdsh\ufffd"),
        ("call_r1_2", "n" * 200),
        (signed, "bash"),
        ("é", "ü"),
    ]
