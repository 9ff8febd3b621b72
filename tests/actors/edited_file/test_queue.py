"""Queue of edits: whose turn it is, what is refused, and what is made up for; with a timer that the test turns."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from actors.edited_file.file import EditedFile
from actors.edited_file.queue import EditQueue, Job, QueueConfig
from actors.edited_file.rewriting import Edit, Waits
from actors.linux.disk import RealDisk
from domain.edit.lines import EditRefusedError
from domain.edit.merge import changes
from messages.base import RequestId, Surface, Window

GREEDY = Window(surface=Surface.DISCORD_THREAD, id="910000000000000077")
BYSTANDER = Window(surface=Surface.DISCORD_THREAD, id="910000000000000078")


class NoWordError(ValueError):
    """Refusal by an edit of this file's."""


CONFIG = QueueConfig(
    most_waiting=3,
    requested_bytes=40,
    read_bytes=80,
    file="the word list",
    remedy="some words have to be taken out",
    waits=Waits(settle_s=0.0, verify_s=0.0),
)


class Rig:
    """An actor that only wakes a queue, and a note of what became of the jobs."""

    def __init__(self, path: Path, disk: RealDisk | None = None, config: QueueConfig = CONFIG) -> None:
        self.path = path
        self.file = EditedFile(path, path.parent / "spare", disk)
        self.queue = EditQueue(self, self.file, config)
        self.due: list[Callable[[], None]] = []
        self.outcomes: list[str] = []

    def wait(self, delay_s: float, then: Callable[[], None]) -> RequestId:
        assert delay_s >= 0.0
        self.due.append(then)
        return RequestId("")

    def step(self) -> None:
        self.due.pop(0)()

    def settle(self) -> None:
        while self.due:
            self.step()

    def is_settled(self) -> bool:
        return self.queue.is_settled

    def put(self, edit: Edit, name: str = "own", key: str = "", most_bytes: int | None = None) -> None:
        self.queue.put(Job(edit, *self._notes(name), key, most_bytes))

    def put_for(self, window: Window, edit: Edit | None, name: str) -> None:
        self.queue.put_for(window, edit, *self._notes(name))

    def _notes(self, name: str) -> tuple[Callable[[], None], Callable[[str], None]]:
        return lambda: self.outcomes.append(name), lambda reason: self.outcomes.append(f"{name}: {reason}")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    (tmp_path / "words.md").write_bytes(b"a\n")
    rig = Rig(tmp_path / "words.md")
    yield rig
    rig.queue.close()


def adding(word: bytes) -> Edit:
    return lambda data: data if word in data.split(b"\n") else data + word + b"\n"


def refusing(error: Exception) -> Edit:
    def edit(_data: bytes) -> bytes:
        raise error

    return edit


def test_own_jobs_come_before_those_of_windows_which_take_turns(rig: Rig) -> None:
    rig.put_for(GREEDY, adding(b"b"), "first")
    rig.put_for(GREEDY, adding(b"c"), "second")
    rig.put_for(BYSTANDER, None, "bystander")
    rig.put(adding(b"d"))
    rig.settle()
    assert rig.outcomes == ["first", "own", "bystander", "second"]
    assert rig.path.read_bytes() == b"a\nb\nd\nc\n"
    assert not rig.queue.is_busy
    assert rig.is_settled()


def test_a_job_that_waits_stands_for_all_with_its_key(rig: Rig) -> None:
    for number in range(4):
        rig.put(adding(b"b"), f"job {number}", key="words")
    rig.put(adding(b"c"), "other", key="others")
    rig.settle()
    assert rig.outcomes == ["job 0", "job 1", "other"], "the one under way stands for nobody"


