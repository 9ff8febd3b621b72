"""Refusal of a worker's answer: reason and kept text, without secrets."""

from __future__ import annotations

import re

from domain.text.presentable import without_hidden
from domain.text.secret_scrub import REMOVED, Scrubber
from domain.workspace.answers.guard import IsSecret

_RULE = ": must "
"""Separator between the value in an error and the rule."""
_UNTOLD = "its words are not told, for they hold a secret"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def told_reason(reason: str, answer: str, is_secret: IsSecret) -> str:
    """Reason why an answer is unusable, for a log; only the rule if the words may hold a secret or half a secret.

    Args:
        reason: Reason of the error, which may quote the beginning of a value.
        answer: All text that the reason may quote.
        is_secret: Test for secrets.
    """
    if not any(is_secret(text) for text in {reason, answer, _without_escapes(answer)}):
        return reason
    _, _, rule = reason.rpartition(_RULE)
    return f"{_UNTOLD}; it must {rule}" if rule and rule != reason and not is_secret(rule) else _UNTOLD


def kept_answer(answer: str, own: Scrubber) -> str:
    """Kept part of an answer: all but the agent's own secrets; `REMOVED` where secrets cannot be taken out."""
    scrubbed = own.scrub(answer)
    if not own.finds(scrubbed) and not own.finds(_without_escapes(scrubbed)):
        return scrubbed
    plain = own.scrub(without_hidden(_without_escapes(scrubbed)))
    return REMOVED if own.finds(plain) else plain


def _without_escapes(text: str) -> str:
    r"""Text of JSON without escapes: JSON may spell a letter as `\u0041`."""
    return _ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] else _SHORT_ESCAPES.get(match[2], match[2]), text
    )
