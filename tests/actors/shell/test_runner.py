from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from actors.shell.door_cache import DoorCache
from actors.shell.runner import Runner
from actors.shell.starting import BareStarter
from actors.shell.workplace import Workplace, Workplaces
from messages.base import Address, RequestId, Window
from messages.shell import BashOutcome, BashRefused, BashResult, RunBash
from messages.socket import DoorOpen, Refused
from tests.actors.shell.bench import window
from tests.patience import PATIENCE_S


class BrokenWorkplaces(Workplaces):
    """Raise an unforeseen error."""

    def open(self, window: Window, logs: Path | None = None) -> Workplace:
        raise RuntimeError("unforeseen")


def runner(
    workplaces: type[Workplaces],
    root: Path,
    replies: list[BashResult | BashRefused],
    doors: DoorCache | None = None,
) -> Runner:
    starter = BareStarter(
        bash="/bin/bash",
        data_root=root,
        workplaces=workplaces(work_root=root / "work", data_root=root, cli_workdir=None),
    )
    return Runner(starter, lambda request, reply: replies.append(reply), doors)


def request(name: str, command: str) -> RunBash:
    return RunBash(request_id=RequestId(name), reply_to=Address("edge", "test"), window=window(), command=command)


@pytest.mark.req("S0-98d")
def test_a_fault_of_our_own_is_replied_to_too(tmp_path: Path) -> None:
    replies: list[BashResult | BashRefused] = []

    async def run() -> None:
        broken = runner(BrokenWorkplaces, tmp_path, replies)
        broken.begin(request("r1", "true"), 5.0)
        await broken.close()

    asyncio.run(run())
    assert [(reply.request_id, getattr(reply, "outcome", None)) for reply in replies] == [("r1", BashOutcome.ABORTED)]


def test_what_a_loop_left_undone_is_replied_to_once(tmp_path: Path) -> None:
    replies: list[BashResult | BashRefused] = []

    async def begin() -> Runner:
        left = runner(Workplaces, tmp_path, replies)
        left.begin(request("r1", "sleep 60"), 60.0)
        await asyncio.sleep(0)
        return left

    left = asyncio.run(begin())
    left.abandon()
    left.abandon()
    assert [reply.request_id for reply in replies] == ["r1"]


def test_a_close_waits_until_every_command_is_dead_and_replied_to(tmp_path: Path) -> None:
    replies: list[BashResult | BashRefused] = []

    async def run() -> None:
        closing = runner(Workplaces, tmp_path, replies)
        for number in range(4):
            closing.begin(request(f"r{number}", "sleep 60"), 60.0)
        closing.cancel(RequestId("not known"))
        await closing.close()
        assert len(replies) == 4

    asyncio.run(run())
    assert {getattr(reply, "outcome", None) for reply in replies} == {BashOutcome.ABORTED}


def test_a_command_that_is_cancelled_while_it_waits_for_its_control_socket_ends_at_once_and_never_starts(
    tmp_path: Path,
) -> None:
    replies: list[BashResult | BashRefused] = []

    async def run() -> float:
        asked = asyncio.Event()

        def ask(_: RunBash) -> asyncio.Future[DoorOpen | Refused]:
            asked.set()
            return asyncio.get_running_loop().create_future()

        waiting = runner(Workplaces, tmp_path, replies, DoorCache(ask, PATIENCE_S))
        waiting.begin(request("r1", "touch started"), 60.0)
        await asked.wait()
        began = asyncio.get_running_loop().time()
        await waiting.close()
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(run()) < 30
    assert [getattr(reply, "outcome", None) for reply in replies] == [BashOutcome.ABORTED]
    assert list(tmp_path.rglob("started")) == []
