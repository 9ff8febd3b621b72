"""Retention: once a day, window after window, expired words are forgotten by the settings."""

from __future__ import annotations

import logging
import os
from collections import deque
from datetime import datetime
from functools import partial

from actors.forget.config import ForgetConfig
from actors.forget.repetition import windows_with_logs
from actors.kernel import Host
from domain.log.window import log_folder, parse_log_name
from domain.policy.forgetting.rights import NOTHING
from messages.base import OPERATOR, Message, Window
from messages.forget import CarryOutForget, ExpiredForgotten, ForgetCarriedOut, ForgetExpired, Scope, ScopeKind
from messages.socket import Refused

log = logging.getLogger(__name__)

FIRST_S = 600.0
"""Seconds from the start to the first run: people's requests after a start go first."""
DAY_S = 86_400.0
MOST_PER_RUN = 5_000
"""Windows of a daily run; the next run continues behind them."""
LOOKED_AT = 100
"""Windows whose folders are listed in one step."""
PAUSE_S = 0.05
"""Seconds between two windows, for answers to other requests."""
RETRY_S = 30.0
"""Pause behind a window that could not forget; the window comes up once more at the end of the run."""
WINDOW_S = 600.0
"""Longest wait for a window."""
BY = "retention"
WHY = "older than the settings keep it"


class Retention:
    """Runner of at most one run at a time, window after window; each window decides about expired words."""

    def __init__(self, host: Host, config: ForgetConfig) -> None:
        """Begin without a run.

        Args:
            host: Carries out forget requests.
            config: Data root, and the shortest time for which words are kept.
        """
        self._host = host
        self._config = config
        self._left = deque[Window]()
        self._again = deque[Window]()
        """Windows to be asked once more at the end."""
        self._may_ask: int | None = None
        """Remaining windows for the run to ask; None for all."""
        self._is_running = False
        self._behind = ""
        """Key of the last window of the run before."""
        self._askers: list[ForgetExpired] = []
        self._windows = self._events = 0
        self._failed: list[str] = []
        self._tried: set[Window] = set()
        """Windows with a failed first attempt: their running turn goes first."""

    def begin(self) -> None:
        """Run once a day from now on, if anything ever expires."""
        if self._config.shortest is not None:
            self._host.wait(FIRST_S, self._run_daily)

    def serve(self, request: ForgetExpired) -> None:
        """Run now over all windows, and answer at the end."""
        if self._config.shortest is None:
            reason = "words are kept for ever: neither memory.keep_days nor a channel's table sets a number of days"
            self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
            return
        self._askers.append(request)
        self._start(None)

    def _run_daily(self) -> None:
        self._host.wait(DAY_S, self._run_daily)
        self._start(MOST_PER_RUN)

    def _start(self, most: int | None) -> None:
        if self._is_running:
            return
        try:
            with self._host.blocking():
                windows = windows_with_logs(self._config.data_root)
        except OSError as error:
            log.error("expired records are not forgotten today, because the logs cannot be listed: %s", error)
            windows = []
        first = next((place for place, window in enumerate(windows) if window.address.key > self._behind), 0)
        self._left = deque([*windows[first:], *windows[:first]])
        self._again.clear()
        self._may_ask = most
        self._is_running = True
        self._windows = self._events = 0
        self._failed = []
        self._tried = set()
        self._go_on()

    def _may_hold(self, window: Window) -> bool:
        """True if the oldest log of a window began long enough ago, or holds the past."""
        if self._config.shortest is None:
            return False
        before: datetime = self._host.now() - self._config.shortest
        try:
            with self._host.blocking():
                names = os.listdir(self._config.data_root / log_folder(window))  # noqa: PTH208
        except OSError as error:
            log.error("expired records in %s are not forgotten today: %s", window.address.key, error)
            return False
        names = [name for name in names if name.endswith(".md")]
        try:
            return any(parse_log_name(name).started_at < before for name in names)
        except ValueError:
            return True

    def _go_on(self) -> None:
        """Ask the next window with possibly old words; look at few folders before other requests are answered."""
        for _ in range(LOOKED_AT):
            if (window := self._next()) is None:
                self._end()
                return
            if self._may_hold(window):
                scope = Scope(kind=ScopeKind.EXPIRED, window=window)
                make = partial(CarryOutForget, window=OPERATOR, scope=scope, by=BY, why=WHY)
                self._host.ask(self._host.address, make, WINDOW_S, partial(self._take, window))
                return
        self._host.wait(0, self._go_on)

    def _next(self) -> Window | None:
        """Next window to look at; windows with a failure come last."""
        if self._left and self._may_ask != 0:
            window = self._left.popleft()
            self._behind = window.address.key
            return window
        return self._again.popleft() if self._again else None

    def _take(self, window: Window, answer: Message | None) -> None:
        pause_s = PAUSE_S
        if self._may_ask and window not in self._tried:
            self._may_ask -= 1
        if isinstance(answer, ForgetCarriedOut):
            self._windows += 1
            self._events += answer.events
        elif not isinstance(answer, Refused) or answer.reason != NOTHING:
            pause_s = self._note_failure(window)
        self._host.wait(pause_s, self._go_on)

    def _note_failure(self, window: Window) -> float:
        """Schedule a failed window once more, and name a window that fails again; return the seconds to the next."""
        if window in self._tried:
            self._failed.append(window.address.key)
            log.warning("expired records in %s are not forgotten yet", window.address.key)
            return PAUSE_S
        self._tried.add(window)
        self._again.append(window)
        return RETRY_S

    def _end(self) -> None:
        self._is_running = False
        if self._events:
            log.info("expired and forgotten: %d records of %d windows", self._events, self._windows)
        askers, self._askers = self._askers, []
        for each in askers:
            reply = ExpiredForgotten(
                request_id=each.request_id,
                windows=self._windows,
                events=self._events,
                failed=tuple(self._failed),
            )
            self._host.tell(each.reply_to, reply)
