from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NoReturn

import pytest

from actors.linux.processes import descendants
from actors.shell.job import HEADER, Job, Limits
from actors.shell.refused import RefusedError
from actors.shell.sandbox.enclosure import Enclosure
from actors.shell.sandbox.view import View
from actors.shell.warden_client import WardedProcess, WardenClient
from tests.actors.shell.bench import all_gone, level, living
from tests.patience import PATIENCE_S, eventually

Act = Callable[[WardenClient], Coroutine[Any, Any, None]]


def enclosure(choice: str) -> Enclosure:
    found = level(choice).enclosure
    assert found is not None
    return found


def job(choice: str, folder: Path, command: str) -> Job:
    view = View(cwd=str(folder), own=(str(folder),))
    return enclosure(choice).job(command, view, {"PATH": "/usr/bin:/bin"}, timeout_s=30, user_threads=1000)


def drive(act: Act) -> None:
    async def run() -> None:
        warden = WardenClient()
        try:
            await act(warden)
        finally:
            warden.close()

    asyncio.run(run())


async def output(process: WardedProcess) -> bytes:
    pieces: list[bytes] = []
    await asyncio.wait_for(process.read(pieces.append), PATIENCE_S)
    await asyncio.wait_for(process.exited, PATIENCE_S)
    process.close()
    return b"".join(pieces)


def open_fds() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def supervisor_of(marker: str, warden: int) -> int:
    """The child of `warden` from which the one with `marker` stems."""
    pid = living(marker)[0]
    while (parent := int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])) != warden:
        pid = parent
    return pid


def test_output_and_ending_come_back_and_nothing_stays_open(tmp_path: Path, sandbox: str) -> None:
    async def act(warden: WardenClient) -> None:
        await output(await warden.start(job(sandbox, tmp_path, "true")))
        before = open_fds()
        for number in range(5):
            process = await warden.start(job(sandbox, tmp_path, f"echo out; exit {number}"))
            assert await output(process) == b"out\n"
            assert process.ending.exit_code == number
        assert open_fds() == before

    drive(act)


def test_many_are_served_at_the_same_time(tmp_path: Path, sandbox: str) -> None:
    async def act(warden: WardenClient) -> None:
        processes = [await warden.start(job(sandbox, tmp_path, f"echo {number}")) for number in range(20)]
        assert [await output(process) for process in processes] == [f"{number}\n".encode() for number in range(20)]

    drive(act)


def test_who_looked_after_a_killed_command_looks_after_the_next_as_well_as_ever(tmp_path: Path, sandbox: str) -> None:
    os.mkfifo(tmp_path / "begun")

    async def act(warden: WardenClient) -> None:
        for _ in range(3):
            killed = await warden.start(job(sandbox, tmp_path, "echo > begun; sleep 62.27"))
            await asyncio.to_thread((tmp_path / "begun").read_text)
            await killed.kill()
            killed.close()
            assert killed.ending.exit_code == -signal.SIGKILL
        after = [await warden.start(job(sandbox, tmp_path, "sleep 0.3; echo whole")) for _ in range(3)]
        assert [await output(process) for process in after] == [b"whole\n"] * 3

    drive(act)


@pytest.mark.req("X-228")
def test_a_command_whose_end_was_not_reported_yet_is_killed_by_its_supervisor(
    tmp_path: Path, sandbox: str, caplog: pytest.LogCaptureFixture
) -> None:
    os.mkfifo(tmp_path / "begun")

    async def act(warden: WardenClient) -> None:
        process = await warden.start(job(sandbox, tmp_path, "echo > begun; sleep 62.31"))
        await asyncio.to_thread((tmp_path / "begun").read_text)
        process.close()
        assert "not reported in time; its supervisor goes on killing it" in caplog.text
        await asyncio.to_thread(eventually, lambda: not living("sleep 62.31"))

    drive(act)


