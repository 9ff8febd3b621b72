"""The ledger: entries, the sums of a day, and a full disk."""

from __future__ import annotations

import errno
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, Edge, ManualClock
from actors.ledger.actor import AGAIN_S, SYNC_S, LedgerActor
from actors.ledger.file import entries
from actors.linux.disk import Disk, RealDisk
from messages.base import CONTEXT_KIND, Message, RequestId, Surface, Window
from messages.context import TellUsage, UsageTold
from messages.model import (
    LEDGER,
    SPENT,
    CallKind,
    CallOutcome,
    CallSpent,
    ConfirmEntries,
    EntriesConfirmed,
    ReadUsage,
    UsageRead,
)
from messages.status import DescribeYourself, SelfDescription
from tests.actors.ledger.calls import usage_of
from tests.recording_disk import RecordingDisk

START = datetime(2026, 3, 31, 23, 59, tzinfo=UTC)
WINDOW = Window(surface=Surface.DISCORD_THREAD, id="12")


class FullDisk(RealDisk):
    """Disk that can be full."""

    is_full = False

    def write(self, fd: int, data: bytes, /) -> int:
        if self.is_full:
            raise OSError(errno.ENOSPC, "full")
        return super().write(fd, data)


class _Window(Actor):
    """Window with a known usage."""

    def __init__(self, asked: list[TellUsage], answer: UsageTold) -> None:
        super().__init__()
        self._asked = asked
        self._answer = answer

    def handle(self, message: TellUsage) -> None:
        self._asked.append(message)
        self.tell(message.reply_to, msgspec.structs.replace(self._answer, request_id=message.request_id))


