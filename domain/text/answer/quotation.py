"""Quotations: calls in an answer that a person, a file or an output of this conversation shows already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from domain.text.answer.json_call import Call
from messages.model import ChatMessage, Role


def is_quoted(answer: str, calls: Sequence[Call], messages: Iterable[ChatMessage]) -> bool:
    """True if an answer's calls, or the answer itself, stand in a message not written by the model.

    Blanks, quotes and backslashes do not count. Words of a command alone are no quotation: a person may ask for a
    command.

    Args:
        answer: Words of the model, including the calls.
        calls: Calls read from the answer.
        messages: Messages of the request.
    """
    marks = [mark for _, arguments in calls if len(mark := _without_looks(arguments).rstrip("}")) > len("{}")]
    whole = _without_looks(answer)
    for message in messages:
        if message.role is Role.ASSISTANT or ("{" not in message.text and "<" not in message.text):
            continue
        seen = _without_looks(message.text)
        if whole in seen or any(mark in seen for mark in marks):
            return True
    return False


def _without_looks(text: str) -> str:
    return re.sub(r"[\s\"'`\\]+", "", text)
