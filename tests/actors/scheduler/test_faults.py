"""Every call of the system that the scheduler makes fails once, and nothing comes of it but a word about it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from itertools import islice, product
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from actors.edited_file.displaced import leftover_path
from actors.edited_file.file import LIMIT_BYTES
from actors.linux.disk import exchange
from domain.edit.lines import BOM
from domain.reminder.document import add_ids
from lab.chaos.reminders.world import Channel
from messages.scheduler import CreateReminder, ReminderCreated
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.lines import line
from tests.actors.scheduler.story import DIGEST, ONCE, Story

ROOMS = tuple(f"{os.sep}actors{os.sep}{room}{os.sep}" for room in ("scheduler", "edited_file"))
CALLS = [
    "chmod",
    "close",
    "fchmod",
    "fchown",
    "fdatasync",
    "fstat",
    "fsync",
    "ftruncate",
    "link",
    "listdir",
    "lstat",
    "mkdir",
    "open",
    "pread",
    "read",
    "readlink",
    "rename",
    "replace",
    "scandir",
    "stat",
    "unlink",
    "utime",
    "write",
]
FAULTS = (errno.EROFS, errno.ENOSPC, errno.EIO, errno.EACCES, errno.ELOOP, errno.EISDIR)
STEPS = frozenset({"handle", "_dispatch", "guarded", "_guard", "step", "_step", "go_on"})
"""Functions through which every call goes."""
Site = tuple[str, ...]
"""A call and the lines of the rooms that led to it."""


class System:
    """The system's calls, as the rooms make them: each place is noted, or one of them fails when it comes first."""

    def __init__(self, fault: tuple[Site, int] | None = None) -> None:
        self.sites: dict[Site, None] = {}
        self.fault = fault
        self._is_noting = fault is None

    @contextmanager
    def watch(self) -> Iterator[None]:
        """For as long, calls go through this."""
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, self._watch_call(name, getattr(os, name)))
            patch.setattr("actors.linux.disk.exchange", self._watch_call("exchange", exchange))
            yield

    def _watch_call(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def call_or_fail(*args: Any, **options: Any) -> Any:
            is_looked_at = self._is_noting or (self.fault is not None and self.fault[0][0] == name)
            lines = tuple(islice(_lines_of_the_rooms(sys._getframe(1)), 4)) if is_looked_at else ()
            if lines:
                site = (name, *lines)
                self.sites[site] = None
                if self.fault is not None and self.fault[0] == site:
                    number, self.fault = self.fault[1], None
                    if name == "close":
                        call(*args, **options)  # it is closed even so
                    raise OSError(number, os.strerror(number), "the file")
            return call(*args, **options)

        return call_or_fail


def _lines_of_the_rooms(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        code = frame.f_code
        name = _name_in_the_rooms(code.co_filename)
        if name and code.co_name not in STEPS:
            yield f"{name}:{frame.f_lineno}"
        frame = frame.f_back


@cache
def _name_in_the_rooms(file: str) -> str:
    """Name of a module of the rooms; empty for another file."""
    is_there = any(room in file for room in ROOMS) and f"{os.sep}tests{os.sep}" not in file
    return Path(file).name if is_there else ""


def tell(tmp_path: Path, number: int, start: Callable[..., Any], system: System) -> None:
    """One telling of the story in a folder of its own, and what must be so afterwards."""
    folder, channel = tmp_path / str(number), Channel()
    folder.mkdir()
    story = Story(folder, channel)
    story.prepare()
    with system.watch():
        process = start(folder, channel)
        story.tell(process)
    story.check_end(process)
    process.system.stop()


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, 3])
def test_each_call_may_fail_once(tmp_path: Path, start_in: Callable[..., Any], turn: int) -> None:
    known = System()
    tell(tmp_path, 0, start_in, known)
    sites = list(known.sites)
    assert {site[0] for site in sites} >= {
        "open",
        "write",
        "fdatasync",
        "fsync",
        "exchange",
        "unlink",
        "utime",
        "replace",
    }
    assert len(sites) > 60
    wrong = []
    for case, site in enumerate(sites, 1):
        number = FAULTS[(case + turn) % len(FAULTS)]
        system = System((site, number))
        try:
            tell(tmp_path, case, start_in, system)
        except AssertionError as error:
            wrong.append(f"{errno.errorcode[number]} at {' '.join(site)}: {str(error)[:300]}")
        assert system.fault is None, f"{site} was not come to"
    assert wrong == []


def make_folder(path: Path) -> None:
    path.mkdir()


