from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.shell.sandbox.watcher.groups import find_groups

VERSION_1 = "5:pids:/\n4:memory:/service\n1:cpu,cpuacct:/\n0::/\n"
VERSION_2 = "0::/system.slice/remembrancer.service/agent\n"


def tree(root: Path, files: dict[str, str]) -> Path:
    """A tree of control groups as the kernel shows one; groups get their files when they are made."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    own = root / "own"
    own.write_text(VERSION_1 if "memory/service/tasks" in files else VERSION_2)
    return own


def make_group(folder: Path) -> Path:
    """The group of this process, with the files that a kernel would have put there."""
    group = folder / f"command-{os.getpid()}"
    group.mkdir()
    return group


def test_with_version_2_the_parent_of_the_agents_own_group_is_used(tmp_path: Path) -> None:
    service = "system.slice/remembrancer.service"
    own = tree(tmp_path, {f"{service}/cgroup.controllers": "cpu memory pids\n", f"{service}/agent/cgroup.procs": ""})
    groups = find_groups(100, tmp_path, own)
    assert groups is not None
    assert groups.folders == (str(tmp_path / service),)
    group = make_group(tmp_path / service)
    for name in ("memory.max", "memory.swap.max", "pids.max", "cpu.weight"):
        (group / name).touch()
    groups.join()
    assert (group / "cgroup.procs").read_text() == "0"
    assert int((group / "memory.max").read_text()) <= 2 << 30
    assert [(group / name).read_text() for name in ("memory.swap.max", "pids.max", "cpu.weight")] == ["0", "108", "100"]
    groups.set_share(5)
    assert (group / "cpu.weight").read_text()[0] == "5"


def test_with_version_1_each_controller_has_its_tree_and_what_is_not_there_is_not_needed(tmp_path: Path) -> None:
    own = tree(tmp_path, {"memory/service/tasks": "", "pids/tasks": ""})
    groups = find_groups(100, tmp_path, own)
    assert groups is not None
    assert groups.folders == (str(tmp_path / "memory/service"), str(tmp_path / "pids"))
    (make_group(tmp_path / "memory/service") / "memory.limit_in_bytes").touch()
    (make_group(tmp_path / "pids") / "pids.max").touch()
    groups.join()
    assert (tmp_path / "pids" / f"command-{os.getpid()}" / "pids.max").read_text() == "108"


def test_a_group_without_a_share_of_the_processor_says_so(tmp_path: Path) -> None:
    """Else a command would begin sessions, each of which gets as much of the processor as the agent."""
    service = "system.slice/remembrancer.service"
    own = tree(tmp_path, {f"{service}/cgroup.controllers": "memory pids\n", f"{service}/agent/cgroup.procs": ""})
    groups = find_groups(100, tmp_path, own)
    assert groups is not None
    group = make_group(tmp_path / service)
    for name in ("memory.max", "pids.max"):
        (group / name).touch()
    groups.join()
    assert not groups.has_share()
    (group / "cpu.weight").touch()
    assert groups.has_share()


def test_a_group_that_bounds_nothing_is_none(tmp_path: Path) -> None:
    own = tree(tmp_path, {"memory/service/tasks": "", "pids/tasks": ""})
    groups = find_groups(100, tmp_path, own)
    assert groups is not None
    with pytest.raises(OSError, match=r"no memory\.limit_in_bytes, pids\.max"):
        groups.join()


def test_where_nobody_gave_the_agent_a_tree_there_are_no_groups(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, own in enumerate(
        [
            "0::/user.slice/user-1000.slice/session-1.scope\n",
            "0::/\n",
            "3:cpu:/\n",
            "5:pids:/\n4:memory:/missing\n",
            "",
        ]
    ):
        with subtests.test(own=own):
            root = tmp_path / str(number)
            root.mkdir()
            (root / "own").write_text(own)
            assert find_groups(100, root, root / "own") is None
            assert find_groups(100, root, root / "missing") is None


def test_a_tree_without_the_controllers_gives_none(tmp_path: Path) -> None:
    service = "system.slice/remembrancer.service"
    own = tree(tmp_path, {f"{service}/cgroup.controllers": "cpu\n", f"{service}/agent/cgroup.procs": ""})
    assert find_groups(100, tmp_path, own) is None


def test_what_dead_agents_left_is_swept_and_the_living_stay(tmp_path: Path) -> None:
    service = "system.slice/remembrancer.service"
    own = tree(tmp_path, {f"{service}/cgroup.controllers": "memory pids\n", f"{service}/agent/cgroup.procs": ""})
    groups = find_groups(100, tmp_path, own)
    assert groups is not None
    for name in ("command-1", "command-2", "command-3/busy", "other"):
        (tmp_path / service / name).mkdir(parents=True)
    groups.remove(1)
    groups.remove(99)
    groups.sweep()
    assert {path.name for path in (tmp_path / service).iterdir() if path.is_dir()} == {"agent", "command-3", "other"}
