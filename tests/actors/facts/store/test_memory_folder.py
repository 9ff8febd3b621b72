"""One process at a time in a folder of facts, and the page for people in it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from actors.facts.store.memory_folder import LOCK, README, MemoryFolder, find_holder
from actors.linux.held_file import HeldError, HeldFile, is_locked
from messages.facts import FACTS, AddEntry
from messages.status import DescribeYourself, SelfDescription
from tests.actors.facts.rig import FactsRig

HOLD = """
import sys
from pathlib import Path
from actors.facts.store.memory_folder import MemoryFolder
folder = MemoryFolder(Path(sys.argv[1]))
folder.open()
print("held", flush=True)
sys.stdin.read()
"""


class NoLocks(HeldFile):
    """Lock of a file system that has none."""

    def hold(self) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


@pytest.mark.req("X-225")
def test_a_second_process_is_refused_by_name_and_a_kill_frees_the_folder_at_once(tmp_path: Path) -> None:
    """As modelcontextprotocol/servers#4797, nambok/mentedb#97 and wangyingsm/dr-strange#2 report of two writers."""
    command = (sys.executable, "-c", HOLD, str(tmp_path))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        second = MemoryFolder(tmp_path)
        with pytest.raises(HeldError, match=f"{tmp_path}: process {first.pid} holds it"):
            second.open()
        assert find_holder(tmp_path) == str(first.pid)
        first.kill()
        first.wait()
    assert find_holder(tmp_path) == ""
    second.open()
    assert find_holder(tmp_path) == str(os.getpid())
    second.open()
    second.close()
    assert find_holder(tmp_path) == ""
    assert find_holder(tmp_path / "nowhere") == ""


@pytest.mark.req("X-225")
def test_a_second_actor_keeps_nothing_and_says_why_until_the_first_one_ends(tmp_path: Path) -> None:
    """As MemPalace/mempalace#1818 and dgraph-io/dgraph#1185 report."""
    first = FactsRig(tmp_path / "first")
    second = FactsRig(tmp_path / "second", memory=first.memory)
    reason = second.refusal(FACTS, AddEntry, conversation="c", text="The user likes tea")
    assert str(first.memory) in reason
    assert f"process {os.getpid()} holds it" in reason
    told = second.answer(SelfDescription, FACTS, DescribeYourself)
    assert reason in str(dict(told.operator_figures)["trouble"])
    first.say("My wife is Anne")
    first.stop()
    second.wait(6)
    second.add("The user likes tea")
    assert len(first.facts()) == 2
    second.stop()


@pytest.mark.req("X-225")
def test_a_file_system_without_locks_is_used_without_one_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    MemoryFolder(tmp_path, lock=NoLocks(tmp_path / LOCK)).open()
    assert "without a lock" in caplog.text
    assert (tmp_path / "entries").is_dir()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_lock_whose_holder_cannot_be_named_for_want_of_space_is_held_all_the_same(tmp_path: Path, code: int) -> None:
    class FullFile(HeldFile):
        def name_holder(self) -> None:
            raise OSError(code, os.strerror(code))

    folder = MemoryFolder(tmp_path, lock=FullFile(tmp_path / LOCK))
    folder.open()
    assert is_locked(tmp_path / LOCK)
    folder.close()


def test_the_page_for_people_is_written_with_the_folder_and_never_again(tmp_path: Path) -> None:
    folder = MemoryFolder(tmp_path)
    folder.open()
    page = tmp_path / README
    assert "deleted/" in page.read_text()
    page.unlink()
    folder.close()
    folder.open()
    assert not page.exists()
    folder.close()
    other = tmp_path / "other"
    other.mkdir()
    (other / README).write_text("mine")
    folder = MemoryFolder(other)
    folder.open()
    folder.close()
    assert (other / README).read_text() == "mine"
