"""Messages with files, with hostile commands and failing disks: no wait is endless, and no message is lost."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.discord.incoming import unpacking
from actors.discord.incoming.reading import shelf
from domain.log.window_folders import attachments_folder
from lab.playground.world import defaults
from messages.base import Window
from messages.context import FileKind, UserMessage
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.actors.discord.swapper import swapping

FILE = ("a.txt", b"12345")
FOLDERS = 1_050
"""More than a window may have messages with files, so that room is made for each."""


@pytest.fixture
def life(start_life: StartLife, tmp_path: Path) -> Life:
    return start_life(data_root=tmp_path, workdir_of=lambda window: workdir(tmp_path, window))


def workdir(root: Path, window: Window = GENERAL) -> Path:
    return root / "work" / window.surface.value / window.id


def traps(folder: Path) -> list[str]:
    """Folders as if of old messages, and beside each a pipe to be swapped with; gives their names."""
    folder.mkdir(parents=True)
    names = [str(number) for number in range(1, FOLDERS + 1)]
    for name in names:
        (folder / name).mkdir()
        os.mkfifo(folder / f"{name}.trap")
    return names


def is_kept(root: Path, message: UserMessage) -> bool:
    return (root / attachments_folder(message.window) / message.message_id / "a.txt").read_bytes() == b"12345"


def test_a_command_that_swaps_folders_for_pipes_holds_up_nobody(life: Life, tmp_path: Path) -> None:
    attachments = workdir(tmp_path) / "attachments"
    thread = life.playground.create_thread(defaults.GENERAL_ID, "bystander")
    with swapping(attachments, *traps(attachments)):
        for number in range(10):
            life.say(str(number), attachments=[FILE])
            life.say(str(number), thread, attachments=[FILE])
        messages = life.messages.wait(20)
    assert all(is_kept(tmp_path, message) for message in messages)
    assert {message.attachments[0].note for message in messages} == {""}


def test_not_even_in_the_agents_own_folder_would_it(life: Life, tmp_path: Path) -> None:
    """Commands only read there; whatever else may come to write in it."""
    shelf = tmp_path / attachments_folder(GENERAL)
    with swapping(shelf, *traps(shelf)):
        for number in range(10):
            life.say(str(number), attachments=[FILE])
        messages = life.messages.wait(10)
    assert [message.text.partition("\n")[0] for message in messages] == [str(number) for number in range(10)]
    assert all("12345" in message.text for message in messages)


def test_a_folder_of_another_message_may_be_anything(life: Life, tmp_path: Path) -> None:
    names = traps(tmp_path / attachments_folder(GENERAL))
    assert len(names) == FOLDERS
    life.say("", attachments=[FILE])
    (message,) = life.messages.wait(1)
    assert is_kept(tmp_path, message)
    left = [path for path in (tmp_path / attachments_folder(GENERAL)).iterdir() if path.is_dir()]
    assert len(left) == 1_000


@pytest.mark.usefixtures("disk_of_a_thousand_bytes")
def test_a_disk_that_takes_no_more_costs_the_file_and_not_the_message(life: Life, tmp_path: Path) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(1_000)
    life.say("look", attachments=[("big.txt", b"x" * 2_000), ("b.png", png), FILE])
    (message,) = life.messages.wait(1)
    assert message.text.startswith(
        "look\n\n[attached file: big.txt, 2,000 bytes, it cannot be kept: File too large]\n```text\nxxx"
    )
    assert [(file.kind, file.note) for file in message.attachments[:2]] == [
        (FileKind.TEXT, "it cannot be kept: File too large"),
        (FileKind.FILE, "it cannot be kept: File too large"),
    ]
    assert is_kept(tmp_path, message)


def test_what_nobody_thought_of_costs_the_file_and_not_the_message(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    def overflow(*_: object) -> dict[str, str]:
        raise RecursionError

    monkeypatch.setattr(shelf, "keep", overflow)
    life.say("hello", attachments=[("a.pdf", b"%PDF")])
    life.messages.wait(1)
    monkeypatch.setattr(unpacking, "safe_names", overflow)
    life.say("again", attachments=[("a.pdf", b"%PDF")])
    kept, read = life.messages.wait(2)
    assert (kept.text, kept.attachments[0].note) == (
        "hello",
        "it cannot be kept: keeping it went wrong with RecursionError",
    )
    assert (read.text, read.attachments[0].note) == ("again", "not read: reading it went wrong with RecursionError")


class HangingFolder(type(Path())):  # type: ignore[misc]  # what a path is differs between systems
    """A data root on a disk that does not answer the first that asks."""

    def __fspath__(self) -> str:
        with LOCK:
            hangs = not ASKED.is_set()
            ASKED.set()
        if hangs:
            OVER.wait()
        return str(self)


LOCK, ASKED, OVER = threading.Lock(), threading.Event(), threading.Event()


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Path]:
    ASKED.clear()
    OVER.clear()
    yield HangingFolder(tmp_path)
    OVER.set()


def test_a_disk_that_hangs_holds_up_the_files_of_one_window(
    start_life: StartLife, hanging: Path, tmp_path: Path
) -> None:
    life = start_life(data_root=hanging, timing=timing(disk_timeout_s=1.0))
    thread = life.playground.create_thread(defaults.GENERAL_ID, "bystander")
    life.say("hangs", attachments=[FILE])
    life.say("after it")
    life.say("second", attachments=[FILE])
    hung, after, second = life.messages.wait(3)
    assert (hung.attachments[0].note, after.text) == ("it cannot be kept: it took longer than 1 s", "after it")
    assert second.attachments[0].note == "it cannot be kept: an earlier call still hangs"
    assert "12345" in hung.text
    assert "12345" in second.text
    life.say("elsewhere", thread, attachments=[FILE])
    elsewhere = life.messages.wait(4)[3]
    assert elsewhere.window == thread_window(thread)
    assert is_kept(tmp_path, elsewhere)
