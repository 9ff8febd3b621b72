"""Commands that wait for a person: nothing runs before the grant, and nothing else waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.shell.actor import ShellActor
from actors.shell.command import TimeLimit
from actors.shell.config import ShellConfig
from domain.turn.call_result import INTERRUPTED
from messages.base import Message, RequestId
from messages.shell import (
    APPROVAL,
    SHELL,
    ApprovalGranted,
    ApprovalKind,
    ApprovalRefused,
    AskApproval,
    BashOutcome,
    BashRefused,
    BashResult,
    CancelBash,
    HoldCommands,
    RunBash,
    WithdrawApproval,
)
from tests.actors.shell.bench import HELD_UP_S, window
from tests.crash import CRASH
from tests.jumping_loop import DrivenLoop
from tests.patience import PATIENCE_S, eventually

TRIES = 3
"""Crashes that a message makes before it is a dead letter."""


class People(Actor):
    """Hears what is asked; the test answers."""

    def __init__(self, heard: list[Message]) -> None:
        super().__init__()
        self._heard = heard

    def handle(self, message: Message) -> None:
        self._heard.append(message)


class Bench:
    """A shell that asks before each command."""

    def __init__(self, root: Path, **settings: object) -> None:
        self.heard: list[Message] = []
        self.unapproved: dict[RequestId, RunBash] = {}
        config = ShellConfig(
            work_root=root / "work",
            data_root=root,
            sandbox="none",
            asks_first=True,
            **settings,  # type: ignore[arg-type]
        )
        self.system = ActorSystem(workers=2)
        self.system.register(ActorSpec(APPROVAL.kind, lambda _: People(self.heard), core=True))
        self.system.register(ActorSpec(SHELL.kind, lambda _: ShellActor(config, unapproved=self.unapproved), core=True))
        self.system.start()
        self.edge = self.system.edge("test")

    def ask(self, command: str, name: str = "r1", number: int = 0, **how: object) -> RequestId:
        request = RunBash(
            request_id=RequestId(name),
            reply_to=self.edge.address,
            window=window(number),
            command=command,
            **how,  # type: ignore[arg-type]
        )
        self.system.tell(SHELL, request)
        return request.request_id

    def take_questions(self, count: int = 1) -> list[AskApproval]:
        """Questions to people, once there are so many."""

        def look() -> list[AskApproval]:
            return [each for each in self.heard if isinstance(each, AskApproval)]

        eventually(lambda: len(look()) >= count)
        return look()

    def grant(self, asked: AskApproval) -> None:
        self.system.tell(asked.reply_to, ApprovalGranted(request_id=asked.request_id))

    def refuse(self, asked: AskApproval, reason: str, *, is_unknown: bool = False) -> None:
        refused = ApprovalRefused(request_id=asked.request_id, reason=reason, is_unknown=is_unknown)
        self.system.tell(asked.reply_to, refused)

    def reply(self, request_id: RequestId) -> BashResult | BashRefused:
        answer = self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)
        assert isinstance(answer, BashResult | BashRefused)
        return answer


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.system.stop()


@pytest.mark.req("X-236")
def test_a_command_is_run_only_after_a_grant_and_others_do_not_wait_for_it(bench: Bench, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    waiting = bench.ask(f"touch {mark}; echo done")
    other = bench.ask("echo other", "r2", 1)
    first, second = bench.take_questions(2)
    assert (first.kind, first.text, first.window) == (ApprovalKind.COMMAND, f"touch {mark}; echo done", window())
    bench.grant(second)
    other_result = bench.reply(other)
    assert isinstance(other_result, BashResult)
    assert other_result.text == "other"
    assert not mark.exists()
    bench.grant(first)
    result = bench.reply(waiting)
    assert isinstance(result, BashResult)
    assert result.text == "done"
    assert mark.exists()


@pytest.mark.req("X-236")
def test_a_refused_command_is_not_run_and_its_asker_hears_why(bench: Bench) -> None:
    request_id = bench.ask("echo no")
    (asked,) = bench.take_questions()
    bench.refuse(asked, "a person refused.")
    assert bench.reply(request_id) == BashRefused(request_id=request_id, reason="a person refused.")


def test_a_cancelled_command_waits_no_longer(bench: Bench) -> None:
    request_id = bench.ask("echo no")
    (asked,) = bench.take_questions()
    bench.system.tell(SHELL, CancelBash(request_id=request_id))
    result = bench.reply(request_id)
    assert isinstance(result, BashResult)
    assert result.outcome is BashOutcome.ABORTED
    eventually(lambda: WithdrawApproval(request_id=asked.request_id) in bench.heard)
    bench.grant(asked)
    assert bench.unapproved == {}


def test_what_an_earlier_life_may_have_run_is_not_run_without_an_open_question(bench: Bench) -> None:
    request_id = bench.ask("echo again", is_again=True)
    (asked,) = bench.take_questions()
    assert asked.is_again
    bench.refuse(asked, "", is_unknown=True)
    result = bench.reply(request_id)
    assert isinstance(result, BashResult)
    assert (result.outcome, result.text) == (BashOutcome.ABORTED, INTERRUPTED)


def test_where_no_person_is_asked_it_is_never_run_again(tmp_path: Path) -> None:
    system = ActorSystem(workers=2)
    config = ShellConfig(work_root=tmp_path / "work", data_root=tmp_path, sandbox="none")
    system.register(ActorSpec(SHELL.kind, lambda _: ShellActor(config), core=True))
    system.start()
    edge = system.edge("test")
    command = RunBash(
        request_id=RequestId("r1"), reply_to=edge.address, window=window(), command="echo again", is_again=True
    )
    system.tell(SHELL, command)
    result = edge.receive(PATIENCE_S)
    assert isinstance(result, BashResult)
    assert result.text == INTERRUPTED
    system.stop()


def test_a_script_of_the_operators_own_needs_no_approval(bench: Bench) -> None:
    result = bench.reply(bench.ask("echo hook", is_operators=True))
    assert isinstance(result, BashResult)
    assert result.text == "hook"
    assert bench.heard == []


@pytest.mark.crashes
def test_a_waiting_command_outlives_a_crash_of_the_shell(bench: Bench) -> None:
    request_id = bench.ask("echo later")
    (first,) = bench.take_questions()
    bench.system.tell(SHELL, CRASH)
    asked = bench.take_questions(1 + TRIES)
    assert WithdrawApproval(request_id=first.request_id) in bench.heard
    bench.grant(asked[-1])
    result = bench.reply(request_id)
    assert isinstance(result, BashResult)
    assert result.text == "later"


@pytest.mark.req("X-236")
def test_the_clock_of_a_command_stands_still_while_its_window_is_held(bench: Bench, tmp_path: Path) -> None:
    request_id = bench.ask("mkfifo pipe; echo x > pipe", timeout_s=3.0)
    bench.grant(bench.take_questions()[0])
    eventually(lambda: (tmp_path / "work" / window().surface.value / window().id / "pipe").exists())
    bench.system.tell(SHELL, HoldCommands(window=window(), holds=True))
    with pytest.raises(TimeoutError):
        bench.edge.receive(4.0)
    bench.system.tell(SHELL, HoldCommands(window=window(), holds=False))
    result = bench.reply(request_id)
    assert isinstance(result, BashResult)
    assert result.outcome is BashOutcome.TIMED_OUT
    assert 4.0 < result.duration_s < HELD_UP_S


def test_holds_are_counted_and_bounded_in_all() -> None:
    async def ended_within(limit: TimeLimit, seconds: float) -> bool:
        with limit.running() as over:
            done, _ = await asyncio.wait({over}, timeout=seconds)
        return bool(done)

    async def play() -> None:
        assert await ended_within(TimeLimit(0.01), 5.0)
        held = TimeLimit(0.01, most_held_s=5.0)
        held.hold()
        assert not await ended_within(held, 0.1)
        released = TimeLimit(0.01, most_held_s=5.0)
        released.hold()
        released.hold()
        released.release()
        released.release()
        released.release()
        assert await ended_within(released, 5.0)
        assert await ended_within(_hold(TimeLimit(0.01, most_held_s=0.05)), 5.0)

    asyncio.run(play())


def _hold(limit: TimeLimit) -> TimeLimit:
    limit.hold()
    return limit


def test_a_hold_beyond_the_bound_counts_as_time() -> None:
    async def seconds() -> float:
        loop = asyncio.get_running_loop()
        limit = TimeLimit(10.0, most_held_s=2.0)
        with limit.running() as over:
            limit.hold()
            await asyncio.sleep(8.0)
            limit.release()
            await over
        return loop.time()

    with asyncio.Runner(loop_factory=DrivenLoop) as runner:
        assert runner.run(seconds()) == pytest.approx(12.0)
