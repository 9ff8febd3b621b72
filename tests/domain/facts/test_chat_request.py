from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.chat_request import RequestError, read_request, upstream_body, with_hits
from domain.facts.sound_text import sound
from messages.facts import EntryRole, FactHit
from tests.pace import paced_s

USER = {"role": "user", "content": "hello"}
ODD = b'{ "model":"m",  "n":12345678901234567890123, "x":1.50, "u":"\\u00e9\\/", "messages":[{"role":"user","content":"hi","z":[1.0, {}]}], "tools":[{"type":"function"}] }'


def body(**fields: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [USER]} | fields).encode()


def upstream(block: str, *messages: Any, **fields: Any) -> Any:
    return json.loads(upstream_body(read_request(body(messages=list(messages), **fields)), block))


@pytest.mark.req("S2-01", "S2-02", "X-133")
def test_a_request_says_what_a_memory_needs() -> None:
    request = read_request(body(stream=True, memory_id="alice", memory_top_k=3, memory_hits=True))

    assert (request.model, request.stream, request.memory_id, request.memory_top_k, request.wants_hits) == (
        "m",
        True,
        "alice",
        3,
        True,
    )
    assert (request.question, request.ends_with_user, request.texts) == ("hello", True, ("hello",))


def test_what_is_not_said_is_left_to_others() -> None:
    request = read_request(body())

    assert (request.stream, request.memory_id, request.memory_top_k, request.wants_hits) == (False, None, None, False)


def test_a_body_with_nothing_of_ours_goes_on_as_it_came() -> None:
    assert upstream_body(read_request(ODD), "") is ODD


def test_our_fields_never_go_on_and_all_others_keep_their_bytes() -> None:
    with_ours = ODD.replace(b'"x":1.50', b'"memory_id":"a", "memory_top_k":1, "memory_hits":true, "x":1.50')
    passed = upstream_body(read_request(with_ours), "")

    assert b"memory" not in passed
    for piece in (
        b"12345678901234567890123",
        b"1.50",
        b'"\\u00e9\\/"',
        b'{"role":"user","content":"hi","z":[1.0, {}]}',
    ):
        assert piece in passed


@given(
    st.lists(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(st.characters(exclude_categories=["Cs"])),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
            max_leaves=8,
        ),
        min_size=1,
        max_size=5,
    )
)
def test_messages_of_any_form_pass(messages: list[object]) -> None:
    assert upstream("", *messages, memory_id="x")["messages"] == messages
    assert upstream("b", *messages)["messages"][-len(messages) + 1 :] == messages[1:] or len(messages) == 1


@pytest.mark.req("S2-51")
def test_the_block_stands_in_a_system_message_in_front() -> None:
    assert upstream("BLOCK", USER)["messages"] == [{"role": "system", "content": "BLOCK"}, USER]


@pytest.mark.parametrize("role", ["system", "developer"])
def test_the_block_joins_a_system_message_that_is_there(role: str) -> None:
    first = {"role": role, "content": "Be kind.", "name": "n"}

    assert upstream("BLOCK", first, USER)["messages"] == [first | {"content": "Be kind.\n\nBLOCK"}, USER]


def test_the_block_joins_parts_and_fills_what_is_empty() -> None:
    parts = [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}]

    assert upstream("B", {"role": "system", "content": parts}, USER)["messages"][0]["content"] == [
        *parts,
        {"type": "text", "text": "B"},
    ]
    assert upstream("B", {"role": "system", "content": None}, USER)["messages"][0]["content"] == "B"
    assert upstream("B", {"role": "system"}, USER)["messages"][0]["content"] == "B"


def test_the_question_is_the_last_that_the_user_said() -> None:
    request = read_request(
        body(
            messages=[
                USER,
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "a"},
                        {"type": "image_url", "image_url": {}},
                        {"type": "text", "text": "b"},
                    ],
                },
                {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
                {"role": "tool", "tool_call_id": "1", "content": "result"},
            ]
        )
    )

    assert request.question == "a\nb"
    assert not request.ends_with_user
    assert request.texts == ("hello", "a\nb", "result")


def test_a_system_message_at_the_end_does_not_hide_that_the_user_spoke() -> None:
    assert read_request(body(messages=[USER, {"role": "system", "content": "x"}])).ends_with_user


@pytest.mark.req("S2-02")
def test_what_is_no_request_is_refused_by_name(subtests: pytest.Subtests) -> None:
    cases: list[tuple[bytes, str | None, str]] = [
        (b"", None, "JSON object"),
        (b"[]", None, "JSON object"),
        (b"\xff", None, "JSON object"),
        (b"[" * 100_000, None, "JSON object"),
        (b"{}", "messages", "missing"),
        (b'{"messages": "x"}', "messages", "list"),
        (b'{"messages": []}', "messages", "empty"),
    ]
    for raw, param, words in cases:
        with subtests.test(raw=raw, param=param, words=words):
            with pytest.raises(RequestError, match=words) as caught:
                read_request(raw)
            assert caught.value.param == param


def test_a_memory_id_that_is_none_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[object] = ["", "  ", 3, [], {}, True, "x" * 501]
    for value in cases:
        with subtests.test(value=value):
            with pytest.raises(RequestError, match="memory_id") as caught:
                read_request(body(memory_id=value))
            assert caught.value.param == "memory_id"


