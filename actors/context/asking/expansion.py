"""Expansion of a record: the answer's text for the model."""

from __future__ import annotations

import logging

from domain.memory.expansion import LogRange, not_expanded, record_text
from messages.base import flaw_of
from messages.socket import Refused
from messages.turn import Reference, ReferenceExpanded

log = logging.getLogger(__name__)

NOT_TO_BE_HAD = "the record cannot be had"
TOO_OFTEN = "only {most} times in a turn"
NOT_NAMED = "only places that this turn's block names can be shown"
NOT_IN_TIME = "it could not be looked up in time"


def answer_text(reference: Reference, answer: ReferenceExpanded | Refused) -> str:
    """Answer for the model to a request to see a record."""
    flaw = flaw_of(answer)
    if flaw and isinstance(answer, ReferenceExpanded):
        log.warning("an expansion is left out: %s", flaw)
    if flaw:
        return not_expanded(reference, NOT_TO_BE_HAD)
    if isinstance(answer, Refused):
        return not_expanded(reference, answer.reason)
    lines = LogRange(first_line=answer.first_line, last_line=answer.last_line, text=answer.text)
    return record_text(reference, lines)
