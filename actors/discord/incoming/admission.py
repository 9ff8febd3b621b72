"""Admission of messages: answered, only noted, or held back by the rate limit."""

from __future__ import annotations

from datetime import timedelta

import discord

from actors.discord.calls.discord_clock import DiscordClock
from actors.discord.calls.forgetting import forget_oldest
from actors.discord.calls.parsing import WireMessage
from actors.discord.calls.rest_calls import RestCalls
from actors.discord.config import DiscordConfig
from actors.discord.incoming.arrival import Admitted, Hearing, MessageArrival
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.reading.names import mentions_role_of
from actors.kernel import Host
from domain.policy.access import Standing
from domain.policy.rate_limit import RateLimit
from domain.turn.discord.said import Manner, manner_of, mentioned_roles
from messages.base import UserId, Window

_ADDRESSED = 10_000
RATE_WINDOW_S = 600.0
"""Seconds over which one person's messages are counted."""


class Admission:
    """Filter of messages; decides about each message, lives on the loop and outlives each client.

    A message held back by the rate limit is logged and read, but never answered by itself: an answer ten minutes later
    would break into a new topic, and a message waiting here would not outlive a crash. Instead the person is told when
    to ask again. The notice is in the window's log and owed like an answer, so it survives.
    """

    def __init__(
        self, *, host: Host, config: DiscordConfig, rest: RestCalls, clock: DiscordClock, policy: ChannelPolicy
    ) -> None:
        """Begin without messages.

        Args:
            host: Its clocks count for the rate limit.
            config: Number of messages that are answered.
            rest: Knows the bot's own id.
            clock: Gives the age of a message.
            policy: Decides about the messages to answer in each place.
        """
        self._host = host
        self._policy = policy
        self._catchup = timedelta(hours=config.catchup_hours)
        self._rate = RateLimit(config.turns_per_user, RATE_WINDOW_S)
        self._rest = rest
        self._clock = clock
        self._notices: dict[tuple[UserId, Window], float] = {}
        """Person and window -> end of the wait announced there; an entry only for each waiting person."""
        self._addressed: dict[int, None] = {}
        """Messages that were for the bot, so further edits of them are no questions."""
        self._notice_of: dict[int, str | None] = {}
        """Messages that count for the rate limit -> notice of the limit; None for a message to be answered."""

    def hearing(self, arrival: MessageArrival, admitted: Admitted, *, is_counted: bool = False) -> Hearing:
        """Treatment of a message whose author may write in the window; the same whenever asked again in this life.

        Args:
            arrival: The message.
            admitted: The window, and the standing of the author.
            is_counted: True if an earlier life has counted the message for the rate limit.
        """
        message, may_run = arrival.message, admitted.standing is Standing.MEMBER
        if message.id in self._notice_of:
            return _hearing(self._notice_of[message.id], may_run=may_run)
        is_addressed = self._is_addressed(message)
        if is_addressed:
            self._addressed[message.id] = None
            if len(self._addressed) > _ADDRESSED:
                forget_oldest(self._addressed)
        if self._is_too_old(arrival) or not is_addressed or manner_of(message.wire) is not Manner.SAID:
            return Hearing(may_run=may_run, wants_answer=False)
        notice = None if is_counted else self._count(UserId(str(message.author.id)), admitted.window)
        self._notice_of[message.id] = notice
        if len(self._notice_of) > _ADDRESSED:
            forget_oldest(self._notice_of)
        return _hearing(notice, may_run=may_run)

    def _count(self, person: UserId, window: Window) -> str | None:
        """Count a message for the rate limit; return the notice of the limit, None if the limit is kept."""
        now_s = self._host.monotonic()
        wait_s = self._rate.take(person, now_s)
        return self._notice(person, window, now_s, wait_s) if wait_s else None

    def command_refusal(self, person: str) -> str:
        """Reason why a command answered like a message must wait; empty, and the command counts, if no wait is due."""
        wait_s = self._rate.take(person, self._host.monotonic())
        if not wait_s:
            return ""
        return f"{self._rule()} You may try again {_relative(self._end_of(wait_s))}."

    def _is_too_old(self, arrival: MessageArrival) -> bool:
        """True if a message was missed too long ago by Discord's clock, which dated it; the local clock may err."""
        return not arrival.is_live and self._clock.now() - arrival.message.created_at > self._catchup

    def answers_edit(self, message: WireMessage) -> bool:
        """True if an edit has just addressed a message to the bot; the message then counts for the rate limit."""
        answers_all = self._policy.rule_of(message.channel).answers_all
        if answers_all or isinstance(message.channel, discord.DMChannel) or message.id in self._addressed:
            return False
        edited_at = message.edited_at
        if edited_at is None or self._clock.now() - edited_at > self._catchup or not self._is_addressed(message):
            return False
        self._addressed[message.id] = None
        return manner_of(message.wire) is Manner.SAID and not self._rate.take(
            UserId(str(message.author.id)), self._host.monotonic()
        )

    def _is_addressed(self, message: WireMessage) -> bool:
        """True if a message is for the bot: direct, a mention, a reply, or in a thread that the bot opened."""
        if self._policy.rule_of(message.channel).answers_all or isinstance(message.channel, discord.DMChannel):
            return True
        bot_id = self._rest.bot_id()
        if self._policy.is_opened_by(message.channel, bot_id):
            return True
        if bot_id is None or bot_id in message.raw_mentions or any(user.id == bot_id for user in message.mentions):
            return bot_id is not None
        roles = (*mentioned_roles(message.wire), *message.raw_role_mentions)
        if roles and mentions_role_of(message, roles, bot_id):
            return True
        quoted = message.reference.resolved if message.reference is not None else None
        return isinstance(quoted, discord.Message) and quoted.author.id == bot_id

    def _notice(self, person: UserId, window: Window, now_s: float, wait_s: float) -> str:
        """Notice for an author above the rate limit; once for each wait and window, empty after the first."""
        self._notices = {key: until for key, until in self._notices.items() if until > now_s}
        if (person, window) in self._notices:
            return ""
        self._notices[person, window] = now_s + wait_s
        end = self._end_of(wait_s)
        return (
            f"{self._rule()} I have read this message but do not answer it, nor others from you before <t:{end}:T> "
            f"({_relative(end)}). Please repeat after that what still needs an answer."
        )

    def _rule(self) -> str:
        return f"I answer at most {self._rate.limit} messages of one person in {RATE_WINDOW_S / 60:.0f} minutes."

    def _end_of(self, wait_s: float) -> int:
        """End of a wait beginning now, in whole seconds of Unix time, never too early."""
        return int(self._host.now().timestamp() + wait_s) + 1


def _hearing(notice: str | None, *, may_run: bool) -> Hearing:
    return Hearing(may_run=may_run, wants_answer=notice is None, refusal=notice or "")


def _relative(unix_s: int) -> str:
    """Time as a distance from now, shown by each reader's own clock."""
    return f"<t:{unix_s}:R>"
