from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from actors.linux.nameless import NamelessFiles
from actors.shell.job import UNBOUNDED, Limits
from actors.shell.sandbox.watcher import bounds
from actors.shell.sandbox.watcher.bounds import Bounds, DiskBound, TemporaryFilesBound, memory_fault, memory_left
from actors.shell.sandbox.watcher.scarcity import Measures

UNWRITTEN = Measures(written=lambda _pid: 0)
"""The command here is this process, from which other tests' programs stem too; they may write as much as they like."""


def limits(folder: Path, **given: int) -> Limits:
    return Limits(folder=str(folder), **{"most_bytes": 1 << 20, "most_files": 100, **given})


def first_fault(bound: DiskBound, seconds: float = 60.0) -> str:
    """First fault within some looks, each a tenth of a second after the last."""
    for tenth in range(int(10 * seconds)):
        if fault := bound.look(tenth / 10):
            return fault
    return ""


def test_a_folder_that_grows_beyond_its_bytes_is_found(tmp_path: Path) -> None:
    bound = DiskBound(limits(tmp_path), 0.0, measures=UNWRITTEN)
    assert first_fault(bound, 5) == ""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(bytes(2 << 20))
    assert first_fault(bound) == "its folder grew to more than 1 MiB, which is the most it may hold"
    bound.close()


def test_a_folder_that_gets_too_many_names_is_found(tmp_path: Path) -> None:
    bound = DiskBound(limits(tmp_path), 0.0, measures=UNWRITTEN)
    for number in range(101):
        (tmp_path / str(number)).touch()
    assert first_fault(bound) == "its folder got more than 100 files, which is the most it may hold"
    bound.close()


def test_a_folder_that_gets_too_deep_is_found(tmp_path: Path) -> None:
    bound = DiskBound(limits(tmp_path, most_files=1_000), 0.0, measures=UNWRITTEN)
    (tmp_path / "/".join(["d"] * 102)).mkdir(parents=True)
    assert first_fault(bound) == "its folder has folders nested deeper than 100"
    bound.close()


def test_a_disk_that_runs_out_of_names_is_found_and_the_one_who_took_them(tmp_path: Path) -> None:
    names = os.statvfs(tmp_path).f_favail
    if not names:
        pytest.skip("this disk has no end of names")
    many = limits(tmp_path, least_free_names=2 * names, most_files=100_000)
    bound = DiskBound(many, 0.0, measures=UNWRITTEN)
    assert first_fault(bound, 3) == ""
    for number in range(1_002):
        (tmp_path / str(number)).touch()
    assert "more files on the disk" in first_fault(bound)
    bound.close()


def test_what_a_folder_gained_without_writing_counts_where_the_disk_is_short_of_room(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    bound = DiskBound(
        limits(tmp_path, most_bytes=1 << 40, least_free_bytes=2 * disk.f_bavail * disk.f_frsize),
        0.0,
        measures=UNWRITTEN,
    )
    with (tmp_path / "file").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 65 << 20)
    assert "free on the disk" in first_fault(bound, 1)
    bound.close()


