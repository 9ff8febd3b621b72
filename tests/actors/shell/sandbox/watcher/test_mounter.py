"""Mounts by descriptor, in a real sandbox: what the name of a mount is when it is made decides, and no link is followed."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from actors.shell.sandbox.enclosure import Enclosure
from actors.shell.sandbox.view import View
from actors.shell.sandbox.watcher.mounter import has_made_mounts, make_mounts
from actors.shell.warden_client import WardenClient
from messages.shell import SharedFolder
from tests.actors.shell.bench import level
from tests.patience import PATIENCE_S

KERNEL = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
pytestmark = pytest.mark.skipif(KERNEL < (5, 12), reason="Linux 5.12 is needed")


def run(choice: str, view: View, command: str) -> tuple[str, str]:
    """Output of a command in a view, and the reason if it was not begun."""
    job = enclosure(choice).job(command, view, {"PATH": "/usr/bin:/bin"}, timeout_s=30, user_threads=1000)
    assert job.late != ()

    async def go() -> tuple[str, str]:
        warden = WardenClient()
        try:
            process, pieces = await warden.start(job), list[bytes]()
            await asyncio.wait_for(process.read(pieces.append), PATIENCE_S)
            await asyncio.wait_for(process.exited, PATIENCE_S)
            process.close()
            return b"".join(pieces).decode(), process.ending.fault
        finally:
            warden.close()

    return asyncio.run(go())


def enclosure(choice: str) -> Enclosure:
    found = level(choice).enclosure
    assert found is not None
    assert found.mounts_by_descriptor
    return found


@pytest.fixture
def shared_folder(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret\n")
    for folder in ("w", "shared/inner/deep"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "shared" / "index").write_text("mine\n")
    (tmp_path / "shared" / "key").write_text("key\n")
    return tmp_path / "shared"


def view(shared_folder: Path, *, hidden: tuple[str, ...] = (), may_write: bool = True) -> View:
    home = str(shared_folder.parent / "w")
    folder = SharedFolder(path=str(shared_folder), may_write=may_write, kept=("index",) if may_write else ())
    inner = SharedFolder(path=f"{shared_folder}/inner/deep", may_write=True)
    return View(
        cwd=home, own=(home,), shared=(folder, inner), hidden=tuple(f"{shared_folder}/{name}" for name in hidden)
    )


def outside(shared_folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (shared_folder.parent / "outside").iterdir()}


TRIALS = """cd {shared_folder}
echo a >> index && echo changes what is kept
mv index other 2> /dev/null && echo moves what is kept
mv inner other 2> /dev/null && echo moves a folder above a mount
cat key 2> /dev/null
echo a > inner/deep/a && echo changes inner
echo a > inner/a && echo changes between
true"""


def test_what_is_kept_hidden_and_shared_is_as_by_path(
    shared_folder: Path, sandbox: str, subtests: pytest.Subtests
) -> None:
    for may_write in (True, False):
        with subtests.test(may_write=may_write):
            said, fault = run(
                sandbox,
                view(shared_folder, hidden=("key",), may_write=may_write),
                TRIALS.format(shared_folder=shared_folder),
            )

            assert fault == ""
            lines = [line for line in said.splitlines() if "Read-only" not in line]
            assert lines == ["changes inner", *(["changes between"] if may_write else [])]


def test_where_a_kept_name_is_a_link_by_then_the_folder_is_only_read(shared_folder: Path, sandbox: str) -> None:
    (shared_folder / "index").unlink()
    (shared_folder / "index").symlink_to(shared_folder.parent / "outside" / "secret")
    before = outside(shared_folder)

    said, fault = run(
        sandbox, view(shared_folder), f"cat {shared_folder}/index; echo a > {shared_folder}/new; echo went on"
    )

    assert fault == ""
    assert "secret" not in [*said.splitlines()]
    assert said.splitlines()[-1] == "went on"
    assert not (shared_folder / "new").exists()
    assert outside(shared_folder) == before


def test_where_a_hidden_name_is_a_link_by_then_nothing_of_the_folder_is_shown(
    shared_folder: Path, sandbox: str
) -> None:
    (shared_folder / "key").rename(shared_folder / "moved")
    (shared_folder / "key").symlink_to("moved")

    said, fault = run(
        sandbox, view(shared_folder, hidden=("key",)), f"cat {shared_folder}/moved; ls -A {shared_folder}; echo went on"
    )

    assert fault == ""
    assert "key" not in said.splitlines()
    assert said.splitlines()[-1] == "went on"


@pytest.mark.parametrize("target", ["{outside}", "/oldroot{outside}", "/oldroot{outside}/planted"])
def test_where_a_folder_above_a_mount_is_a_link_by_then_nothing_is_made_or_changed_behind_it(
    shared_folder: Path, sandbox: str, target: str
) -> None:
    (shared_folder / "inner").rename(shared_folder / "moved")
    (shared_folder / "inner").symlink_to(target.format(outside=shared_folder.parent / "outside"))
    before = outside(shared_folder)

    said, fault = run(
        sandbox, view(shared_folder), f"ls {shared_folder}/inner/; echo a > {shared_folder}/inner/b; echo went on"
    )

    assert fault == ""
    assert "secret" not in said.splitlines()
    assert outside(shared_folder) == before


def test_a_command_of_the_callers_folder_is_refused_where_names_are_moved(tmp_path: Path, sandbox: str) -> None:
    """Less of it than was asked for would surprise the caller, who can ask again."""
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").write_text("secret\n")
    (tmp_path / "here" / ".env").symlink_to(tmp_path / "elsewhere")
    here = str(tmp_path / "here")

    said, fault = run(sandbox, View(cwd=here, own=(here,), hidden=(f"{here}/.env",)), "cat .env")

    assert (said, fault) == ("", "files of its folders were moved meanwhile; try again")


def test_a_sandbox_that_is_not_there_has_no_mounts_and_gets_none() -> None:
    assert not has_made_mounts(0)
    assert not has_made_mounts(os.getpid()) or os.geteuid() != 0
    assert make_mounts(1 << 22, ()) == "files of its folders were moved meanwhile; try again"