def test_of_one_window_so_many_jobs_wait(rig: Rig) -> None:
    for number in range(3):
        rig.put_for(GREEDY, None, f"job {number}")
    with pytest.raises(EditRefusedError, match="3 requests of this conversation wait already"):
        rig.put_for(GREEDY, None, "one more")
    rig.put_for(BYSTANDER, None, "bystander")
    rig.settle()
    rig.put_for(GREEDY, None, "later")
    rig.settle()
    assert rig.outcomes == ["job 0", "bystander", "job 1", "job 2", "later"]


def test_what_an_edit_says_no_by_is_the_reason(rig: Rig) -> None:
    rig.put(refusing(NoWordError("no such word")))
    rig.put(refusing(EditRefusedError("not today")))
    rig.put(refusing(FileNotFoundError(2, "gone", "words.md")))
    rig.settle()
    assert rig.outcomes == ["own: no such word", "own: not today", "own: words.md: gone"]
    assert rig.path.read_bytes() == b"a\n"


def test_what_else_an_edit_raises_is_a_defect(rig: Rig) -> None:
    rig.put(refusing(KeyError("b")))
    with pytest.raises(KeyError):
        rig.settle()


def test_no_request_makes_the_file_larger_than_its_bound_and_any_makes_it_smaller(rig: Rig) -> None:
    rig.put_for(GREEDY, adding(b"x" * 40), "large")
    rig.settle()
    assert rig.outcomes == [
        "large: the word list would have too many bytes, at most 40 are written of the 80 that are read: "
        "some words have to be taken out first"
    ]
    rig.outcomes.clear()
    rig.put(adding(b"x" * 60), "unbounded")
    rig.put(adding(b"y"), "bounded", most_bytes=20)
    rig.put_for(GREEDY, lambda data: data.replace(b"a\n", b""), "smaller")
    rig.settle()
    assert rig.outcomes[0] == "unbounded"
    assert "at most 20 are written" in rig.outcomes[1]
    assert rig.outcomes[2] == "smaller"
    assert rig.path.read_bytes() == b"x" * 60 + b"\n"


def test_a_step_of_an_edit_that_is_over_is_none(rig: Rig) -> None:
    rig.put(adding(b"b"))
    first = rig.due[0]
    rig.settle()
    rig.put(adding(b"c"))
    first()
    assert len(rig.due) == 1
    rig.settle()
    assert rig.outcomes == ["own", "own"]


