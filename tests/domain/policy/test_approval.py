from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.approval import (
    APPROVAL_S,
    Approve,
    Question,
    decided_by,
    ended_message,
    needs_approval,
    question_message,
)
from domain.text.characters import units
from domain.text.splitting import LIMIT, split
from messages.base import MessageId, Surface, TurnId, UserId, Window
from messages.shell import ApprovalKind

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ASKER, OPERATOR, STRANGER = UserId("111"), UserId("222"), UserId("333")
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")


def question(text: str = "ls", asked_by: UserId = ASKER) -> Question:
    return Question(
        id="q",
        window=WINDOW,
        turn_id=TurnId("turn"),
        asked_by=asked_by,
        message_id=MessageId("5"),
        kind=ApprovalKind.COMMAND,
        text=text,
        asked_at=AT,
    )


@pytest.mark.req("X-236")
@pytest.mark.parametrize(
    ("approve", "inside", "outside"),
    [(Approve.NEVER, False, False), (Approve.OUTSIDE, False, True), (Approve.ALWAYS, True, True)],
)
def test_never_asks_nothing_outside_what_leaves_the_sandbox_always_everything(
    approve: Approve, inside: bool, outside: bool
) -> None:
    assert needs_approval(approve, leaves_sandbox=False) is inside
    assert needs_approval(approve, leaves_sandbox=True) is outside


@pytest.mark.req("X-236")
@pytest.mark.parametrize(("person", "may"), [(ASKER, True), (OPERATOR, True), (UserId(""), True), (STRANGER, False)])
def test_who_asked_and_operators_may_decide_and_no_other(person: UserId, may: bool) -> None:
    assert question().may_be_decided_by(person, {OPERATOR}) is may


def test_where_the_asker_is_unknown_only_operators_may_decide() -> None:
    unknown = question(asked_by=UserId(""))
    assert not unknown.may_be_decided_by(STRANGER, {OPERATOR})
    assert unknown.may_be_decided_by(OPERATOR, {OPERATOR})


@given(st.floats(-1e6, 1e6))
def test_a_question_lasts_an_hour_and_no_clock_makes_it_last_longer(seconds: float) -> None:
    left_s = question().left_s(AT + timedelta(seconds=seconds))
    assert left_s <= APPROVAL_S
    assert (left_s <= 0) is (timedelta(seconds=seconds) >= timedelta(hours=1))


@pytest.mark.parametrize(
    ("turn", "kind", "text", "same"),
    [
        ("turn", ApprovalKind.COMMAND, "ls", True),
        ("other", ApprovalKind.COMMAND, "ls", False),
        ("turn", ApprovalKind.PAGE, "ls", False),
        ("turn", ApprovalKind.COMMAND, "ls ", False),
    ],
)
def test_the_same_act_is_the_same_to_the_letter_in_the_same_turn(
    turn: str, kind: ApprovalKind, text: str, same: bool
) -> None:
    assert question().is_about(WINDOW, TurnId(turn), kind, text) is same


def test_a_question_shows_the_act_its_asker_and_its_end() -> None:
    message = question_message(question("rm -r build\nmake"))
    assert message.text == (
        "<@111> **May the agent run this command?**\n```\nrm -r build\nmake\n```\n"
        "-# Only the person who asked, or an operator, may press a button. Without an answer the request is refused <t:1772370000:R>."
    )
    assert message.exact == ""


@pytest.mark.parametrize("text", ["a```b", "a\rb", "a\u202eb", "a\x1bb", "x" * 3_000, "🦉" * 700])
def test_an_act_that_the_message_cannot_show_as_it_is_comes_as_a_file_too(text: str) -> None:
    message = question_message(question(text))
    assert message.exact == text
    assert "attached file" in message.text
    assert message.text.count("```") == 2


@given(st.text(max_size=4_000))
def test_a_question_is_one_message_with_one_block_and_no_character_of_the_act_is_lost(text: str) -> None:
    message = question_message(question(text))
    assert units(message.text) <= LIMIT
    assert len(split(message.text)) == 1
    assert message.text.count("```") == 2
    assert text in (message.exact, message.text.split("\n```\n")[1] if not message.exact else "")


def test_an_ended_question_keeps_the_act_and_says_the_end() -> None:
    text = ended_message(question("make"), decided_by(ASKER, grants=True))
    assert "```\nmake\n```" in text
    assert text.endswith("-# Allowed by <@111>.")
    assert "may press" not in text
    assert decided_by(UserId(""), grants=False) == "Refused by the operator."


def test_at_a_terminal_nothing_is_in_discords_form() -> None:
    there = msgspec.structs.replace(question(asked_by=UserId("cli")), window=Window(surface=Surface.CLI, id="turn"))
    text = question_message(there).text
    assert "<@" not in text
    assert "<t:" not in text
