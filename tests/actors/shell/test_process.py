from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.shell.launch import Launch
from actors.shell.process import BashProcess, living_members, watch_exit, watch_exit_in_thread
from actors.shell.refused import RefusedError
from tests.patience import PATIENCE_S

Watch = Callable[[int, asyncio.AbstractEventLoop, Callable[[], None]], Callable[[], None]]


def bash(command: str, cwd: Path) -> Launch:
    environment = {"PATH": os.environ["PATH"]}
    return Launch(argv=("/bin/bash", "-c", command), environment=environment, cwd=cwd)


def open_fds() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("watch", [watch_exit, watch_exit_in_thread])
def test_an_end_is_noticed_without_reaping(watch: Watch) -> None:
    async def see_end(pid: int) -> None:
        ended = asyncio.Event()
        stop = watch(pid, asyncio.get_running_loop(), ended.set)
        await asyncio.wait_for(ended.wait(), PATIENCE_S)
        stop()

    with subprocess.Popen(["/bin/sh", "-c", "exit 7"]) as process:
        asyncio.run(see_end(process.pid))
        assert process.returncode is None
        assert process.wait() == 7


@pytest.mark.parametrize("watch", [watch_exit, watch_exit_in_thread])
def test_one_who_stopped_watching_is_not_told(watch: Watch) -> None:
    async def look_away(process: subprocess.Popen[bytes]) -> bool:
        ended = asyncio.Event()
        watch(process.pid, asyncio.get_running_loop(), ended.set)()
        process.communicate(b"\n")
        await asyncio.sleep(0)
        return ended.is_set()

    with subprocess.Popen(["/bin/sh", "-c", "read x"], stdin=subprocess.PIPE) as process:
        assert not asyncio.run(look_away(process))


def test_nothing_stays_open_after_a_process(tmp_path: Path) -> None:
    async def run() -> int:
        before = open_fds()
        for _ in range(5):
            process = BashProcess(bash("echo x", tmp_path))
            await process.exited
            process.close()
        return open_fds() - before

    assert asyncio.run(run()) == 0


def test_nothing_stays_open_after_one_that_could_not_be_started(tmp_path: Path) -> None:
    async def run() -> int:
        before = open_fds()
        for _ in range(5):
            with pytest.raises(RefusedError):
                BashProcess(bash("echo x", tmp_path / "gone"))
        return open_fds() - before

    assert asyncio.run(run()) == 0


def test_closing_without_waiting_kills_and_reaps_all_the_same(tmp_path: Path) -> None:
    async def run() -> int | None:
        process = BashProcess(bash("sleep 60 & sleep 60", tmp_path))
        await process.kill()
        process.close()
        return process.ending.exit_code

    assert asyncio.run(run()) == -9


async def number_told(process: BashProcess) -> int:
    """Number that the command prints first; the rest of its output is not read."""
    told: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    reading = asyncio.create_task(process.read(told.set_result))
    number = int(await told)
    reading.cancel()
    await asyncio.wait({reading})
    return number


def test_the_members_of_a_session_are_found_whatever_their_name_state_and_group(tmp_path: Path) -> None:
    command = """
        exec 2> /dev/null  # notices of jobs
        set -m
        './a) Z (b' 60 &
        sleep 60 &
        kill -STOP $!
        echo $$
        sleep 60
    """

    async def run() -> list[tuple[int, int]]:
        process = BashProcess(bash(command, tmp_path))
        session = await number_told(process)
        found = living_members(session)
        await process.kill()
        left = living_members(session)
        process.close()
        assert left == []
        return found

    (tmp_path / "a) Z (b").symlink_to("/bin/sleep")
    members = asyncio.run(run())
    assert len(members) >= 3
    assert len({group for _, group in members}) >= 3


def test_a_fork_storm_ends_with_its_command(tmp_path: Path) -> None:
    async def run() -> list[tuple[int, int]]:
        process = BashProcess(bash("echo $$; while :; do (sleep 0.3; exit) & done", tmp_path))
        session = await number_told(process)
        await process.kill()
        left = living_members(session)
        process.close()
        return left

    assert asyncio.run(run()) == []
