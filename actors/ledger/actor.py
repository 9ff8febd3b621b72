"""LedgerActor: enters what every call of a model took, and says what a day has come to."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import msgspec

from actors.kernel import Actor, Timer, not_understood
from actors.ledger.file import Damage, LedgerFiles, entries
from actors.ledger.notes import FILE, Notes
from actors.linux.disk import Disk
from domain.policy.spending import By, Total, summed_by_each
from messages.base import RequestId
from messages.context import TellUsage, UsageTold
from messages.model import (
    BEGUN,
    SPENT,
    CallBegun,
    CallSpent,
    DayUsage,
    LedgerTick,
    ReadUsage,
    UsageRead,
    UsageSum,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

SYNC_S = 1.0
"""After a line at the latest it is on the disk."""
AGAIN_S = 5.0
"""After a failure to write."""
MOST_WAITING = 20_000
"""Lines that wait for a disk that takes none; of more, the oldest are lost."""
MOST_WINDOWS = 20
"""That are told apart when somebody asks what calls took lately."""
MOST_ASKED = 1_000
"""Questions whose windows have not answered."""


class LedgerActor(Actor):
    """Owner of the ledger: a line for each attempt at a call, whoever made it and whatever became of it.

    Owns: the files in `usage/`, and the sums of this day.
    Asks: a window what its conversation has used, for `/usage`.
    Crashes on: any defect; not on a disk that is full or broken, for which lines wait in memory.
    Nobody waits for it: whoever calls a model tells the topics `BEGUN` and `SPENT` and goes on. What had begun and was
    not over when the process was killed, it enters in the next life of the process.
    """

    def __init__(self, folder: Path | None, life: str, disk: Disk | None = None) -> None:
        """Nothing is read yet.

        Args:
            folder: Of its files; None to keep nothing.
            life: Names this life of the process, which may have several of the actor.
            disk: How they are written; None for the usual way.
        """
        super().__init__()
        self._folder = folder
        self._files = None if folder is None else LedgerFiles(folder, disk)
        self._notes = None if folder is None else Notes(folder, life, disk)
        self._killed: list[CallSpent] = []
        """Calls of earlier lives that nobody else has been told of yet."""
        self._waiting: deque[CallSpent] = deque()
        self._lost = 0
        self._is_failing = False
        self._timer: Timer | None = None
        self._asked: dict[RequestId, TellUsage] = {}
        self._day = date.min
        self._today = Total()
        self._owners: dict[str, Total] = {}

    def on_start(self) -> None:
        """Follow calls, sum what this day has taken so far, and enter what the life before left under way."""
        self.follow(BEGUN)
        self.follow(SPENT)
        self._begin_day()
        self._enter_killed()

    def _begin_day(self) -> None:
        """Sum what this day has taken so far, unless that is done: a clock that was set may bring any day."""
        now = self.now()
        if now.date() == self._day:
            return
        self._day, self._today, self._owners = now.date(), Total(), {}
        if self._folder is None:
            return
        damage = Damage()
        midnight = datetime.combine(now.date(), time(), now.tzinfo)
        with self.blocking():
            try:
                for spent in entries(self._folder, midnight, midnight + timedelta(days=1), damage):
                    self._add(spent)
            except OSError as error:
                log.warning("the ledger of this day cannot be read, so it begins anew: %s", error)
        if damage.lines:
            log.warning("%d lines of %s are no entries; they count nothing", damage.lines, ", ".join(damage.files))

    def on_stop(self) -> None:
        """Write what waits, once more, and have it on the disk."""
        if self._files is None:
            return
        with self.blocking():
            self._put_on_disk()
            self._files.close()
            if self._notes is not None:
                self._notes.close()
        if self._waiting:
            log.error("%d lines of the ledger could not be written and are lost", len(self._waiting))

    def handle(
        self,
        message: CallBegun | CallSpent | LedgerTick | TellUsage | UsageTold | ReadUsage | Refused | DescribeYourself,
    ) -> None:
        """Note or enter a call, or say what they come to."""
        match message:
            case CallBegun():
                if self._notes is not None:
                    with self.blocking():
                        self._try_notes(self._notes, lambda notes: notes.begin(message))
            case CallSpent():
                self._count(message)
                self._enter(message)
                if self._notes is not None:
                    self._notes.end(message)
            case LedgerTick():
                self._timer = None
                with self.blocking():
                    self._put_on_disk()
                self._tell_killed()
            case TellUsage():
                self._ask_window(message)
            case UsageTold() | Refused():
                self._answer(message)
            case ReadUsage():
                self._read(message)
            case DescribeYourself():
                self._describe(message)
            case _:
                not_understood(message)

    def _enter_killed(self) -> None:
        """Enter the calls of earlier lives of which nothing more was heard."""
        if self._notes is None:
            return
        damage = Damage()
        with self.blocking():
            try:
                self._killed = self._notes.recover(damage)
            except OSError as error:
                log.warning("what was under way when the agent ended is not entered: %s", error)
        if damage.lines:
            log.warning("%d lines of %s are no notes of calls; they count nothing", damage.lines, FILE)
        for spent in self._killed:
            self._count(spent)
            self._enter(spent)
        if self._killed:
            log.info("%d calls were under way when the agent was killed; they are entered", len(self._killed))
        if self._notes.has_earlier:
            self._tick_in(SYNC_S)

    def _tell_killed(self) -> None:
        """Tell others who count, once there are any, of the calls of earlier lives."""
        if self._killed and (others := [each for each in self.followers(SPENT) if each != self.address]):
            for spent in self._killed:
                for other in others:
                    self.tell(other, spent)
            self._killed = []

    def _enter(self, spent: CallSpent) -> None:
        """Have a line written, now if the disk takes it."""
        if self._files is None:
            return
        self._waiting.append(spent)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
            self._lost += 1
        if not self._is_failing:
            with self.blocking():
                self._write()
        self._tick_in(AGAIN_S if self._is_failing else SYNC_S)

    def _put_on_disk(self) -> None:
        """Write what waits, have it on the disk, and then forget the notes that it makes needless."""
        self._write()
        self._sync()
        if self._notes is not None and not self._is_failing:
            self._notes.settle()
            self._try_notes(self._notes, Notes.tidy)

    def _try_notes(self, notes: Notes, act: Callable[[Notes], None]) -> None:
        was_failing = notes.is_failing
        try:
            act(notes)
        except OSError as error:
            if not was_failing:
                log.error("calls under way cannot be noted, so that a kill would lose them: %s", error)
            self._tick_in(AGAIN_S)
        else:
            if was_failing and not notes.is_failing:
                log.info("calls under way can be noted again")

    def _write(self) -> None:
        assert self._files is not None
        try:
            while self._waiting:
                self._files.append(self._waiting[0])
                self._waiting.popleft()
        except OSError as error:
            self._fail(error)
        else:
            if self._is_failing:
                log.info("the ledger can be written again; %d lines were lost", self._lost)
            self._is_failing = False

    def _sync(self) -> None:
        assert self._files is not None
        try:
            self._files.sync()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        if not self._is_failing:
            log.error("the ledger cannot be written, its lines wait in memory: %s", error)
        self._is_failing = True
        self._tick_in(AGAIN_S)

    def _tick_in(self, delay_s: float) -> None:
        if self._timer is None:
            self._timer = self.after(delay_s, LedgerTick())

    def _count(self, spent: CallSpent) -> None:
        self._begin_day()
        if spent.at.date() == self._day:
            self._add(spent)

    def _add(self, spent: CallSpent) -> None:
        self._today.add(spent)
        self._owners.setdefault(spent.owner, Total()).add(spent)

    def _ask_window(self, asked: TellUsage) -> None:
        """Ask the window for its conversation's part of the answer."""
        request_id = RequestId(self.new_id())
        self._asked[request_id] = asked
        if len(self._asked) > MOST_ASKED:  # windows that never answered
            del self._asked[next(iter(self._asked))]
        self.tell(asked.window.address, TellUsage(request_id=request_id, reply_to=self.address, window=asked.window))

    def _answer(self, told: UsageTold | Refused) -> None:
        """Pass a window's answer on, with what its day has come to."""
        asked = self._asked.pop(told.request_id, None)
        if asked is None:
            return
        if isinstance(told, UsageTold):
            self._begin_day()
            today = self._owners.get(asked.window.address.key, Total())
            told = msgspec.structs.replace(
                told,
                today=DayUsage(
                    calls=today.calls,
                    prompt_tokens=today.prompt_tokens,
                    completion_tokens=today.completion_tokens,
                    cost_usd=today.cost_usd,
                    estimated_tokens=today.estimated_tokens,
                ),
            )
        self.tell(asked.reply_to, msgspec.structs.replace(told, request_id=asked.request_id))

    def _read(self, request: ReadUsage) -> None:
        """Sum what is entered for the last days."""
        midnight = datetime.combine(self.now().date(), time(), UTC)
        try:
            with self.blocking():
                found = entries(self._folder, midnight - timedelta(days=request.days - 1)) if self._folder else ()
                days, windows = summed_by_each(found, By.DAY, By.WINDOW)
        except OSError as error:
            reason = f"the ledger cannot be read: {error.strerror}"
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
            return
        by_window = sorted(_sums(windows), key=lambda each: (-each.cost_usd, -each.prompt_tokens, each.key))
        answer = UsageRead(
            request_id=request.request_id,
            by_day=tuple(_sums(days)),
            by_window=tuple(by_window[:MOST_WINDOWS]),
        )
        self.tell(request.reply_to, answer)

    def _describe(self, message: DescribeYourself) -> None:
        self._begin_day()
        today = self._today
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("calls_today", today.calls),
            ("prompt_tokens_today", today.prompt_tokens),
            ("cached_tokens_today", today.cached_tokens),
            ("completion_tokens_today", today.completion_tokens),
            ("estimated_tokens_today", today.estimated_tokens),
            ("cost_today_usd", round(today.cost_usd, 6)),
            ("under_way", 0 if self._notes is None else self._notes.under_way),
            ("lines_waiting", len(self._waiting)),
            ("lines_lost", self._lost),
        )
        self.tell(
            message.reply_to,
            SelfDescription(
                request_id=message.request_id, about=self.address.kind, figures=(), operator_figures=figures
            ),
        )


def _sums(totals: Mapping[str, Total]) -> list[UsageSum]:
    return [
        UsageSum(
            key=key,
            calls=total.calls,
            prompt_tokens=total.prompt_tokens,
            completion_tokens=total.completion_tokens,
            estimated_tokens=total.estimated_tokens,
            cost_usd=total.cost_usd,
        )
        for key, total in totals.items()
    ]
