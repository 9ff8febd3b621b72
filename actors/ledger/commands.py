"""Slash command of the ledger: usage of a conversation, and of its window today."""

from __future__ import annotations

from actors.part import Answer, ArgumentValues, Command, Invocation, Wording
from messages.context import TellUsage, UsageTold
from messages.model import LEDGER, DayUsage


def _count(call: Invocation, _values: ArgumentValues) -> TellUsage:
    return TellUsage(request_id=call.request_id, reply_to=call.reply_to, window=call.window)


def _usage(reply: UsageTold, _wording: Wording) -> Answer:
    turns = "1 turn" if reply.turns == 1 else f"{reply.turns:,} turns"
    tokens = _tokens(reply)
    cost = f", about ${reply.cost_usd:.4f}" if reply.cost_usd else ", at no cost that a provider has named"
    today = "" if reply.today is None else f"\n{_day(reply.today)}"
    return Answer(f"This conversation so far, with `{reply.model}`: {turns}, {tokens}{cost}.{today}")


def _day(today: DayUsage) -> str:
    calls = "1 call" if today.calls == 1 else f"{today.calls:,} calls"
    tokens = _tokens(today)
    cost = f", about ${today.cost_usd:.4f}" if today.cost_usd else ""
    guessed = f" ({today.estimated_tokens:,} of them estimated)" if today.estimated_tokens else ""
    return f"This window today (UTC), whatever it was for: {calls}, {tokens}{guessed}{cost}."


def _tokens(used: UsageTold | DayUsage) -> str:
    """Tokens in words, with the share cached by providers."""
    share = 100 * used.cached_tokens // max(1, used.prompt_tokens)
    cached = f" ({share} % of them from the provider's cache)" if used.cached_tokens else ""
    return f"{used.prompt_tokens:,} tokens read{cached} and {used.completion_tokens:,} written"


USAGE = Command(
    name="usage",
    description="What this conversation has used so far",
    for_viewers=True,
    to=LEDGER,
    request=_count,
    reply=UsageTold,
    answer=_usage,
)
