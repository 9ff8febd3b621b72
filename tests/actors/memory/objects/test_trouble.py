"""Trouble of the store: what cannot be done is refused with a reason, said once, and over when its cause is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from actors.memory.objects.audit import audit
from messages.object_store import LoadObjects
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.memory.objects.rig import WINDOW, StoreRig

KILLS = 20


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[StoreRig]:
    rig = StoreRig(tmp_path)
    yield rig
    rig.stop()


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was said aloud."""
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_a_locked_store_refuses_is_said_once_and_goes_on(rig: StoreRig, caplog: pytest.LogCaptureFixture) -> None:
    rig.kept()
    other = apsw.Connection(str(rig.path))
    list(other.execute("BEGIN EXCLUSIVE"))
    for _ in range(2):
        reply = rig.keep()
        assert isinstance(reply, Refused)
        assert "locked" in reply.reason
    assert len(warnings_in(caplog)) == 1
    list(other.execute("ROLLBACK"))
    other.close()
    rig.kept()
    assert rig.loaded().last_round == 2


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b""])
def test_what_is_no_store_is_moved_aside_and_versions_begin_anew(
    rig: StoreRig, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    rig.path.parent.mkdir(mode=0o700)
    rig.path.write_bytes(damage)
    rig.kept([rig.version("f1", "text")])
    assert len(list(rig.path.parent.glob("objects.sqlite.unusable-*"))) == 1
    assert len(warnings_in(caplog)) == 1
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_a_store_that_is_damaged_in_the_middle_of_it_is_begun_anew(rig: StoreRig) -> None:
    for number in range(200):
        rig.kept([rig.version("f1", f"{number}" * 3000)])
    rig.stop()
    data = bytearray(rig.path.read_bytes())
    for at in range(4096 * 3, len(data), 4096):
        data[at : at + 512] = b"\xff" * 512
    rig.path.write_bytes(bytes(data))
    rig.start()
    assert rig.loaded().last_round == 0
    assert len(list(rig.path.parent.glob("objects.sqlite.unusable-*"))) == 1


def test_a_store_whose_file_goes_away_is_begun_anew(rig: StoreRig, caplog: pytest.LogCaptureFixture) -> None:
    rig.kept()
    for each in rig.path.parent.iterdir():
        each.unlink()
    assert rig.loaded().last_round == 0
    assert "not there any more" in warnings_in(caplog)[0]


def test_a_folder_that_cannot_be_made_is_a_reason_and_no_crash(rig: StoreRig) -> None:
    rig.path.parent.write_text("in the way")
    assert isinstance(rig.ask(LoadObjects, window=WINDOW), Refused)
    description = rig.answer(SelfDescription, DescribeYourself)
    assert description.figures == ()
    rig.path.parent.unlink()
    rig.kept()
    assert dict(rig.answer(SelfDescription, DescribeYourself).figures)["windows"] == 1


def test_its_folder_and_file_are_nobody_elses(rig: StoreRig) -> None:
    rig.kept()
    assert (rig.path.parent.stat().st_mode & 0o777, rig.path.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_kill_at_any_moment_loses_no_round_that_was_answered_and_doubles_none(tmp_path: Path) -> None:
    answered = 0
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-m", "tests.actors.memory.objects.victim", str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path.cwd(),
        ) as child:
            assert child.stdout is not None
            for _ in range(7):
                answered = int(child.stdout.readline())
            os.kill(child.pid, signal.SIGKILL)
            rest = child.stdout.read().split()
            answered = int(rest[-1]) if rest else answered
        rig = StoreRig(tmp_path)
        loaded = rig.loaded()
        rig.stop()
        assert audit(rig.path) == []
        assert answered <= loaded.last_round <= answered + 1
        kept = [int(each) for each in ((loaded.snapshot,) if loaded.snapshot else ()) + loaded.rounds]
        first = kept[0] if kept else 1
        assert kept == list(range(first, loaded.last_round + 1))