def test_a_folder_whose_owner_bounds_it_by_its_disk_only_is_not_counted(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    least = {"least_free_bytes": 2 * disk.f_bavail * disk.f_frsize, "least_free_names": 2 * disk.f_favail}
    bound = DiskBound(limits(tmp_path, most_bytes=UNBOUNDED, most_files=UNBOUNDED, **least), 0.0, measures=UNWRITTEN)
    (tmp_path / "/".join(["d"] * 102)).mkdir(parents=True)
    assert first_fault(bound) == ""
    bound.close()


def test_the_nearer_the_bound_the_shorter_the_pause(tmp_path: Path) -> None:
    pauses = []
    for used in (0, 1 << 33):
        bound = DiskBound(limits(tmp_path, most_bytes=1 << 34, used_bytes=used), 0.0, measures=UNWRITTEN)
        pauses.append(bound.pause_s())
        bound.close()
    assert pauses[1] == pytest.approx(pauses[0] / 2)


def test_while_there_is_more_to_look_at_there_is_no_pause(tmp_path: Path) -> None:
    names = os.statvfs(tmp_path).f_favail
    if not names:
        pytest.skip("this disk has no end of names")
    measures = Measures(lambda _pid: 0, lambda _pid, _device: iter([NamelessFiles()] * 6))
    bound = DiskBound(limits(tmp_path, least_free_names=names // 2), 0.0, measures=measures)
    assert bound.pause_s() > 0.0
    bound.look(0.0)
    assert bound.pause_s() == 0.0
    bound.close()


def test_a_folder_that_is_renamed_and_replaced_is_still_the_one_that_is_watched(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    bound = DiskBound(limits(work), 0.0, measures=UNWRITTEN)
    work.rename(tmp_path / "elsewhere")
    work.symlink_to("/usr")
    (tmp_path / "elsewhere" / "big").write_bytes(bytes(2 << 20))
    assert "grew" in first_fault(bound)
    bound.close()


def test_each_of_several_folders_has_its_bound_and_is_named(tmp_path: Path) -> None:
    seconds = map(float, range(1_000))
    work, layer = tmp_path / "work", tmp_path / "layer"
    work.mkdir()
    layer.mkdir()
    both = Bounds(
        limits(work, most_bytes=1 << 30),
        [limits(layer)],
        has_group=True,
        measures=UNWRITTEN,
        monotonic=seconds.__next__,
    )
    assert not [fault for _ in range(5) if (fault := both.look(0))]
    (layer / "big").write_bytes(bytes(2 << 20))
    faults = [fault for _ in range(5) if (fault := both.look(0))]
    assert faults[0] == f"the folder {layer} grew to more than 1 MiB, which is the most it may hold"
    both.close()


def test_the_nearest_of_several_bounds_says_how_long_nobody_need_look(tmp_path: Path) -> None:
    far, near = limits(tmp_path, most_bytes=1 << 34), limits(tmp_path, most_bytes=1 << 27)
    one, both = Bounds(far, has_group=True, measures=UNWRITTEN), Bounds(far, [near], has_group=True, measures=UNWRITTEN)
    assert both.pause_ms() < one.pause_ms() == round(1000 * bounds.LOOK_S)
    one.close()
    both.close()


def test_of_folders_that_cannot_all_be_opened_none_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with pytest.raises(FileNotFoundError):
        Bounds(limits(tmp_path), [limits(tmp_path), limits(tmp_path / "absent")], has_group=True, measures=UNWRITTEN)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_what_may_be_written_to_a_nearly_full_disk_is_not_what_a_small_folder_may_hold(
    tmp_path: Path,
) -> None:
    disk = os.statvfs(tmp_path)
    measures = Measures(written=lambda _pid: 10 << 20)
    near = limits(tmp_path, least_free_bytes=disk.f_bavail * disk.f_frsize // 2)
    for most, found in ((None, "it wrote more than 1 MiB"), (1 << 30, "")):
        bound = DiskBound(near, 0.0, most_written=most, measures=measures)
        assert found in bound.look(0.0)
        assert bool(found) == bool(bound.look(0.1))
        bound.close()


def test_files_in_memory_are_those_of_the_command_and_not_the_machines() -> None:
    bound = TemporaryFilesBound(0)
    bound.attach(os.getpid())  # shares the machine's /tmp and /dev/shm
    assert bound.look() == ""
    bound.attach(1 << 30)
    bound.close()


def test_memory_that_the_machine_has_left_is_looked_at_where_no_group_bounds_it(tmp_path: Path) -> None:
    assert 0 < memory_left() < UNBOUNDED
    assert memory_fault(0) == ""
    scarce = limits(tmp_path, least_memory_bytes=UNBOUNDED)
    for has_group, found in ((True, ""), (False, "of memory left")):
        both = Bounds(scarce, has_group=has_group, measures=UNWRITTEN)
        assert found in both.look(0)
        assert (both.look(0) == "") == has_group
        both.close()


def test_threads_are_counted_where_the_kernel_holds_none_back(tmp_path: Path) -> None:
    over = threading.Event()
    held = Bounds(limits(tmp_path, most_threads=5), has_group=False)
    assert held.pause_ms() == round(1000 * bounds.URGENT_S)
    threads = [threading.Thread(target=over.wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert held.look(0) == ""
    over.set()
    for thread in threads:
        thread.join()
    held.close()
