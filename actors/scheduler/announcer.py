"""Delivery of what is due: each firing is said once, and tried again until people have seen it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from actors.kernel import Host
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.state import Outgoing, SchedulerState
from domain.reminder.due import Firing
from domain.reminder.text import firing_mark, firing_text
from messages.base import RequestId, UserId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage

log = logging.getLogger(__name__)

LOOK_FIRST_AFTER = timedelta(minutes=5)
"""Discord knows a nonce for "a few minutes"; what is later than this is looked for before it is sent."""
CLOCK_SKEW = timedelta(minutes=5)
"""Discord's clock may be behind ours."""
UNANSWERED_S = 600.0
"""A posting without an answer for so long was lost with an actor that crashed."""
REFUSED_REST_S = 3_600.0
FIRING = "fire-"
"""How the request ids of firings begin."""


class Announcer:
    """Firings that are on their way."""

    def __init__(self, host: Host, config: SchedulerConfig, state: SchedulerState) -> None:
        """Nothing is on its way but what `state` knows.

        Args:
            host: The actor that it works for.
            config: Where and to whom.
            state: What outlives the actor.
        """
        self._host = host
        self._config = config
        self._state = state

    def settled_until(self, now: datetime) -> datetime:
        """The instant up to which everything that was due has been seen by people; at most `now`."""
        state = self._state
        open_ones = [outgoing.firing for outgoing in state.outgoing.values()] + list(state.owed.values())
        return min([now, *(firing.due - timedelta(seconds=1) for firing in open_ones)])

    def announce(self, due: Iterable[Firing], lines: frozenset[bytes], now: datetime, seconds: float) -> list[Firing]:
        """Say what is due and what is owed from earlier.

        Args:
            due: What this look found.
            lines: The file's lines; what is owed is owed only while its line stands there.
            now: Wall clock.
            seconds: The steady clock.

        Returns:
            One-offs that people have seen and whose lines are to go.
        """
        self._forget_unanswered(seconds)
        state = self._state
        state.owed = {key: firing for key, firing in state.owed.items() if firing.raw in lines}
        pending = {firing.key: firing for firing in due} | state.owed
        shown_before = [firing for key, firing in pending.items() if key in state.shown_keys and firing.is_one_off]
        for key, firing in pending.items():
            if key not in state.shown_keys and state.rests_until.get(key, seconds) <= seconds:
                self._post(firing, now, seconds)
        return shown_before

    def take(self, reply: Delivered | DeliveryFailed | DeliveryRefused, seconds: float) -> Firing | None:
        """Note what became of a posting; gives a one-off whose line is to go."""
        outgoing = self._state.outgoing.pop(reply.request_id, None)
        if outgoing is None:
            return None
        firing = outgoing.firing
        match reply:
            case Delivered():
                self._state.note_shown(firing.key)
                return firing if firing.is_one_off else None
            case DeliveryRefused(reason=reason):
                log.error("reminder %s cannot be shown: %s", firing.reminder.id, reason)
                self._state.rests_until[firing.key] = seconds + REFUSED_REST_S
            case DeliveryFailed(reason=reason):
                log.warning("reminder %s was not shown, it is tried again: %s", firing.reminder.id, reason)
        self._state.owed[firing.key] = firing
        return None

    def _post(self, firing: Firing, now: datetime, seconds: float) -> None:
        config, state, key = self._config, self._state, firing.key
        request_id = RequestId(f"{FIRING}{key}")
        if request_id in state.outgoing:
            return
        if config.channel is None:
            log.error("reminder %s is due and has no channel to be said in: set reminders.channel", firing.reminder.id)
            state.rests_until[key] = seconds + REFUSED_REST_S
            state.owed[key] = firing
            return
        state.outgoing[request_id] = Outgoing(firing, seconds)
        was_tried = key in state.owed or state.started_at is None or firing.due < state.started_at
        self._host.tell(
            config.delivery,
            PostMessage(
                request_id=request_id,
                reply_to=self._host.address,
                window=config.channel,
                text=firing_text(firing, now, config.zone, f"<@{config.owner_id}>" if config.owner_id else ""),
                nonce=key,
                look_first=was_tried or now - firing.due > LOOK_FIRST_AFTER,
                mark=firing_mark(firing, config.zone),
                look_since=firing.due - CLOCK_SKEW,
                mention_user_id=UserId(config.owner_id),
            ),
        )

    def _forget_unanswered(self, seconds: float) -> None:
        for request_id, outgoing in list(self._state.outgoing.items()):
            if seconds - outgoing.since > UNANSWERED_S:
                log.warning("nothing was heard of reminder %s, it is tried again", outgoing.firing.reminder.id)
                del self._state.outgoing[request_id]
                self._state.owed[outgoing.firing.key] = outgoing.firing
