"""The folder of files that people attach."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from actors.discord.incoming.attachment_store import MOST_FILES, keep, kept_path
from actors.shell import quota
from domain.log.window_folders import attachments_folder
from messages.base import Surface, Window
from tests.recording_disk import RecordingDisk

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="123456789012345678")
GIVEN = {"a.txt": b"12345", "b.bin": b"\x00"}
EIGHT = {"x": b"12345678"}
DEEP = 1_500


def shelf(root: Path) -> Path:
    return root / attachments_folder(WINDOW)


def message_folders(root: Path) -> list[str]:
    return sorted(path.name for path in shelf(root).iterdir())


def nest(folder: Path) -> None:
    """Put folders into folders, deeper than Python recurses and than any path can name."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(DEEP):
        os.mkdir("in", dir_fd=here)
        above, here = here, os.open("in", os.O_RDONLY, dir_fd=here)
        os.close(above)
    os.close(here)


def test_files_are_kept_for_the_agent_alone(tmp_path: Path) -> None:
    assert keep(tmp_path, WINDOW, "7", GIVEN) == {}
    files = {name: shelf(tmp_path) / "7" / name for name in GIVEN}
    assert {name: file.read_bytes() for name, file in files.items()} == GIVEN
    assert {file.stat().st_mode & 0o777 for file in files.values()} == {0o600}
    folders = [folder for folder in files["a.txt"].parents if folder.is_relative_to(tmp_path / "attachments")]
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700] * 4


def test_kept_files_survive_a_power_loss(tmp_path: Path) -> None:
    disk = RecordingDisk()
    keep(tmp_path, WINDOW, "7", GIVEN, disk=disk)
    keep(tmp_path, WINDOW, "7", {"a.txt": b"again"}, disk=disk)
    disk.lose_power()
    assert {path.name: path.read_bytes() for path in (shelf(tmp_path) / "7").iterdir()} == GIVEN | {"a.txt": b"again"}


def test_a_command_sees_them_where_messages_say(tmp_path: Path) -> None:
    keep(tmp_path, WINDOW, "7", GIVEN)
    assert kept_path("7", "a.txt") == "attachments/7/a.txt"
    assert (shelf(tmp_path) / kept_path("7", "a.txt").removeprefix("attachments/")).exists()


def test_what_is_kept_again_is_replaced_even_when_cut_short_before(tmp_path: Path) -> None:
    keep(tmp_path, WINDOW, "7", GIVEN)
    (shelf(tmp_path) / "7" / ".part").write_bytes(b"half")
    keep(tmp_path, WINDOW, "7", GIVEN | {"a.txt": b"new"})
    assert (shelf(tmp_path) / "7" / "a.txt").read_bytes() == b"new"
    assert sorted(os.listdir(shelf(tmp_path) / "7")) == ["a.txt", "b.bin"]  # noqa: PTH208


def test_the_oldest_make_room_for_the_newest(tmp_path: Path) -> None:
    for message_id in ("9", "10", "11", "12"):
        keep(tmp_path, WINDOW, message_id, EIGHT, most_bytes=24)
    assert message_folders(tmp_path) == ["10", "11", "12"]


def test_only_so_many_messages_have_files(tmp_path: Path) -> None:
    for message_id in ("9", "10", "11", "12"):
        keep(tmp_path, WINDOW, message_id, EIGHT, most_messages=3)
    assert message_folders(tmp_path) == ["10", "11", "12"]


def test_each_window_has_its_own_room(tmp_path: Path) -> None:
    other = Window(surface=Surface.DISCORD_THREAD, id="123456789012345679")
    keep(tmp_path, other, "9", EIGHT, most_bytes=8)
    keep(tmp_path, WINDOW, "10", EIGHT, most_bytes=8)
    assert (tmp_path / attachments_folder(other) / "9" / "x").exists()


def test_a_message_cannot_have_more_than_its_window(tmp_path: Path) -> None:
    keep(tmp_path, WINDOW, "9", EIGHT, most_bytes=12)
    faults = keep(tmp_path, WINDOW, "10", {"a": b"12345678", "b": b"12345", "c": b"1234"}, most_bytes=12)
    assert list(faults) == ["b"]
    assert "at most 0 MiB" in faults["b"]
    assert (message_folders(tmp_path), len(list((shelf(tmp_path) / "10").iterdir()))) == (["10"], 2)
    many = keep(tmp_path, WINDOW, "11", {str(number): b"" for number in range(MOST_FILES + 1)})
    assert list(many) == [str(MOST_FILES)]


def test_a_name_that_is_none_costs_only_its_own_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(["../a", "a/b", ".part", "..", ".", "a\0b", "", "x" * 300]):
        with subtests.test(name=name):
            root = tmp_path / str(number)
            root.mkdir()
            assert list(keep(root, WINDOW, "7", {name: b"1", "good": b"2"})) == [name]
            assert os.listdir(shelf(root) / "7") == ["good"]  # noqa: PTH208
            assert sorted(os.listdir(root)) == ["attachments"]  # noqa: PTH208


def test_an_id_that_is_none_keeps_nothing(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, message_id in enumerate(["..", "7/8", "", "x", "²", "٣"]):
        with subtests.test(message_id=message_id):
            root = tmp_path / str(number)
            root.mkdir()
            with pytest.raises(ValueError, match="decimal digits"):
                keep(root, WINDOW, message_id, GIVEN)


def test_a_full_disk_keeps_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="the disk has less than"):
        keep(tmp_path, WINDOW, "7", GIVEN, least_free_bytes=1 << 62)
    assert message_folders(tmp_path) == []


