"""How a message that is heard is taken: answered, only noted, or put off."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import discord

from actors.discord.incoming.arrival import Hearing
from domain.policy.rate_limit import RateLimit

ALLOWANCE_S = 600.0
"""The while in which one person's messages are counted."""


class Admission:
    """Decides for each message; lives on the loop and outlives each client.

    Args:
        answers_all: Whether every message is answered, not only those that mention the bot or reply to it.
        catchup: Messages older than this are only noted.
        turns_per_user: Most messages of one person that are answered within `ALLOWANCE_S`.
        now: The time, aware UTC.
        monotonic: Seconds on a clock that never goes back.
        bot_id: The bot's own id, once it is known.
    """

    def __init__(
        self,
        *,
        answers_all: bool,
        catchup: timedelta,
        turns_per_user: int,
        now: Callable[[], datetime],
        monotonic: Callable[[], float],
        bot_id: Callable[[], int | None],
    ) -> None:
        self._answers_all = answers_all
        self._catchup = catchup
        self._allowance = RateLimit(turns_per_user, ALLOWANCE_S)
        self._now = now
        self._monotonic = monotonic
        self._bot_id = bot_id
        self._told: dict[str, float] = {}
        """Person -> until when they know that they have to wait; as few as there are people who wait."""

    def hearing(self, message: discord.Message, *, may_run: bool) -> Hearing:
        """How to take a message that its author may write."""
        if self._now() - message.created_at > self._catchup or not self._is_addressed(message):
            return Hearing(may_run=may_run, wants_answer=False)
        person, now_s = str(message.author.id), self._monotonic()
        wait_s = self._allowance.take(person, now_s)
        if not wait_s:
            return Hearing(may_run=may_run)
        return Hearing(may_run=may_run, wants_answer=False, refusal=self._refusal(person, now_s, wait_s))

    def command_refusal(self, person: str) -> str:
        """Why a command that is answered like a message must wait; empty, and it counts as one, when it needn't."""
        wait_s = self._allowance.take(person, self._monotonic())
        if not wait_s:
            return ""
        return f"{self._rule()} You may try again {self._moment(wait_s)}."

    def _is_addressed(self, message: discord.Message) -> bool:
        """Whether a message is for the bot: it was said to it alone, or mentions it, or answers it."""
        if self._answers_all or isinstance(message.channel, discord.DMChannel):
            return True
        bot_id = self._bot_id()
        if bot_id is None or bot_id in message.raw_mentions or any(user.id == bot_id for user in message.mentions):
            return bot_id is not None
        quoted = message.reference.resolved if message.reference is not None else None
        return isinstance(quoted, discord.Message) and quoted.author.id == bot_id

    def _refusal(self, person: str, now_s: float, wait_s: float) -> str:
        """What to tell somebody who asks too much; said once in each wait."""
        self._told = {other: until for other, until in self._told.items() if until > now_s}
        if person in self._told:
            return ""
        self._told[person] = now_s + wait_s
        return f"{self._rule()} This one I have noted; I answer you again {self._moment(wait_s)}."

    def _rule(self) -> str:
        return f"I answer at most {self._allowance.limit} messages of one person in {ALLOWANCE_S / 60:.0f} minutes."

    def _moment(self, wait_s: float) -> str:
        return f"<t:{int(self._now().timestamp() + wait_s) + 1}:R>"
