from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.shell.quota import Quota
from actors.shell.refused import RefusedError
from tests.actors.shell.bench import Bench


class Clock:
    """Goes on by a second with every look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_what_fits_is_let_through(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(10_000))
    Quota(Clock(), most_bytes=100_000, most_files=2, least_free_bytes=0).check(tmp_path)


def test_too_many_bytes_are_refused_with_the_figure(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(bytes(3_000_000))
    with pytest.raises(RefusedError, match=r"holds 2\.9 MiB; at most 1\.0 MiB may be there"):
        Quota(Clock(), most_bytes=1024**2, least_free_bytes=0).check(tmp_path)


def test_holes_in_files_take_no_room(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10**12)
    Quota(Clock(), most_bytes=1024**2, least_free_bytes=0).check(tmp_path)


def test_too_many_files_are_refused_with_the_figure(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / str(number)).symlink_to("/")
    with pytest.raises(RefusedError, match="more than 3 files"):
        Quota(Clock(), most_files=3, least_free_bytes=0).check(tmp_path)


def test_a_full_disk_is_refused_with_the_figure(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"The disk has only .* MiB free; below .* MiB no command is run"):
        Quota(Clock(), least_free_bytes=2**62).check(tmp_path)


def test_a_folder_nested_deeper_than_a_path_can_be_is_refused(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("x" * 200, dir_fd=here)
        inner = os.open("x" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    with pytest.raises(RefusedError, match="cannot be looked into"):
        Quota(Clock(), least_free_bytes=0).check(tmp_path)


def test_a_measurement_holds_for_twenty_times_as_long_as_it_took(tmp_path: Path) -> None:
    clock = Clock()
    quota = Quota(clock, most_files=1, least_free_bytes=0)
    quota.check(tmp_path)
    for number in range(3):
        (tmp_path / str(number)).touch()
    quota.check(tmp_path)
    clock.now += 20
    with pytest.raises(RefusedError):
        quota.check(tmp_path)


def test_a_command_is_refused_when_its_folder_is_full(tmp_path: Path, sandbox: str) -> None:
    quota = Quota(Clock(), most_files=10, least_free_bytes=0)
    jail = Bench(tmp_path, sandbox=sandbox, quota=quota)
    assert jail.run("touch {1..20}").exit_code == 0
    quota._good_until.clear()
    assert "more than 10 files" in jail.refusal(jail.ask("echo ran"))
    jail.system.stop()