class Rig:
    """A ledger on a clock that the test moves."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        self.folder = folder
        self.clock = ManualClock(START)
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.system.register(ActorSpec(LEDGER.kind, lambda _key: LedgerActor(folder, disk), core=True))
        self.system.start()
        self.system.run()
        self.edge: Edge = self.system.edge("asker")

    def spend(self, tokens: int, owner: str = WINDOW.address.key, *, is_estimated: bool = False) -> None:
        over = usage_of(str(tokens), self.clock.now(), tokens)
        self._publish(SPENT, msgspec.structs.replace(over, owner=owner, is_estimated=is_estimated))

    def _publish(self, topic: str, message: Message) -> None:
        for follower in self.system.topics.of(topic):
            self.system.tell(follower, message)
        self.system.run()

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.system.run()

    @property
    def written(self) -> list[int]:
        return [spent.prompt_tokens for spent in entries(self.folder)]

    def figures(self) -> dict[str, object]:
        self.system.tell(LEDGER, DescribeYourself(request_id=RequestId("d"), reply_to=self.edge.address))
        self.system.run()
        (told,) = self.edge.drain()
        assert isinstance(told, SelfDescription)
        assert told.figures == (), "what others used is the operator's to see"
        return dict(told.operator_figures)


def test_a_call_is_on_the_file_as_soon_as_it_is_told(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.spend(5)

    assert rig.written == [5]


def test_an_entry_survives_a_power_loss_a_second_later(tmp_path: Path) -> None:
    disk = RecordingDisk()
    rig = Rig(tmp_path / "usage", disk)
    rig.spend(5)
    rig.advance(SYNC_S)
    assert disk.at_risk(tmp_path) == set()


@pytest.mark.req("X-190")
def test_who_asks_hears_when_all_that_was_told_before_is_on_the_file(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.system.tell(LEDGER, usage_of("5", START, 5))
    rig.system.tell(LEDGER, ConfirmEntries(request_id=RequestId("c"), reply_to=rig.edge.address))
    rig.system.run()

    assert rig.edge.drain() == [EntriesConfirmed(request_id=RequestId("c"))]
    assert rig.written == [5]


def test_a_later_life_goes_on_with_the_day_and_a_new_day_begins_with_nothing(tmp_path: Path) -> None:
    first = Rig(tmp_path)
    first.spend(5)
    first.spend(7, is_estimated=True)
    first.system.stop()

    rig = Rig(tmp_path)
    rig.spend(11)
    assert (rig.figures()["prompt_tokens_today"], rig.figures()["estimated_tokens_today"]) == (23, 7)
    rig.advance(120)
    assert rig.figures()["prompt_tokens_today"] == 0


def test_a_clock_that_was_set_ahead_and_back_again_finds_its_day_as_it_was(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.spend(5)
    rig.clock.jump(timedelta(days=400))
    rig.spend(7)
    assert rig.figures()["prompt_tokens_today"] == 7
    rig.clock.jump(timedelta(days=-400))
    rig.spend(11)

    assert rig.figures()["prompt_tokens_today"] == 16


@pytest.mark.req("X-192")
def test_a_full_disk_has_lines_wait_and_none_is_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    disk = FullDisk()
    rig = Rig(tmp_path, disk)
    rig.spend(1)
    disk.is_full = True
    for tokens in (2, 3, 4):
        rig.spend(tokens)
    assert rig.figures()["lines_waiting"] == 3
    assert caplog.text.count("the ledger cannot be written") == 1
    rig.advance(AGAIN_S)
    disk.is_full = False
    rig.advance(AGAIN_S)

    assert rig.written == [1, 2, 3, 4]
    assert rig.figures()["lines_waiting"] == 0


def test_usage_is_the_windows_answer_with_its_day(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    windows: list[TellUsage] = []
    rig.spend(5)
    rig.spend(100, owner="cli/other")
    asked = TellUsage(request_id=RequestId("q"), reply_to=rig.edge.address, window=WINDOW)
    answer = UsageTold(
        request_id=RequestId("?"), model="m", turns=1, prompt_tokens=3, completion_tokens=2, cost_usd=0.5
    )
    rig.system.register(ActorSpec(CONTEXT_KIND, lambda _key: _Window(windows, answer)))
    rig.system.tell(LEDGER, asked)
    rig.system.run()

    (told,) = rig.edge.drain()
    assert isinstance(told, UsageTold)
    assert (told.request_id, told.prompt_tokens) == (RequestId("q"), 3)
    assert told.today is not None
    assert (told.today.calls, told.today.prompt_tokens) == (1, 5)
    assert [each.window for each in windows] == [WINDOW]


def test_a_life_that_keeps_nothing_writes_nothing(tmp_path: Path) -> None:
    system = ActorSystem(workers=0, clock=ManualClock(START))
    system.register(ActorSpec(LEDGER.kind, lambda _key: LedgerActor(None), core=True))
    system.start()
    system.run()
    for follower in system.topics.of(SPENT):
        system.tell(
            follower,
            CallSpent(
                at=START,
                kind=CallKind.MODEL,
                owner="cli/turn",
                call_id="a",
                attempt=1,
                model="m",
                outcome=CallOutcome.ANSWERED,
            ),
        )
    system.run()
    system.stop()

    assert list(tmp_path.iterdir()) == []


def test_what_calls_took_lately_is_summed_by_day_and_by_window(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.spend(5)
    rig.clock.advance(120)
    rig.spend(7)
    rig.spend(100, owner="embedder")
    rig.system.run()

    rig.system.tell(LEDGER, ReadUsage(request_id=RequestId("q"), reply_to=rig.edge.address, days=2))
    rig.system.run()
    (answer,) = rig.edge.drain()

    assert isinstance(answer, UsageRead)
    assert [(each.key, each.calls) for each in answer.by_day] == [("2026-03-31", 1), ("2026-04-01", 2)]
    assert [(each.key, each.calls) for each in answer.by_window] == [("embedder", 1), (WINDOW.address.key, 2)]
    rig.system.tell(LEDGER, ReadUsage(request_id=RequestId("r"), reply_to=rig.edge.address, days=1))
    rig.system.run()
    (answer,) = rig.edge.drain()
    assert isinstance(answer, UsageRead)
    assert [each.key for each in answer.by_day] == ["2026-04-01"]
    rig.system.stop()