def test_what_somebody_wrote_late_is_made_again(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    slow = os.open(rig.path, os.O_WRONLY)
    rig.put(adding(b"b"))
    rig.settle()
    os.write(slow, b"a\nhuman\n")
    os.close(slow)
    with caplog.at_level(logging.WARNING):
        rig.queue.try_again()
    assert not rig.is_settled()
    rig.settle()
    assert sorted(rig.path.read_bytes().split()) == [b"a", b"b", b"human"]
    assert "an editor saved the word list during a change" in caplog.text


def test_what_somebody_wrote_late_is_made_again_after_the_next_edit_at_the_latest(rig: Rig) -> None:
    slow = os.open(rig.path, os.O_WRONLY)
    rig.put(adding(b"b"))
    rig.settle()
    os.write(slow, b"a\nhuman\n")
    os.close(slow)
    rig.put(adding(b"c"))
    rig.settle()
    assert sorted(rig.path.read_bytes().split()) == [b"a", b"b", b"c", b"human"]


def test_what_cannot_be_made_again_is_tried_for_a_while_and_then_once_a_minute(rig: Rig) -> None:
    slow = os.open(rig.path, os.O_WRONLY)
    rig.put(adding(b"b"))
    rig.settle()
    os.write(slow, b"a\nhuman\n")
    os.close(slow)
    rig.path.chmod(0o444)
    rig.queue.try_again()
    rig.settle()
    assert not rig.is_settled()
    rig.path.chmod(0o644)
    rig.queue.try_again()
    rig.settle()
    assert b"human" in rig.path.read_bytes()
    assert rig.is_settled()


def test_a_displaced_version_that_cannot_be_read_is_looked_at_again(rig: Rig) -> None:
    rig.put(adding(b"b"))
    while not (displaced := list(rig.path.parent.glob(".*.agent"))):
        rig.step()
    with displaced[0].open("r+b") as file:
        file.truncate(17 * 2**20)
    rig.settle()
    assert "may already be in the file" in rig.outcomes[0]
    assert not rig.is_settled()
    displaced[0].write_bytes(b"a\nhuman\n")
    rig.queue.try_again()
    rig.settle()
    assert rig.is_settled()
    assert sorted(rig.path.read_bytes().split()) == [b"a", b"b", b"human"]


def test_displaced_versions_that_nobody_can_read_hold_so_many_files_open_and_no_more(rig: Rig) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(40):
        rig.put(adding(b"%d" % number))
        while not (displaced := [each for each in rig.path.parent.glob(".*.agent") if each.stat().st_size < 2**20]):
            rig.step()
        with displaced[0].open("r+b") as file:
            file.truncate(17 * 2**20)
        rig.settle()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 17
    assert len(list(rig.path.parent.glob(".*.agent"))) == 40, "what is let go of stays on the disk"


def test_a_queue_that_is_closed_does_nothing_any_more(rig: Rig) -> None:
    rig.put(adding(b"b"))
    rig.put_for(GREEDY, None, "window's")
    rig.queue.close()
    rig.settle()
    assert rig.outcomes == []
    assert rig.path.read_bytes() == b"a\n"
    assert rig.is_settled()


@pytest.mark.req("X-206")
@pytest.mark.parametrize("data", ["a\n".encode("utf-16"), b"caf\xe9\n", b"a\0\n", b"\0\0"])
def test_a_file_that_is_not_in_utf_8_is_not_edited_and_the_reason_is_said(rig: Rig, data: bytes) -> None:
    rig.path.write_bytes(data)
    rig.put(adding(b"b"))
    rig.put_for(GREEDY, adding(b"c"), "theirs")
    rig.settle()

    assert ["the word list " in outcome and "save it in UTF-8" in outcome for outcome in rig.outcomes] == [True, True]
    assert rig.path.read_bytes() == data


def test_what_others_wrote_waits_until_the_file_is_in_utf_8_again(rig: Rig) -> None:
    rig.path.write_bytes("a\n".encode("utf-16"))
    rig.queue.make_again(changes(b"a\n", b"a\nb\n"))
    rig.settle()
    assert rig.path.read_bytes() == "a\n".encode("utf-16")

    rig.path.write_bytes(b"a\n")
    rig.queue.try_again()
    rig.settle()

    assert rig.path.read_bytes() == b"a\nb\n"


SAVED = "a\nb\u00e9\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
@pytest.mark.parametrize("is_late", [True, False])
def test_what_others_save_in_another_encoding_meanwhile_comes_in_utf_8(
    rig: Rig, encoding: str, *, is_late: bool
) -> None:
    """PowerShell/PowerShell#9194 again: a program that has the file open writes to it, and not in its encoding."""
    descriptor = os.open(rig.path, os.O_WRONLY)
    rig.put(adding(b"ours"))
    while rig.due and (is_late or b"ours" not in rig.path.read_bytes()):
        rig.step()
    os.truncate(descriptor, 0)
    os.write(descriptor, SAVED.encode(encoding))
    os.close(descriptor)
    if not is_late:
        rig.path.write_bytes(b"a\nours\ntheirs\n")
    rig.settle()
    rig.queue.try_again()
    rig.settle()

    lines = rig.path.read_text(encoding="utf-8").split("\n")
    assert sorted(lines) == sorted(["a", "b\u00e9", "ours", *([] if is_late else ["theirs"]), ""])


def test_into_a_file_that_others_saved_in_another_encoding_meanwhile_nothing_is_put(rig: Rig) -> None:
    descriptor = os.open(rig.path, os.O_WRONLY | os.O_APPEND)
    rig.put(adding(b"ours"))
    while b"ours" not in rig.path.read_bytes():
        rig.step()
    os.write(descriptor, b"late\n")
    os.close(descriptor)
    rig.path.write_bytes(SAVED.encode("utf-16"))
    rig.settle()
    for _ in range(3):
        rig.queue.try_again()
        rig.settle()
    assert rig.path.read_bytes() == SAVED.encode("utf-16")
    assert rig.outcomes[0].startswith("own: ")
    assert "is in UTF-16" in rig.outcomes[0]
    rig.path.write_text(SAVED, encoding="utf-8")
    rig.queue.try_again()
    rig.settle()

    assert rig.path.read_text(encoding="utf-8") == f"a\nlate\n{SAVED[2:]}"
    assert rig.is_settled()


def without_number(line: bytes) -> bytes:
    return line.partition(b" #")[0]


def number(data: bytes) -> bytes:
    """Each word with a number, as a reminder gets its id."""
    words = data.split(b"\n")[:-1]
    return b"".join(word + (b"" if b"#" in word else b" #%d" % place) + b"\n" for place, word in enumerate(words))


class Late(RealDisk):
    """A person appends a word just before the agent's version comes, and another behind the version after that."""

    def __init__(self, before: bytes, behind: bytes = b"") -> None:
        super().__init__()
        self.words = [word for word in (before, behind) if word]
        self._before = before

    def exchange(self, path: Path, other: Path, /) -> bool:
        is_first = self._before in self.words
        if is_first:
            self._append(other)
        is_exchanged = super().exchange(path, other)
        if not is_first and self.words:
            self._append(other)
        return is_exchanged

    def _append(self, path: Path) -> None:
        with path.open("ab") as file:
            file.write(self.words.pop(0) + b"\n")


@pytest.mark.parametrize("is_linked", [True, False])
def test_a_word_displaced_before_a_kill_is_brought_back_though_the_file_was_moved_and_linked(
    tmp_path: Path, *, is_linked: bool
) -> None:
    path, disk, vault = tmp_path / "words.md", Late(b"human"), tmp_path / "vault"
    path.write_bytes(b"a\n")
    rig = Rig(path, disk)
    rig.put(adding(b"b"))
    while disk.words:
        rig.step()
    rig.queue.close()
    vault.mkdir()
    if is_linked:
        path.replace(vault / "words.md")
        path.symlink_to(vault / "words.md")

    rig = Rig(path)
    rig.queue.bring_back()
    rig.settle()
    rig.queue.close()
    assert sorted(path.read_bytes().split()) == [b"a", b"b", b"human"]
    assert list(tmp_path.glob(".*")) == list((tmp_path / "spare").glob("*.base")) == []


class Full(Late):
    """The disk has no room for a while."""

    is_full = False
    refusals = 0

    def write(self, fd: int, data: bytes, /) -> int:
        if self.is_full:
            self.refusals += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(fd, data)


def test_a_word_without_room_outlasts_a_kill_though_its_version_could_not_be_read_for_a_minute(tmp_path: Path) -> None:
    path, disk = tmp_path / "words.md", Full(b"human")
    path.write_bytes(b"a\n")
    rig = Rig(path, disk)
    rig.put(adding(b"b"))
    while disk.words:
        rig.step()
    (displaced,) = tmp_path.glob(".*.agent")
    disk.is_full = True
    while not disk.refusals:
        rig.step()
    with displaced.open("r+b") as file:
        file.truncate(17 * 2**20)
        rig.settle()
        file.truncate(len(b"a\nhuman\n"))
    rig.queue.try_again()
    rig.settle()
    rig.queue.close()

    rig = Rig(path)
    rig.queue.bring_back()
    rig.settle()
    rig.queue.close()
    assert b"human" in path.read_bytes().split()


class Answerless(Late):
    """The file system exchanges the names, and reports an error."""

    def exchange(self, path: Path, other: Path, /) -> bool:
        super().exchange(path, other)
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_word_in_a_version_that_an_exchange_displaced_is_brought_back_though_the_exchange_failed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "words.md"
    path.write_bytes(b"a\n")
    rig = Rig(path, Answerless(b"human"))
    rig.put(adding(b"b"))
    rig.settle()
    assert rig.outcomes == ["own: the file: Input/output error"]
    rig.queue.close()

    rig = Rig(path)
    rig.queue.bring_back()
    rig.settle()
    rig.queue.close()
    assert b"human" in path.read_bytes().split()
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize("steps", range(8))
@pytest.mark.parametrize("first", [b"a\n", b"human #0\na\n"])
def test_a_word_that_got_its_number_is_not_brought_back_without_the_number_whenever_the_process_ends(
    tmp_path: Path, first: bytes, steps: int
) -> None:
    path, config, disk = tmp_path / "words.md", replace(CONFIG, key=without_number), Late(b"human")
    path.write_bytes(first)
    rig = Rig(path, disk, config)
    rig.put(number)
    for _ in range(steps):
        if rig.due:
            rig.step()
    rig.queue.close()

    rig = Rig(path, None, config)
    rig.queue.bring_back()
    rig.put(number)
    rig.settle()
    rig.queue.close()
    words = sorted(map(without_number, path.read_bytes().split(b"\n")[:-1]))
    assert words == sorted([*map(without_number, first.split(b"\n")[:-1]), *([] if disk.words else [b"human"])])
    assert [each.name for each in tmp_path.iterdir() if each.name.endswith(".agent")] == []


def test_an_edit_made_again_loses_no_word_at_a_kill_while_the_first_is_settled(tmp_path: Path) -> None:
    path, disk = tmp_path / "words.md", Late(b"human")
    path.write_bytes(b"a\n")
    disk.words.clear()
    rig = Rig(path, disk)
    rig.put(adding(b"b"))
    rig.settle()
    path.write_bytes(b"a\n")
    disk.words.append(b"human")
    rig.put(adding(b"b"))
    while disk.words:
        rig.step()
    rig.queue.try_again()
    rig.queue.close()

    rig = Rig(path)
    rig.queue.bring_back()
    rig.settle()
    rig.queue.close()
    assert sorted(path.read_bytes().split()) == [b"a", b"b", b"human"]


@pytest.mark.parametrize(("word", "numbered"), [(b"human", b"human #1"), (b"human #9", b"human #9")])
def test_a_word_that_got_its_number_is_not_added_again_when_the_next_one_comes(
    tmp_path: Path, word: bytes, numbered: bytes
) -> None:
    path = tmp_path / "words.md"
    path.write_bytes(b"a\n")
    rig = Rig(path, Late(word, b"second"), replace(CONFIG, key=without_number))
    rig.put(number)
    rig.settle()
    rig.queue.close()
    assert path.read_bytes() == b"a #0\n" + numbered + b"\nsecond #2\n"


def test_a_word_that_somebody_wrote_late_with_a_number_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "words.md"
    path.write_bytes(b"a\n")
    rig, slow = Rig(path, None, replace(CONFIG, key=without_number)), os.open(path, os.O_WRONLY)
    rig.put(number)
    rig.settle()
    os.write(slow, b"a\nhuman #9\n")
    os.close(slow)
    rig.queue.try_again()
    rig.settle()
    rig.queue.close()
    assert path.read_bytes() == b"a #0\nhuman #9\n"


def test_a_word_with_a_number_that_an_older_version_takes_out_comes_again(tmp_path: Path) -> None:
    path = tmp_path / "words.md"
    path.write_bytes(b"a\n")
    rig = Rig(path, Late(b"human #9"), replace(CONFIG, key=without_number))
    rig.put(number)
    while b"human" not in path.read_bytes():
        rig.step()
    path.write_bytes(b"a\n")
    rig.settle()
    rig.queue.close()
    assert path.read_bytes() == b"a #0\nhuman #9\n"
