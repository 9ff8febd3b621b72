"""Buttons of a question, and the words of the answers."""

from __future__ import annotations

from actors.part import Answer, ArgumentValues, Invocation, Press, Wording, Words
from domain.policy.approval import ALLOW, REFUSE, Question, question_message
from messages.base import Address, RequestId, UserId
from messages.discord import PostedButton, PostMessage
from messages.shell import APPROVAL, ApprovalDecided, ApprovalsListed, DecideApproval

ALLOW_PREFIX = "allow:"
"""Prefix of the grant button's custom id; the question's id follows."""
REFUSE_PREFIX = "refuse:"
POST_PREFIX = "approval-"
"""Prefix of the request ids of postings; the question's id follows."""
_NOT_AWAITED = "It counts if the agent asks for the same again within the hour."

_MOST_SHOWN = 2_000
"""Characters of a command in a list; questions hold the whole command."""


def question_post(question: Question, reply_to: Address, *, look_first: bool) -> PostMessage:
    """Message with a question and its two buttons."""
    content = question_message(question)
    return PostMessage(
        request_id=RequestId(f"{POST_PREFIX}{question.id}"),
        reply_to=reply_to,
        window=question.window,
        text=content.text,
        exact=content.exact,
        nonce=question.id,
        answers_message_id=question.message_id,
        look_first=look_first,
        look_since=question.asked_at if look_first else None,
        mention_user_id=question.asked_by,
        buttons=(
            PostedButton(label=ALLOW, custom_id=ALLOW_PREFIX + question.id),
            PostedButton(label=REFUSE, custom_id=REFUSE_PREFIX + question.id),
        ),
    )


def _allow(call: Invocation, values: ArgumentValues) -> DecideApproval:
    return _decide(call, values, grants=True)


def _refuse(call: Invocation, values: ArgumentValues) -> DecideApproval:
    return _decide(call, values, grants=False)


def _decide(call: Invocation, values: ArgumentValues, *, grants: bool) -> DecideApproval:
    return DecideApproval(
        request_id=call.request_id,
        reply_to=call.reply_to,
        id=values["id"],
        grants=grants,
        decided_by=UserId(call.person_id),
    )


def _answer(reply: ApprovalDecided, _wording: Wording) -> Answer:
    words = "Allowed." if reply.granted else "Refused."
    return Answer(words if reply.is_awaited else f"{words} {_NOT_AWAITED}")


def _answer_list(reply: ApprovalsListed, wording: Wording) -> Answer:
    lines = [
        f"{each.id}  {wording.moment(each.asked_at, 'F')}  {each.window.address.key}  {each.kind.value}\n"
        f"    {wording.quote(each.text, _MOST_SHOWN)}"
        for each in reply.approvals
    ]
    return Answer("\n".join(lines) or "No question is open.")


DECIDED = Words(reply=ApprovalDecided, answer=_answer)
LISTED = Words(reply=ApprovalsListed, answer=_answer_list)

PRESSES = (
    Press(
        prefix=ALLOW_PREFIX,
        to=APPROVAL,
        is_urgent=True,
        request=_allow,
        reply=ApprovalDecided,
        answer=_answer,
        refused="Not allowed",
    ),
    Press(
        prefix=REFUSE_PREFIX,
        to=APPROVAL,
        is_urgent=True,
        request=_refuse,
        reply=ApprovalDecided,
        answer=_answer,
        refused="Not refused",
    ),
)
