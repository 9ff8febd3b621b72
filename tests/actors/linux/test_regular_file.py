"""Regular files: any other kind of file is refused at once."""

from __future__ import annotations

import os
import stat
from itertools import product
from pathlib import Path

import pytest

from actors.linux.regular_file import NotRegularError, open_regular, read_regular
from tests.ordinary_user import as_ordinary_user


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"words" * 100_000)

    assert read_regular(tmp_path / "file") == read_regular(str(tmp_path / "file")) == b"words" * 100_000


def test_what_is_no_regular_file_is_refused_at_once_and_not_left_open(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (what, flags) in enumerate(product(["pipe", "socket", "device", "folder"], [os.O_RDONLY, os.O_RDWR])):
        with subtests.test(flags=flags, what=what):
            root = tmp_path / str(number)
            root.mkdir()
            place = root / "file"
            if what == "pipe":
                os.mkfifo(place)
            elif what == "socket":
                os.mknod(place, stat.S_IFSOCK | 0o600)
            elif what == "device":
                place = Path("/dev/zero")
            else:
                place.mkdir()
            before = len(list(Path("/proc/self/fd").iterdir()))

            if what == "folder" and flags == os.O_RDWR:
                with pytest.raises(IsADirectoryError):
                    open_regular(place, flags)
            else:
                with pytest.raises(NotRegularError, match="not a regular file"):
                    open_regular(place, flags)
            assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_pipe_without_permissions_is_named_as_no_file_and_a_file_as_shut(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, flags in enumerate([os.O_RDONLY, os.O_RDWR]):
        with subtests.test(flags=flags):
            root = tmp_path / str(number)
            root.mkdir()
            os.mkfifo(root / "pipe", 0)
            (root / "file").touch(0)

            with as_ordinary_user():
                with pytest.raises(NotRegularError, match="not a regular file"):
                    open_regular(root / "pipe", flags)
                with pytest.raises(PermissionError, match="Permission denied"):
                    open_regular(root / "file", flags)


def test_what_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "file")
