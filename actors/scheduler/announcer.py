"""Delivery of due reminders: each firing is posted once, and tried again until people have seen the post."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from functools import partial

from actors.kernel import Host
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.line_changes import LineChanges
from actors.scheduler.state import Outgoing, SchedulerState
from domain.policy.rate_limit import RateLimit
from domain.reminder.due import Firing
from domain.reminder.owed import CLOCK_ERROR, CLOCK_SKEW
from domain.reminder.text import firing_mark, firing_text
from domain.reminder.undelivered import find_lines, find_other_words, index_lines
from messages.base import RequestId, UserId, Window
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage

log = logging.getLogger(__name__)

LOOK_FIRST_AFTER = timedelta(minutes=5)
"""Age from which a firing is looked for before another post: Discord knows a nonce for "a few minutes"."""
UNANSWERED_S = 600.0
"""Seconds without an answer after which a posting was lost with a crashed actor."""
REFUSED_REST_S = 3_600.0
AT_ONCE = 5
"""Concurrent postings of a window: Discord locks out clients after ten thousand vain requests to closed places."""
FAILURES_TOLD = 5
"""Closed windows reported to people in an hour; the log names all closed windows."""
FIRING = "fire-"
"""Prefix of the request ids of firings."""


class Announcer:
    """Firings on their way, each to the window of its request, or to the reminders' channel."""

    def __init__(
        self,
        host: Host,
        config: SchedulerConfig,
        state: SchedulerState,
        lines: LineChanges,
        alert: Callable[[str], None],
    ) -> None:
        """Begin with the firings in `state` only.

        Args:
            host: The scheduler's actor.
            config: The operator's decisions.
            state: State beyond the actor's life.
            lines: Changes the lines of what was said, and of what cannot be.
            alert: Tells people in the reminders' channel.
        """
        self._host = host
        self._config = config
        self._state = state
        self._lines = lines
        self._alert = alert
        self._alerts = RateLimit(FAILURES_TOLD, REFUSED_REST_S)

    def settled_until(self, now: datetime) -> datetime:
        """Latest instant up to which all due firings have been seen by people, or failed; at most `now`."""
        state = self._state
        open_ones = [
            *(outgoing.firing for outgoing in state.outgoing.values()),
            *(firing for waiting in state.next_ones.values() for firing in waiting.values()),
            *state.owed.values(),
            *state.unseen.values(),
        ]
        dues = [firing.due for firing in open_ones if not firing.reminder.failed]
        return min([now, *(due - timedelta(seconds=1) for due in dues)])

    def announce(
        self, due: Iterable[Firing], unseen: Iterable[Firing], lines: frozenset[bytes], now: datetime, seconds: float
    ) -> None:
        """Post due and undelivered reminders.

        Args:
            due: Firings found by this look.
            unseen: Further due firings, of lines that may be missing since an editor saves the file at this moment.
            lines: The file's lines; an undelivered reminder stays owed only while its line is in the file, whatever
                the blanks at the end, and with the id or without.
            now: Wall clock.
            seconds: The steady clock.
        """
        self._forget_unanswered(seconds)
        self._match_lines({firing.key: firing for firing in unseen}, lines)
        state = self._state
        # A failed reminder that is due again was reopened by a user, so the due one counts.
        pending = state.owed | {firing.key: firing for firing in due}
        for key, firing in pending.items():
            if key not in state.shown_keys:
                if state.rests_until.get(key, seconds) <= seconds:
                    self._post(firing, now, seconds)
            elif firing.is_one_off:
                self._take_out(firing)
        for firing in state.shown_failed.values():
            self._settle_line(firing)
        for window in list(state.next_ones):
            self._go_on(window, now, seconds)

    def _match_lines(self, unseen: dict[str, Firing], lines: frozenset[bytes]) -> None:
        """Drop undelivered firings without a line at two looks in a row: a slow save shows half of a file for a while.

        A firing whose words changed goes on with the present words, unless the earlier words are on their way.

        Args:
            unseen: Firings by key, due without a line at this look.
            lines: The file's lines.
        """
        state = self._state
        if not (unseen or state.owed or state.unseen or state.next_ones or state.shown_failed):
            return
        present = index_lines(lines)
        owed, missing = find_lines(state.owed | state.unseen, present), unseen | state.owed
        for window, waiting in list(state.next_ones.items()):
            missing |= waiting
            state.next_ones[window] = find_lines(waiting, present)
        there = {*state.shown_keys, *owed, *(key for waiting in state.next_ones.values() for key in waiting)}
        missing = {key: firing for key, firing in missing.items() if key not in there}
        own_keys = there | {outgoing.firing.key for outgoing in state.outgoing.values()}
        settled = {key: firing for key, firing in (state.unseen | missing).items() if key not in own_keys}
        for key, (changed, is_only) in find_other_words(settled, lines, own_keys).items():
            missing.pop(key, None)
            owed[changed.key] = changed
            if is_only and changed.reminder.id not in state.spent_ids:
                state.reworded.add(changed.key)
        state.owed = owed
        state.reworded &= owed.keys()
        state.unseen = missing
        state.shown_failed = find_lines(state.shown_failed, present)

    def take(self, reply: Delivered | DeliveryFailed | DeliveryRefused, now: datetime, seconds: float) -> None:
        """Note the fate of a posting, and go on with the window's next posting."""
        outgoing = self._state.outgoing.pop(reply.request_id, None)
        if outgoing is None:
            return
        firing = outgoing.firing
        match reply:
            case Delivered():
                self._note_shown(firing)
            case DeliveryRefused(reason=reason):
                self._keep_refused(firing, reason, seconds)
            case DeliveryFailed(reason=reason):
                log.warning("reminder %s was not shown, it is tried again: %s", firing.reminder.id, reason)
                self._state.owed[firing.key] = firing
        self._go_on(self._where(firing), now, seconds)

    def _note_shown(self, firing: Firing) -> None:
        self._state.note_shown(firing.key)
        if firing.reminder.failed:
            self._state.shown_failed[firing.key] = firing
        self._settle_line(firing)

    def _settle_line(self, firing: Firing) -> None:
        """Have the line of a shown firing removed or reopened, if needed."""
        if firing.is_one_off:
            self._take_out(firing)
        elif firing.reminder.failed:
            self._lines.reopen(firing.raw)

    def _take_out(self, firing: Firing) -> None:
        self._lines.remove(firing.raw, partial(self._note_gone, firing.reminder.id))

    def _note_gone(self, reminder_id: str, next_ids: Collection[str]) -> None:
        """Note the removal, unless an editor saved the line without the id meanwhile: the line gets the id again."""
        if reminder_id not in next_ids:
            self._state.note_gone(reminder_id)

    def _keep_refused(self, firing: Firing, reason: str, seconds: float) -> None:
        """Keep a refused firing: for the reminders' channel unchanged, for any other window marked as failed.

        The firing goes to no other window: another channel may have other readers.
        """
        state, window = self._state, firing.reminder.window
        log.error("reminder %s cannot be shown: %s", firing.reminder.id, reason)
        if window is None or window == self._config.channel:
            state.rests_until[firing.key] = seconds + REFUSED_REST_S
            state.owed[firing.key] = firing
            return
        if state.closed_until.get(window, seconds) <= seconds and not self._alerts.take("", seconds):
            self._alert(
                f"⚠️ Reminders: {firing.reminder.id} cannot be posted in its place; it and all others due there "
                "stay in the file, marked `- [!]`; the agent's log has the reason"
            )
        state.closed_until[window] = seconds + REFUSED_REST_S
        self._keep_failed(firing)
        for waiting in state.next_ones.pop(window, {}).values():
            self._keep_failed(waiting)

    def _keep_failed(self, firing: Firing) -> None:
        """Have the line marked, and try again while this process lives, should the window be open again.

        The firing counts as failed once a look finds the mark: until then the disk may have refused the edit.
        """
        if not firing.reminder.failed:
            self._lines.mark_failed(firing.raw)
        self._state.owed[firing.key] = firing

    def _where(self, firing: Firing) -> Window | None:
        return firing.reminder.window or self._config.channel

    def _go_on(self, window: Window | None, now: datetime, seconds: float) -> None:
        waiting = self._state.next_ones.get(window) if window is not None else None
        if waiting:
            key = next(iter(waiting))
            self._post(waiting.pop(key), now, seconds)
        elif waiting is not None and window is not None:
            del self._state.next_ones[window]

    def _post(self, firing: Firing, now: datetime, seconds: float) -> None:
        state, key, window = self._state, firing.key, self._where(firing)
        request_id = RequestId(f"{FIRING}{key}")
        if request_id in state.outgoing:
            return
        if window is None:
            log.error("reminder %s is due and has no channel: set reminders.channel", firing.reminder.id)
            state.rests_until[key] = seconds + REFUSED_REST_S
            state.owed[key] = firing
        elif state.closed_until.get(window, seconds) > seconds:
            self._keep_failed(firing)
        elif sum(self._where(outgoing.firing) == window for outgoing in state.outgoing.values()) >= AT_ONCE:
            state.next_ones.setdefault(window, {})[key] = firing
        else:
            state.next_ones.get(window, {}).pop(key, None)
            state.outgoing[request_id] = Outgoing(firing, seconds)
            self._send(firing, request_id, window, now)

    def _send(self, firing: Firing, request_id: RequestId, window: Window, now: datetime) -> None:
        config, state, key = self._config, self._state, firing.key
        # Elsewhere a mention would bring its owner into a thread that is private.
        owner = config.owner_id if window == config.channel else ""
        was_tried = key in state.owed or state.tried_until is None or firing.due < state.tried_until
        self._host.tell(
            config.delivery,
            PostMessage(
                request_id=request_id,
                reply_to=self._host.address,
                window=window,
                text=firing_text(firing, now, config.zone, f"<@{owner}>" if owner else ""),
                nonce=key,
                look_first=was_tried or now - firing.due > LOOK_FIRST_AFTER,
                mark=firing_mark(firing, config.zone, is_reworded=key in state.reworded),
                look_since=self._look_since(firing, now, was_tried=was_tried),
                mention_user_id=UserId(owner),
            ),
        )

    def _look_since(self, firing: Firing, now: datetime, *, was_tried: bool) -> datetime:
        """Earliest time of a message with the firing; the clock may have been ahead at an earlier try."""
        state = self._state
        if not was_tried:
            return firing.due - CLOCK_SKEW
        is_of_earlier_process = state.tried_until is None or firing.due < state.tried_until
        tried_at = state.started_at if is_of_earlier_process and state.started_at is not None else now
        return min(firing.due, tried_at) - CLOCK_ERROR

    def _forget_unanswered(self, seconds: float) -> None:
        for request_id, outgoing in list(self._state.outgoing.items()):
            if seconds - outgoing.since > UNANSWERED_S:
                log.warning("no reply came about reminder %s, it is tried again", outgoing.firing.reminder.id)
                del self._state.outgoing[request_id]
                self._state.owed[outgoing.firing.key] = outgoing.firing