def make_long(path: Path) -> None:
    path.write_bytes(b"x" * (LIMIT_BYTES * 9 // 8) + b"\n")


def make_longer_than_is_edited(path: Path) -> None:
    path.write_bytes(b"x" * (LIMIT_BYTES * 2 + 1))


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_dangling_link(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere" / "reminders.md")


def make_loop(path: Path) -> None:
    path.symlink_to(path)


IN_PLACE = (make_folder, make_long, make_longer_than_is_edited, make_pipe, make_dangling_link, make_loop)
BESIDE = (make_folder, make_long, make_pipe, make_dangling_link, None)


def test_whatever_stands_in_the_files_place_and_beside_it_the_scheduler_lives_and_goes_on_when_it_is_gone(
    tmp_path: Path, start_in: StartProcess, subtests: pytest.Subtests
) -> None:
    for number, (make, left) in enumerate(product(IN_PLACE, BESIDE)):
        with subtests.test(make=make.__name__, left=getattr(left, "__name__", "")):
            check_obstacle(tmp_path / str(number), start_in, make, left)


def check_obstacle(
    folder: Path, start_in: StartProcess, make: Callable[[Path], None], left: Callable[[Path], None] | None
) -> None:
    """The scheduler's life in a folder of its own: with the obstacle, and after that."""
    folder.mkdir()
    file, channel = folder / "reminders.md", Channel()
    make(file)
    beside = leftover_path(file, DIGEST)
    if left is not None:
        left(beside)
    else:
        beside.write_text("a person's words\n")
        (file.parent / "spare").mkdir()
        (file.parent / "spare" / f"{DIGEST}.base").write_bytes(b"")
    process = start_in(folder, channel)
    process.pass_minutes(2)
    story = Story(file.parent, channel)
    story.ask(process, "while it is there", CreateReminder, msg="tea", in_minutes=5)
    process.pass_minutes(1)

    was_brought_back = file.is_file() and b"a person's words" in file.read_bytes()
    file.rmdir() if file.is_dir() else file.unlink()
    file.write_text(ONCE + "\n")
    process.pass_minutes(2)

    assert sum("once" in text for text in channel.texts()) == 1
    assert isinstance(story.ask(process, "afterwards", CreateReminder, msg="tea", in_minutes=500), ReminderCreated)
    if left is None:
        process.pass_minutes(2)
        assert was_brought_back or file.read_text().count("a person's words") == 1
        assert not beside.exists()
    process.system.stop()


def test_a_line_that_got_its_id_before_a_crash_is_not_brought_back_without_the_id(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    typed = f"{line('tea', '2026-03-28 12:03', reminder_id='')}\n".encode()
    file.write_bytes(add_ids(typed))
    leftover_path(file, DIGEST).write_bytes(typed)
    (file.parent / "spare").mkdir()
    (file.parent / "spare" / f"{DIGEST}.base").write_bytes(b"")
    start().pass_minutes(5)
    assert sum("tea" in text for text in channel.texts()) == 1
    assert not leftover_path(file, DIGEST).exists()


@pytest.mark.parametrize("moved", ["", line("tea", "2026-03-28 12:04", reminder_id="") + "\n"])
def test_a_line_that_got_its_id_before_a_crash_is_not_said_at_a_time_that_a_person_has_changed(
    start: StartProcess, file: Path, channel: Channel, moved: str
) -> None:
    typed = f"{line('tea', '2026-03-28 12:02', reminder_id='')}\n".encode()
    file.write_bytes(add_ids(typed + b"# Words\n"))
    leftover_path(file, DIGEST).write_text(f"{moved}# Words\n")
    (file.parent / "spare").mkdir()
    (file.parent / "spare" / f"{DIGEST}.base").write_bytes(typed + b"# Words\n")
    start().pass_minutes(6)
    assert [posting.at.strftime("%H:%M") for posting in channel.postings] == (["12:04"] if moved else [])
    assert file.read_text() == "# Words\n"


def test_a_line_at_the_head_of_a_version_with_a_byte_order_mark_is_brought_back_as_a_reminder(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    typed = f"# Words\n{line('tea', '2026-03-28 12:02', reminder_id='')}\n".encode()
    file.write_bytes(add_ids(typed))
    leftover_path(file, DIGEST).write_bytes(BOM + line("bread", "2026-03-28 12:03").encode() + b"\n" + typed)
    (file.parent / "spare").mkdir()
    (file.parent / "spare" / f"{DIGEST}.base").write_bytes(typed)
    start().pass_minutes(6)
    assert sorted(text.split("\n")[0].split()[-1] for text in channel.texts()) == ["bread", "tea"]
    assert file.read_bytes() == b"# Words\n"


@pytest.mark.parametrize("hours", [0.0, 12.0])
def test_a_root_that_cannot_be_written_ends_nothing_and_is_said_once(
    start: StartProcess, file: Path, channel: Channel, monkeypatch: pytest.MonkeyPatch, hours: float
) -> None:
    file.write_text(line("tea", "2026-03-28 12:03") + "\n")

    def read_only(*_args: object, **_options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "last-look")

    with monkeypatch.context() as patch:
        patch.setattr(os, "utime", read_only)
        process = start(catchup_hours=hours)
        process.pass_minutes(4)
        process.kill()
        process = start(START + timedelta(minutes=10), catchup_hours=hours)
        process.pass_minutes(4)
    assert sum("tea" in text for text in channel.texts()) == 1
    alerts = {posting.nonce for posting in channel.postings if "the last scan" in posting.text}
    assert len(alerts) == (1 if hours else 0)