def test_a_top_k_that_is_none_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[object] = [-1, 201, 1.5, "3", True, []]
    for value in cases:
        with subtests.test(value=value), pytest.raises(RequestError, match="memory_top_k"):
            read_request(body(memory_top_k=value))


def test_null_is_as_good_as_nothing() -> None:
    request = read_request(body(memory_id=None, memory_top_k=None))

    assert (request.memory_id, request.memory_top_k) == (None, None)


def test_hits_join_an_answer_without_changing_it() -> None:
    hit = FactHit(
        id="i",
        role=EntryRole.MEMORY,
        conversation="c",
        content="x",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        relevance=0.5,
        recency=1.0,
        score=0.6,
    )
    answer = json.loads(with_hits(b'{"id":"1", "usage":{"total_tokens":3}}', [hit]))

    assert answer["usage"] == {"total_tokens": 3}
    assert answer["memory_hits"][0] == {
        "id": "i",
        "role": "memory",
        "conversation": "c",
        "content": "x",
        "created_at": "2026-01-01T00:00:00Z",
        "relevance": 0.5,
        "recency": 1.0,
        "score": 0.6,
    }
    assert with_hits(b"not JSON", [hit]) == b"not JSON"


ODD_PARTS = [
    rb'"z":"\ud83d"',
    b'"z":NaN',
    b'"z":1e999',
    b'"z":1' + b"0" * 9_000,
    b'"z":' + b"[" * 5_000 + b"]" * 5_000,
]


def test_what_is_odd_passes_byte_for_byte_and_hides_no_question(subtests: pytest.Subtests) -> None:
    cases_of_block: list[str] = ["", "BLOCK"]
    for block in cases_of_block:
        for odd in ODD_PARTS:
            with subtests.test(block=block, odd=odd):
                message = b'{"role":"user","content":"hi",' + odd + b"}"
                request = read_request(b'{"memory_id":"m", ' + odd + b', "messages":[' + message + b"]}")
                passed = upstream_body(request, block)

                assert (request.memory_id, request.question, request.ends_with_user) == ("m", "hi", True)
                assert passed.count(odd) == 2
                assert message in passed
                assert (b"BLOCK" in passed) == bool(block)


def test_a_system_message_with_half_a_character_keeps_its_bytes_and_gets_the_block() -> None:
    first = rb'{"role": "system", "content": "Be \ud83d kind\u00e9"}'
    passed = upstream_body(read_request(b'{"messages":[' + first + b"]}"), "B\nC")

    assert passed == rb'{"messages":[{"role":"system","content":"Be \ud83d kind\u00e9\n\nB\nC"}]}'


@pytest.mark.parametrize("content", [{"a": 1}, 5, False])
def test_a_system_message_of_another_form_is_left_alone(content: object) -> None:
    first = {"role": "system", "content": content}

    assert upstream("B", first)["messages"] == [{"role": "system", "content": "B"}, first]


@given(st.text(), st.text(st.one_of(st.characters(), st.characters(categories=["Cs"])), min_size=1))
def test_the_block_stands_behind_what_was_said_whatever_that_is(words: str, block: str) -> None:
    sound_block = sound(block)
    parts = [{"type": "text", "text": words}]

    assert upstream(block, {"role": "system", "content": words})["messages"] == [
        {"role": "system", "content": f"{words}\n\n{sound_block}" if words else sound_block}
    ]
    assert upstream(block, {"role": "system", "content": parts})["messages"][0]["content"] == [
        *parts,
        {"type": "text", "text": sound_block},
    ]


def test_the_block_is_the_only_part_where_there_was_none() -> None:
    assert upstream("B", {"role": "system", "content": []})["messages"][0]["content"] == [{"type": "text", "text": "B"}]


def test_half_a_character_in_a_message_is_marked_and_in_a_memory_id_refused() -> None:
    assert read_request(rb'{"messages":[{"role":"user","content":"hi \ud83d"}]}').question == "hi \ufffd"
    with pytest.raises(RequestError, match="memory_id"):
        read_request(rb'{"memory_id":"\ud83d","messages":[{}]}')


def test_our_fields_are_known_however_their_names_are_spelt() -> None:
    request = read_request(rb'{"memory\u005fid":"a","MEMORY_ID":"b","messages":[{}]}')

    assert request.memory_id == "a"
    assert upstream_body(request, "") == b'{"MEMORY_ID":"b","messages":[{}]}'


def test_the_texts_are_bounded_and_the_last_ones_count() -> None:
    messages = [{"role": "user", "content": str(n) + "x" * 399_999} for n in range(4)]
    request = read_request(body(messages=messages))

    assert [text[0] for text in request.texts] == ["2", "3"]
    assert request.question == messages[-1]["content"]


def test_of_very_many_messages_the_newest_are_read_and_all_go_on() -> None:
    body = b'{"messages":[' + b"1," * 500_000 + b'{"role":"user","content":"Who am I?"}],"memory_top_k":1}'
    request = read_request(body)

    assert paced_s(lambda: read_request(body)) < 2
    assert request.question == "Who am I?"
    assert request.ends_with_user
    assert upstream_body(request, "").count(b"1,") == 500_000
