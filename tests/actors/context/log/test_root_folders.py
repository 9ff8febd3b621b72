"""Obstacles in the place of a data root's folder: each is named with its rule and waited for never."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from actors.backup.selection import LOGS, WORK
from actors.context.log.data_root import DataRoot, DataRootError
from actors.context.log.root_folders import BY_SURFACE, NAMES, folder_faults
from domain.log.window import LOGGED_SURFACES

STRANGER = 12_345
SHEET = (Path(__file__).parents[4] / "docs" / "operations.md").read_text()


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


KINDS: Mapping[str, Callable[[Path], object]] = {
    "a file": lambda path: path.write_text("in the way"),
    "a pipe": os.mkfifo,
    "a socket": make_socket,
}


@pytest.mark.req("X-239")
@pytest.mark.timeout(60)  # for all: a pipe is waited for by nobody
def test_whatever_stands_in_the_place_of_a_folder_ends_a_start_in_one_sentence(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    surfaces = [f"{name}/{surface.value}" for name in BY_SURFACE for surface in LOGGED_SURFACES]
    for number, (name, kind) in enumerate((name, kind) for name in (*NAMES, *surfaces) for kind in KINDS):
        with subtests.test(name=name, kind=kind):
            root = tmp_path / str(number)
            place = root / name
            place.parent.mkdir(parents=True)
            KINDS[kind](place)

            assert list(folder_faults(root)) == [f"{place}: must be a folder and is {kind}; take it away"]
            with pytest.raises(DataRootError, match=re.escape(f"{place}: must be a folder and is {kind}")):
                DataRoot(root).hold()
            DataRoot(root).lock()  # which the failed start has given back


@pytest.mark.req("X-239")
def test_a_link_of_ours_to_a_folder_of_ours_is_one(tmp_path: Path) -> None:
    root, disk = tmp_path / "data", tmp_path / "disk"
    for name in NAMES:
        (disk / name).mkdir(parents=True)
    root.mkdir()
    for name in NAMES:
        (root / name).symlink_to(disk / name)
    made = DataRoot(root)
    made.hold()
    made.release()
    assert (root / LOGS).is_symlink()
    assert (root / WORK).is_symlink()


def test_a_link_to_anything_else_is_refused_with_its_target(tmp_path: Path, subtests: pytest.Subtests) -> None:
    os.mkfifo(tmp_path / "pipe")
    link = tmp_path / "logs"
    ends = {"pipe": "which is a pipe", "nowhere": "No such file", "/dev/null": "which is a device", "logs": "Too many"}
    for target, end in ends.items():
        with subtests.test(target=target):
            link.symlink_to(target)
            (fault,) = folder_faults(tmp_path)
            link.unlink()
            assert fault.startswith(f"{link}: must be a folder, or a link of the agent's user to a folder of that user")
            assert f"it is a link to {target}" in fault
            assert end in fault


def test_no_surface_of_one_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "discord-channel").symlink_to(tmp_path / "elsewhere")
    (fault,) = folder_faults(tmp_path)
    assert fault.endswith("/logs/discord-channel: must be a folder and is a link; take it away")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_link_into_the_folder_of_another_user_or_made_by_one_is_refused(tmp_path: Path) -> None:
    root, mine, theirs = (tmp_path / name for name in ("data", "mine", "theirs"))
    for folder in (root, mine, theirs):
        folder.mkdir()
    os.chown(theirs, STRANGER, STRANGER)
    (root / "work").symlink_to(theirs)
    (root / "logs").symlink_to(mine)
    os.lchown(root / "logs", STRANGER, STRANGER)
    by_other, of_other = folder_faults(root)
    assert by_other.endswith(f"it is a link to {mine} that user {STRANGER} made")
    assert of_other.endswith(f"it is a link to {theirs}, which is user {STRANGER}'s")
    with pytest.raises(DataRootError, match=f"that user {STRANGER} made"):
        DataRoot(root).hold()


def test_a_links_name_and_target_steer_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "logs").symlink_to("\x1b[2Jnowhere\n")
    (fault,) = folder_faults(tmp_path)
    assert fault.isprintable()


def test_every_folder_that_the_handbook_names_is_looked_at() -> None:
    rows = re.findall(
        r"^\| `([^|]+) \|", SHEET.partition("## The data root")[2].partition("\nSurfaces are ")[0], re.MULTILINE
    )
    named = {name.split("/")[0] for row in rows for name in re.findall(r"[a-z_]+/", row.split("<")[0])}
    assert named == set(NAMES)
