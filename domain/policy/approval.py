"""Approval by a person: acts in need of approval, deciding persons, expiry of a question, and the wording."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from domain.text.characters import units
from domain.text.presentable import presentable
from messages.base import MessageId, Surface, TurnId, UserId, Value, Window, make_ready
from messages.shell import ApprovalKind

APPROVAL_S = 3_600.0
"""Seconds until a question without an answer counts as refused, and a grant without an asker as unused."""
APPROVED_ANSWER_S = APPROVAL_S + 120.0
"""Seconds that scripts wait for an answer in need of approval: longer than the approval and the act."""
MOST_OPEN = 8
"""Most open questions of one window, equal to the number of simultaneous requests of the window's scripts."""
ALLOW, REFUSE = "Allow", "Refuse"
"""Labels of the buttons."""
REFUSED = "a person was asked for approval and refused. Do not try the same in another way; answer without."
TIMED_OUT = "a person was asked for approval and gave no answer within an hour, so it counts as refused."
DELETED = "a person was asked for approval, and the message with the question was deleted before an answer."
NOT_SHOWN = "this needs a person's approval, and the question could not be shown: {reason}"
NOT_STORED = "this needs a person's approval, and the question could not be stored: {reason}"
NO_ASKER = "this needs a person's approval, and the conversation did not say who asked in time."
TOO_MANY = "this needs a person's approval, and {most} questions of this conversation are open already."
TURN_OVER = "the turn that needed a person's approval is over."
NO_ANSWER = "this needs a person's approval, and the part of the agent that asks gave no answer."
NO_TERMINAL = "this needs a person's approval, and there is no terminal to ask on."
NOT_YOURS = "only the person who asked, or an operator, may decide this"
IS_OVER = "this question is over"
NOT_OPEN = "no open question has the id {id!r}"
IS_DECIDED = "this question is decided"

_WHAT = {
    ApprovalKind.COMMAND: "run this command",
    ApprovalKind.PAGE: "fetch this page from the web",
    ApprovalKind.TOOL: "ask this of another server",
    ApprovalKind.SEARCH: "send this search to the search engine, and read the pages it finds",
}
_LONGEST = 1_200
"""Most Discord characters of the act in the message; the rest of the message fits beside the act."""
_MISLEADING = re.compile(r"`{3,}|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that would end the block, or be invisible; tabs and line feeds stay."""
_SPELLED = (
    "-# Hidden characters, and characters that would end this block, are spelled out here; "
    "the attached file has the exact text."
)
_CUT = "-# This is the beginning; the attached file has all of it."


class Approve(StrEnum):
    """Acts that need a person's approval, by `shell.approve`."""

    NEVER = "never"
    OUTSIDE = "outside"
    """Acts that leave the sandbox."""
    ALWAYS = "always"
    """The same, and each command."""


class Decision(StrEnum):
    """State of a question."""

    OPEN = "open"
    GRANTED = "granted"
    REFUSED = "refused"


class Question(Value, frozen=True, kw_only=True, gc=False):
    """Question to a person about one act."""

    id: str
    """Random, so a known question's id gives away no other id."""
    window: Window
    turn_id: TurnId
    """Turn with the wish for the act; empty for an act outside of turns."""
    asked_by: UserId
    """Author of the message answered by the turn; empty if unknown."""
    message_id: MessageId
    """Message answered by the turn."""
    kind: ApprovalKind
    text: str
    """The whole act."""
    asked_at: datetime
    decision: Decision = Decision.OPEN
    """Decision, kept only while no asker waits."""

    def is_about(self, window: Window, turn_id: TurnId, kind: ApprovalKind, text: str) -> bool:
        """True if the same act was asked about in the same turn."""
        return (self.window, self.turn_id, self.kind, self.text) == (window, turn_id, kind, text)

    def may_be_decided_by(self, person: UserId, operators: Collection[str]) -> bool:
        """True if `person` may decide: the person who asked, or an operator.

        Args:
            person: Presser of the button; empty for an operator at the operator's socket.
            operators: Accounts of operators.
        """
        return not person or person == self.asked_by or person in operators

    def left_s(self, now: datetime) -> float:
        """Seconds until the question is over; not positive once over. A clock set back adds no time."""
        return min(APPROVAL_S, APPROVAL_S - (now - self.asked_at).total_seconds())


def needs_approval(approve: Approve, *, leaves_sandbox: bool) -> bool:
    """True if an act needs approval.

    Args:
        approve: The operator's choice.
        leaves_sandbox: True for an act with an effect outside of a window's sandbox.
    """
    return approve is Approve.ALWAYS or (approve is Approve.OUTSIDE and leaves_sandbox)


class QuestionMessage(NamedTuple):
    """Message with a question."""

    text: str
    """Text of at most one message's length."""
    exact: str = ""
    """Whole act, if the text cannot show the act unchanged; else empty."""


def question_message(question: Question) -> QuestionMessage:
    """Message with the question, including the whole act."""
    rendered = presentable(_MISLEADING.sub(lambda match: "".join(map(_code, match[0])), question.text))
    cut = rendered if units(rendered) <= _LONGEST else rendered[: _LONGEST // 2] + "…"
    notes = [_SPELLED] if rendered != question.text else []
    notes += [_CUT] if cut != rendered else []
    text = "\n".join((_head(question), "```", cut, "```", *notes, _rules(question)))
    return QuestionMessage(text, question.text if notes else "")


def ended_message(question: Question, how: str) -> str:
    """Words of the question's message once the question is over.

    Args:
        question: The question.
        how: Sentence about the end of the question.
    """
    return "\n".join((*question_message(question).text.split("\n")[:-1], f"-# {how}"))


def decided_by(person: UserId, *, grants: bool) -> str:
    """Sentence about a decision."""
    who = f"<@{person}>" if person.isdecimal() else "the operator"
    return f"{'Allowed' if grants else 'Refused'} by {who}."


def _head(question: Question) -> str:
    whom = f"<@{question.asked_by}> " if question.asked_by.isdecimal() else ""
    return f"{whom}**May the agent {_WHAT[question.kind]}?**"


def _rules(question: Question) -> str:
    if question.window.surface is Surface.CLI:
        return "-# Without an answer within an hour the request is refused."
    over = question.asked_at + timedelta(seconds=APPROVAL_S)
    who = "the person who asked, or an operator," if question.asked_by else "an operator"
    return f"-# Only {who} may press a button. Without an answer the request is refused <t:{int(over.timestamp())}:R>."


def _code(character: str) -> str:
    return f"\\u{ord(character):04x}"


make_ready(__name__)