@pytest.mark.parametrize("scale", [1, 1_000])
def test_files_are_refused_before_commands_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: int) -> None:
    """On a disk of 1.5 GiB and on a large one."""
    blocks, names = scale * 393_216, scale * 98_304
    stops, stops_names = min(quota.LEAST_FREE_BYTES >> 12, blocks // 8), min(quota.LEAST_FREE_NAMES, names // 8)

    def disk(free: int, free_names: int) -> os.statvfs_result:
        return os.statvfs_result((4096, 4096, blocks, free, free, names, free_names, free_names, 0, 255))

    left = {"disk": disk(2 * stops + 1, 2 * stops_names)}
    monkeypatch.setattr(os, "fstatvfs", lambda _shelf: left["disk"])
    assert keep(tmp_path, WINDOW, "7", {"a": bytes(4096)}) == {}
    with pytest.raises(OSError, match="MiB free"):
        keep(tmp_path, WINDOW, "8", {"a": bytes(4097)})
    left["disk"] = disk(2 * stops + 1, 2 * stops_names - 1)
    with pytest.raises(OSError, match="more files"):
        keep(tmp_path, WINDOW, "9", {"a": bytes(4096)})
    assert message_folders(tmp_path) == ["7"]


@pytest.mark.usefixtures("disk_of_a_thousand_bytes")
def test_a_file_that_cannot_be_written_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    faults = keep(tmp_path, WINDOW, "7", {"a": b"12345", "big": b"x" * 1_001, "z": b"6"})
    assert faults == {"big": "File too large"}
    assert sorted(os.listdir(shelf(tmp_path) / "7")) == ["a", "z"]  # noqa: PTH208


@pytest.mark.usefixtures("disk_of_a_thousand_bytes")
def test_the_last_file_leaves_nothing_behind_either(tmp_path: Path) -> None:
    assert list(keep(tmp_path, WINDOW, "7", {"big": b"x" * 1_001})) == ["big"]
    assert list((shelf(tmp_path) / "7").iterdir()) == []


def test_what_an_operator_put_there_is_left_alone(tmp_path: Path) -> None:
    keep(tmp_path, WINDOW, "9", EIGHT)
    (shelf(tmp_path) / "notes").mkdir()
    (shelf(tmp_path) / "10").symlink_to(tmp_path)
    keep(tmp_path, WINDOW, "11", EIGHT, most_bytes=8)
    assert message_folders(tmp_path) == ["10", "11", "notes"]
    assert tmp_path.is_dir()


def test_a_folder_with_more_than_plain_files_makes_room_in_its_turn(tmp_path: Path) -> None:
    for name in ("1", "2", "3"):
        (shelf(tmp_path) / name).mkdir(parents=True)
    os.mkfifo(shelf(tmp_path) / "1" / "fifo")
    (shelf(tmp_path) / "2" / "link").symlink_to("/etc")
    nest(shelf(tmp_path) / "3")
    keep(tmp_path, WINDOW, "9", EIGHT)
    try:
        assert keep(tmp_path, WINDOW, "30", EIGHT, most_bytes=8) == {}
        assert message_folders(tmp_path) == ["30"]
    finally:  # or pytest would fail on it days later, in somebody else's test
        subprocess.run(["rm", "-rf", "--", shelf(tmp_path)], check=True)


def test_no_link_is_followed_and_no_pipe_waited_for(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (trap, kind) in enumerate(itertools.product(("", "7", "7/.part", "7/a.txt"), ("link", "fifo"))):
        with subtests.test(trap=trap, kind=kind):
            root = tmp_path / str(number)
            root.mkdir()
            outside = root / "outside"
            outside.mkdir()
            (outside / "a.txt").write_bytes(b"precious")
            place, is_file = shelf(root) / trap, trap.endswith((".part", ".txt"))
            place.parent.mkdir(parents=True)
            place.symlink_to(outside / "a.txt" if is_file else outside) if kind == "link" else os.mkfifo(place)
            if is_file:
                assert keep(root, WINDOW, "7", GIVEN) == {}
                assert (shelf(root) / "7" / "a.txt").read_bytes() == b"12345"
            else:
                with pytest.raises(OSError, match=r"."):
                    keep(root, WINDOW, "7", GIVEN)
            assert (outside / "a.txt").read_bytes() == b"precious"
            assert len(list(outside.iterdir())) == 1


def test_files_of_a_message_that_come_one_by_one_count_together(tmp_path: Path) -> None:
    assert keep(tmp_path, WINDOW, "7", {"a.txt": b"x" * 6}, most_bytes=10) == {}
    assert keep(tmp_path, WINDOW, "8", {"a.txt": b"x" * 4}, most_bytes=10) == {}
    assert "at most 0 MiB" in keep(tmp_path, WINDOW, "8", {"b.txt": b"x" * 7}, most_bytes=10)["b.txt"]
    assert keep(tmp_path, WINDOW, "8", {"a.txt": b"x" * 5}, most_bytes=10) == {}, "it replaces its older self"
    assert keep(tmp_path, WINDOW, "8", {"b.txt": b"x" * 5}, most_bytes=10) == {}
    assert sorted(os.listdir(shelf(tmp_path))) == ["8"]  # noqa: PTH208
    assert sorted(os.listdir(shelf(tmp_path) / "8")) == ["a.txt", "b.txt"]  # noqa: PTH208


def test_files_that_come_one_by_one_have_the_same_bound_in_number(tmp_path: Path) -> None:
    faults = [keep(tmp_path, WINDOW, "7", {f"{number}.txt": b"x"}) for number in range(MOST_FILES + 1)]
    assert faults[:-1] == [{}] * MOST_FILES
    assert f"at most {MOST_FILES} files" in faults[-1][f"{MOST_FILES}.txt"]
