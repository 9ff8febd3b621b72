"""Results that are not worded: how a request shows them within its bound when whoever words them has not answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.turn.call_result import KEEP_SHARE, shortened
from domain.turn.worded import Worded
from messages.base import EventId, TurnId
from messages.wording import CallShown, TurnShown

EARLIER_CHARS = 2_000
"""Of a result of an earlier turn, its end."""


def unworded(turns: Sequence[TurnShown], newest: TurnId, worded: Worded, limit_chars: int, *, is_first: bool) -> Worded:
    """The wording of a request, complete: what is worded already stays, and for the rest there is a text.

    Args:
        turns: All that the request shows.
        newest: The turn that is being answered.
        worded: What there is; of results that it names the texts are not touched.
        limit_chars: Bound of a conversation: so much of it as a share of results is shown whole.
        is_first: Whether nothing was ever worded, so that earlier turns have never been shown in short.
    """
    texts: dict[EventId, str] = {}
    left = int(limit_chars * KEEP_SHARE)
    is_newest_result = True
    for turn, call in _backwards(turns):
        if call.event in worded.results:
            continue
        whole = turn == newest or not is_first
        if len(call.text) <= left and (whole or len(call.text) <= EARLIER_CHARS):
            left -= len(call.text)
        elif not (is_newest_result and turn == newest):
            texts[call.event] = _short(call, EARLIER_CHARS if len(call.text) <= left else None)
            left -= min(left, len(texts[call.event]))
        is_newest_result = False
    return Worded({**worded.results, **texts}, worded.notes)


def _backwards(turns: Sequence[TurnShown]) -> Iterator[tuple[TurnId, CallShown]]:
    for turn in reversed(turns):
        for call in reversed(turn.calls):
            yield turn.turn_id, call


def _short(call: CallShown, chars: int | None) -> str:
    where = call.full_output or f"the record {call.event} in this conversation's newest log"
    short = shortened(call.text, where) if chars is None else shortened(call.text, where, chars)
    return short if len(short) < len(call.text) else call.text
