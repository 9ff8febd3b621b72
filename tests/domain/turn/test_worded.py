"""Requests with wording by another part: replacement, counts, and retained texts."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.log.redaction import DELETION_DEFERRED
from domain.turn.conversation import Conversation, rebuild
from domain.turn.turn import Aside
from domain.turn.worded import Worded
from messages.base import EventId, TurnId
from messages.model import ChatMessage, Role
from tests.domain.turn.test_conversation import AT, of_turn, question

COUNTED = 200
BLOCK = 'INJECTED_CONTEXT_MEMORY\n{"memory":1}'
NOTE = 'INJECTED_CONTEXT_OBJECTS\n{"note":1}'


def at(one: Event, seconds: float) -> Event:
    """The same, later."""
    return msgspec.structs.replace(one, at=AT + timedelta(seconds=seconds))


def round_of(turn: str, number: int, result: str, command: str = "ls") -> list[Event]:
    """A command and the output."""
    name, arguments = f"{turn}-{number}", msgspec.json.encode({"command": command}).decode()
    return [
        of_turn(Kind.AGENT, f"a{name}", turn, "looking", final=False),
        of_turn(Kind.TOOL_CALL, f"c{name}", turn, arguments, call_id=name, tool="bash"),
        of_turn(Kind.TOOL_RESULT, f"r{name}", turn, result, call_id=name, tool="bash", outcome="exited", exit_code=0),
    ]


def answer_turn(turn: str, text: str = "done") -> Event:
    return of_turn(Kind.AGENT, f"a{turn}", turn, text, final=True)


def texts_of(conversation: Conversation, turn: str, worded: Worded) -> list[str]:
    """The texts of a request, without headers."""
    messages = conversation.request(TurnId(turn), worded=worded)
    return [message.text.rpartition("\n")[2] for message in messages]


LOG = [
    question("u1"),
    *round_of("u1", 1, "one"),
    *round_of("u1", 2, "two"),
    answer_turn("u1"),
    question("u2", "more", 2),
]


def test_texts_stand_in_the_places_of_results_and_nothing_else_changes() -> None:
    conversation = rebuild(LOG, 1_000, COUNTED)
    plain = conversation.request(TurnId("u2"))
    worded = conversation.request(TurnId("u2"), worded=Worded({EventId("ru1-2"): "ref"}))
    assert [message.text for message in plain if message.role is Role.TOOL] == ["one", "two"]
    assert [message.text for message in worded if message.role is Role.TOOL] == ["one", "ref"]
    changed = [(old, new) for old, new in zip(plain, worded, strict=True) if old != new]
    assert [msgspec.structs.replace(old, text="ref") for old, _ in changed] == [new for _, new in changed]
    assert len(changed) == 1
    assert conversation.request(TurnId("u2")) == plain, "nothing is remembered of it"


def test_a_result_may_be_worded_as_nothing_at_all() -> None:
    conversation = rebuild(LOG, 1_000, COUNTED)
    assert "one" not in texts_of(conversation, "u2", Worded({EventId("ru1-1"): ""}))


def test_a_note_stands_first_in_its_own_turn_and_the_block_before_the_newest_prompt() -> None:
    conversation = rebuild(LOG, 1_000, COUNTED)
    worded = Worded(notes={TurnId("u1"): NOTE, TurnId("u2"): NOTE.replace("1", "2")})
    first, *_, last = conversation.request(TurnId("u2"), BLOCK, worded=worded)
    assert first.text.startswith(f"{NOTE}\n\n[2026-")
    assert last.text.startswith(f"{NOTE.replace('1', '2')}\n\n{BLOCK}\n\n[2026-")
    assert len([each for each in conversation.request(TurnId("u2"), BLOCK, worded=worded) if each.role == "user"]) == 2


def test_asides_and_what_joined_keep_their_places() -> None:
    joins = of_turn(Kind.SYSTEM, "s", "u1", what="joined", message="u2")
    log = [question("u1"), *round_of("u1", 1, "one"), question("u2", "in blue", 2), joins, *round_of("u1", 2, "two")]
    conversation = rebuild(log, 1_000, COUNTED)
    aside = Aside(2, (ChatMessage(role=Role.USER, text="aside"),))
    worded = Worded({EventId("ru1-1"): "ref one", EventId("ru1-2"): "ref two"}, {TurnId("u1"): NOTE})
    messages = conversation.request(TurnId("u1"), BLOCK, (aside,), worded)
    assert [message.text.rpartition("\n")[2] for message in messages] == [
        *("words", "looking", "ref one", "aside"),
        *("in blue", "looking", "ref two"),
    ]
    assert [message.text.partition("\n")[0] for message in messages if message.text.startswith("INJECTED")] == [
        NOTE.partition("\n")[0],
        BLOCK.partition("\n")[0],
    ]
    assert messages[0].text.startswith(f"{NOTE}\n\n[2026-")


def test_of_each_call_all_is_kept_that_is_told_and_once() -> None:
    call, result = round_of("u1", 1, "printed", "make all")[1:]
    log = [question("u1"), round_of("u1", 1, "")[0], at(call, 5), at(result, 9)]
    conversation = rebuild(log, 1_000, COUNTED)
    ((shown_call,),) = [turn.calls for turn in conversation.calls(TurnId("u1"))]
    assert (shown_call.event, shown_call.call_id, shown_call.command) == ("ru1-1", "u1-1", "make all")
    assert (shown_call.text, shown_call.outcome, shown_call.exit_code) == ("printed", "exited", 0)
    assert (shown_call.asked_at, shown_call.ended_at) == (AT + timedelta(seconds=5), AT + timedelta(seconds=9))
    assert conversation.calls(TurnId("u1"))[0].calls[0] is shown_call


def test_a_call_that_was_not_understood_has_no_command(subtests: pytest.Subtests) -> None:
    for tool, arguments, command in [
        ("bash", '{"command": "ls"}', "ls"),
        ("bash", "{", ""),
        ("bash", '{"command": 5}', ""),
        ("other", "{}", ""),
    ]:
        with subtests.test(tool=tool, arguments=arguments, command=command):
            log = [
                question("u1"),
                of_turn(Kind.AGENT, "a", "u1", "", final=False),
                of_turn(Kind.TOOL_CALL, "c", "u1", arguments, call_id="1", tool=tool),
                of_turn(Kind.TOOL_RESULT, "r", "u1", "?", call_id="1", tool=tool),
            ]
            assert rebuild(log, 1_000, COUNTED).calls()[0].calls[0].command == command


def test_a_result_whose_call_no_log_has_is_told_of_all_the_same() -> None:
    log = [question("u1"), of_turn(Kind.TOOL_RESULT, "r", "u1", "?", call_id="1", tool="bash")]
    (call,) = rebuild(log, 1_000, COUNTED).calls()[0].calls
    assert (call.command, call.asked_at, call.ended_at) == ("", AT, AT)


def test_where_nobody_words_results_nothing_is_kept_for_it() -> None:
    conversation = rebuild(LOG, 1_000)
    assert [turn.results for turn in conversation.turns] == [{}, {}]
    assert [turn.calls for turn in conversation.calls(TurnId("u2"))] == [(), ()]
    assert conversation.request(TurnId("u2")) == rebuild(LOG, 1_000, COUNTED).request(TurnId("u2"))


def test_the_turns_that_are_told_of_are_those_that_the_request_shows() -> None:
    meta: dict[str, MetaValue] = {"author": "Bob", "message_id": "7", "overheard": True}
    conversation = rebuild([event("aside", AT, Kind.USER, "aside", meta), *LOG], 1_000, COUNTED)
    assert len(conversation.request(TurnId("u2"))) == 8, "what was overheard is shown, and is no turn"
    assert [turn.turn_id for turn in conversation.calls(TurnId("u2"))] == ["u1", "u2"]
    assert [turn.turn_id for turn in conversation.calls(TurnId("u1"))] == ["u1"], "none that came later"
    conversation.add(event("s", AT, Kind.SYSTEM, "", {"what": DELETION_DEFERRED, "message_ids": ["1"]}))
    assert [turn.turn_id for turn in conversation.calls(TurnId("u2"))] == ["u2"]


def test_a_result_counts_no_more_than_its_reference() -> None:
    long, short = "x" * 10_000, "y" * 50
    conversation = rebuild([question("u1"), *round_of("u1", 1, long), *round_of("u1", 2, short)], 100, COUNTED)
    turn = conversation.turn(TurnId("u1"))
    arguments = 2 * (len("looking") + len('{"command":"ls"}'))
    assert turn.grown_chars == COUNTED + len(short) + arguments
    assert conversation.is_overgrown(TurnId("u1")) is (turn.grown_chars > 400)
    assert [step.text for step in turn.steps if step.role is Role.TOOL] == [long, short], "none is shortened"


def test_a_turn_whose_references_are_too_many_is_overgrown() -> None:
    log = [question("u1"), *(each for number in range(20) for each in round_of("u1", number, "x" * 10_000))]
    assert rebuild(log, 1_000, COUNTED).is_overgrown(TurnId("u1"))
    assert not rebuild(log, 2_000, COUNTED).is_overgrown(TurnId("u1"))


def test_sixty_turns_of_long_results_stay() -> None:
    def kept_calls(counted: int | None) -> int:
        conversation = Conversation(100_000, counted)
        for number in range(60):
            turn = f"u{number}"
            for each in (question(turn, message_id=number), *round_of(turn, 1, "x" * 10_000), answer_turn(turn)):
                conversation.add(each)
        conversation.add(question("last", message_id=99))
        return len(conversation.calls(TurnId("last")))

    assert kept_calls(COUNTED) == 61
    assert kept_calls(None) < 45


@given(
    st.lists(st.tuples(st.integers(1, 300), st.lists(st.integers(0, 900), max_size=4)), min_size=1, max_size=15),
    st.integers(20, 400),
    st.sampled_from([None, 0, 20, COUNTED]),
    st.booleans(),
)
def test_rebuilt_it_asks_and_tells_exactly_what_the_living_one_does(
    turns: list[tuple[int, list[int]]], limit_tokens: int, counted: int | None, is_worded: bool
) -> None:
    living, log = Conversation(limit_tokens, counted), list[Event]()

    def turn_of(one: Event) -> None:
        log.append(one)
        living.add(one)

    def require_same(turn: TurnId) -> None:
        fresh = rebuild(log, limit_tokens, counted)
        living_calls = living.calls(turn)
        assert fresh.calls(turn) == living_calls
        results = {call.event: f"ref {call.event}" for each in living_calls for call in each.calls} if is_worded else {}
        worded = Worded(results, {each.turn_id: NOTE for each in living_calls} if is_worded else {})
        messages = living.request(turn, BLOCK, worded=worded)
        assert fresh.request(turn, BLOCK, worded=worded) == messages
        if is_worded and counted is not None:
            shown_results = [message.text for message in messages if message.role is Role.TOOL]
            assert shown_results == [*results.values()]

    for number, (size, results) in enumerate(turns):
        turn = TurnId(f"u{number}")
        turn_of(question(turn, "x" * size, number))
        require_same(turn)
        for place, result in enumerate(results):
            for each in round_of(turn, place, "z" * result):
                turn_of(each)
            require_same(turn)
            assert living.is_overgrown(turn) == rebuild(log, limit_tokens, counted).is_overgrown(turn)
        turn_of(answer_turn(turn, "y" * size))
