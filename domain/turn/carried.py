"""Events at the head of a window's new log: everything that outlives the conversation before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from domain.log.metadata import MetaValue
from domain.log.redaction import DELETED, DELETION_DEFERRED, EDIT_DEFERRED
from domain.turn.conversation import Conversation
from domain.turn.debt import LOST, carried_meta

Words = tuple[str, dict[str, MetaValue]]
"""Content and metadata of a system event."""


def carried_over(before: Conversation) -> Iterator[Words]:
    """System events of the new log, in order: texts still owed, and messages to be taken back.

    A notice stands for a text off the record: the next life shows the notice if the text was not shown.

    Args:
        before: Meaning of the log so far.
    """
    others = _others(before)
    for debt in before.debts():
        if debt.turn is not None and debt.turn.is_off_record:
            yield LOST, carried_meta(replace(debt, is_answer=False)) | others
        else:
            yield debt.text, carried_meta(debt) | others
        others = {}
    deleted = [message_id for message_id, why in before.pending.items() if why == DELETED]
    if deleted:
        yield "deleted", {"what": DELETION_DEFERRED, "message_ids": list[MetaValue](deleted)}
    for message_id, why in before.pending.items():
        if why != DELETED:
            yield "edited", {"what": EDIT_DEFERRED, "message_id": message_id}


def _others(before: Conversation) -> dict[str, MetaValue]:
    """Metadata of the first text owed: messages that show other texts, with which no text owed may be confused."""
    answered = [each.answers_message_id for each in before.debts()]
    oldest = min((int(each) if each.isdecimal() else 0 for each in answered), default=None)
    message_ids = () if oldest is None else before.shown_after(str(oldest))
    return {"others": list[MetaValue](message_ids)} if message_ids else {}
