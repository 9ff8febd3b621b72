"""Results of tool calls in the runtime's own words, on calls not run or calls lost, and in short forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from domain.text.imitation import defuse_output
from domain.text.token_estimate import weighed_chars
from domain.turn.turn import Turn
from domain.turn.worded import Worded
from messages.base import EventId, TurnId
from messages.turn import CallShown, TurnShown

NOT_RUN_LENGTH = "Not run: the answer was cut off at the model's output limit, so the command may be incomplete."
NOT_RUN_ABORTED = "Not run: the turn was stopped."
NOT_ALLOWED = "Not run: the person who asks may not have commands run. Answer without."
TURNED_OFF = "Not run: commands are turned off here. Answer without."
JUST_RUN = "{output}\n\n[Not run again: the same command ran just now. To run it all the same, call it once more.]"
TOO_MANY = "Not run: no more than {most} commands may be asked for in one turn. Answer with what you have."
KILLED = "Killed: the turn was stopped while this command ran."
INTERRUPTED = (
    "Interrupted: the agent stopped while this command ran. It may or may not have had an effect; it was not run again."
)

CALLS_OF_ANSWER = 2
"""Most calls of an answer, as a multiple of a turn's most commands."""
SHORT_CHARS = 600
"""Number of characters kept of a result's end when the result is shortened."""
KEEP_SHARE = 0.5
"""Share of a turn's permitted growth left after shortening, so a request's beginning changes seldom."""
EARLIER_CHARS = 2_000
"""Characters kept of the end of an earlier turn's result."""


def round_refusal(turn: Turn, calls: int, most_rounds: int, most_calls: int) -> str:
    """Words that end a turn in the place of its next round of commands; empty if the round may begin.

    Args:
        turn: Turn with its rounds so far.
        calls: Commands in the answer.
        most_rounds: Most rounds of a turn.
        most_calls: Most commands of a turn.
    """
    if turn.rounds >= most_rounds:
        return f"The model asked for tools {most_rounds} times in this turn; I stopped it there."
    most = CALLS_OF_ANSWER * most_calls
    if calls > most:
        return f"The model asked for {calls:,} commands in one answer, and at most {most} are read; I stopped it there."
    return ""


def shorten(turn: Turn, limit_chars: int) -> None:
    """Show only the end of the turn's oldest results in requests, as far as its growth needs; never of the newest.

    Args:
        turn: Turn to change; a shortened result stays short.
        limit_chars: Largest growth beyond the message that opened the turn.
    """
    if turn.grown_chars <= limit_chars:
        return
    for place in list(turn.whole_results)[:-1]:
        where = turn.whole_results.pop(place)
        step = turn.steps[place]
        short = shorten_result(step.text, where)
        if len(short) < len(step.text):
            turn.steps[place] = msgspec.structs.replace(step, text=short)
            turn.size_chars -= weighed_chars(step.text) - weighed_chars(short)
        if turn.grown_chars <= limit_chars * KEEP_SHARE:
            return


def shorten_result(text: str, where: str, chars: int = SHORT_CHARS) -> str:
    """The end of a result, from a line's beginning if most is left, and the place of the whole result."""
    end = text[-chars:]
    lines = end.partition("\n")[2]
    end = lines if len(lines) >= chars // 2 else end  # behind one long line there is only a notice
    notice = f"Showing last {len(end)} of {len(text)} characters, since this turn has grown long. All of it: {where}"
    return f"{defuse_output(end)}\n\n[{notice}]"


def is_overgrown(turn: Turn, limit_chars: int) -> bool:
    """True if a turn has outgrown its bound with all results shortened and the newest not counted."""
    newest = next(reversed(turn.whole_results), None)
    return turn.grown_chars - (weighed_chars(turn.steps[newest].text) if newest is not None else 0) > limit_chars


def complete_wording(
    turns: Sequence[TurnShown], newest: TurnId, worded: Worded, limit_chars: int, *, is_first: bool
) -> Worded:
    """Complete the wording of a request: existing wording stays, and the rest gets a text.

    Args:
        turns: All turns that the request shows.
        newest: The turn being answered.
        worded: Existing wording; the texts of results named there are not changed.
        limit_chars: Bound of a conversation: a share of the bound's characters is for results shown whole.
        is_first: True if no request was worded before, so earlier turns have never been shown in short.
    """
    texts: dict[EventId, str] = {}
    left = int(limit_chars * KEEP_SHARE)
    is_newest_result = True
    for turn, call in _backwards(turns):
        if call.event in worded.results:
            continue
        whole = turn == newest or not is_first
        size_chars = weighed_chars(call.text)
        if size_chars <= left and (whole or len(call.text) <= EARLIER_CHARS):
            left -= size_chars
        elif not (is_newest_result and turn == newest):
            texts[call.event] = _short(call, SHORT_CHARS if whole or left < EARLIER_CHARS else EARLIER_CHARS)
            left -= min(left, weighed_chars(texts[call.event]))
        is_newest_result = False
    return Worded({**worded.results, **texts}, worded.notes)


def _backwards(turns: Sequence[TurnShown]) -> Iterator[tuple[TurnId, CallShown]]:
    for turn in reversed(turns):
        for call in reversed(turn.calls):
            yield turn.turn_id, call


def _short(call: CallShown, chars: int) -> str:
    where = call.full_output or f"the record {call.event} in this conversation's newest log"
    short = shorten_result(call.text, where, chars)
    return short if len(short) < len(call.text) else call.text