def test_a_supervisor_serves_one_command_after_another(tmp_path: Path, sandbox: str) -> None:
    async def act(warden: WardenClient) -> None:
        await output(await warden.start(job(sandbox, tmp_path, "true")))
        assert warden.pid is not None
        for _ in range(3):  # until as many wait as are wanted
            await output(await warden.start(job(sandbox, tmp_path, "true")))
        waiting = descendants(warden.pid)
        for _ in range(5):
            await output(await warden.start(job(sandbox, tmp_path, "true")))
        assert waiting <= descendants(warden.pid)

    drive(act)


def test_what_cannot_be_started_says_why() -> None:
    async def act(warden: WardenClient) -> None:
        process = await warden.start(Job(argv=("/no/program",), environment={}))
        assert await output(process) == b""
        assert "No such file" in process.ending.fault

    drive(act)


def test_after_its_death_the_next_command_starts_a_new_one(tmp_path: Path, sandbox: str) -> None:
    async def act(warden: WardenClient) -> None:
        await output(await warden.start(job(sandbox, tmp_path, "true")))
        assert warden.pid is not None
        first = warden.pid
        os.kill(first, signal.SIGKILL)
        await asyncio.to_thread(os.waitid, os.P_PID, first, os.WEXITED | os.WNOWAIT)
        for _ in range(5):
            assert await output(await warden.start(job(sandbox, tmp_path, "echo again"))) == b"again\n"

    drive(act)


def test_when_a_supervisor_dies_what_it_looked_after_is_killed(tmp_path: Path, sandbox: str) -> None:
    os.mkfifo(tmp_path / "begun")

    async def act(warden: WardenClient) -> None:
        command = "{ setsid sleep 62.25 || sleep 62.25; } > /dev/null 2>&1 & echo > begun; sleep 62.25"
        process = await warden.start(job(sandbox, tmp_path, command))
        await asyncio.to_thread((tmp_path / "begun").read_text)
        assert warden.pid is not None
        os.kill(supervisor_of("62.25", warden.pid), signal.SIGKILL)
        await asyncio.wait_for(process.exited, PATIENCE_S)
        assert process.ending.exit_code == -signal.SIGKILL
        process.close()
        assert all_gone("62.25")

    drive(act)


def test_closing_without_a_word_kills(tmp_path: Path, sandbox: str) -> None:
    os.mkfifo(tmp_path / "begun")

    async def act(warden: WardenClient) -> None:
        process = await warden.start(job(sandbox, tmp_path, "echo > begun; sleep 62.26"))
        await asyncio.to_thread((tmp_path / "begun").read_text)
        process.close()
        assert all_gone("62.26")

    drive(act)


def test_a_job_travels_unchanged() -> None:
    job = Job(
        argv=("/bin/bash", "-c", 'echo "é\x01"'),
        environment={"A": "b"},
        limits=Limits(folder="/w", most_bytes=1 << 40),
        shared=(Limits(folder="/s", most_files=7),),
        seccomp=b"\x00\xff",
        seccomp_ungrouped=b"\x01",
        files=("/etc/passwd",),
        stdin=b"\x00of a document",
    )
    travelled = job.encode()
    body_bytes, stdin_bytes = HEADER.unpack_from(travelled)
    body = travelled[HEADER.size :]
    assert len(body) == body_bytes + stdin_bytes
    decoded = Job.decode(body[:body_bytes], body[body_bytes:])
    assert list(decoded.argv) == list(job.argv)
    assert (decoded.seccomp, decoded.seccomp_ungrouped) == (b"\x00\xff", b"\x01")
    assert (decoded.environment, decoded.limits, decoded.files) == ({"A": "b"}, job.limits, ["/etc/passwd"])
    assert decoded.stdin == job.stdin


@pytest.mark.parametrize("call", ["socketpair", "pipe"])
def test_a_command_that_gets_no_files_is_refused_and_keeps_none(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def refuse() -> NoReturn:
        raise OSError(errno.EMFILE, "Too many open files")

    async def act(warden: WardenClient) -> None:
        before = open_fds()
        with monkeypatch.context() as patched:
            patched.setattr(socket if call == "socketpair" else os, call, refuse)
            with pytest.raises(RefusedError, match="Too many open files"):
                await warden.start(Job(argv=("true",), environment={}))
        assert open_fds() == before

    drive(act)
