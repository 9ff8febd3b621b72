"""Files that people attach, on their way in."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import RequestId
from messages.context import Attachment, FileKind, UserMessage
from messages.discord import SwitchMemory
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, timing
from tests.patience import eventually

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
CDN = "GET /attachments/"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def start(start_life: StartLife, data: Path) -> StartLife:
    """Starts lives that keep files."""
    return lambda **options: start_life(**({"data_root": data} | options))


@pytest.fixture
def life(start: StartLife) -> Life:
    return start()


def folder(data: Path, message_id: int | str) -> Path:
    return data / "attachments" / GENERAL.surface.value / GENERAL.id / str(message_id)


def told_of(life: Life, *files: tuple[str, bytes], text: str = "") -> UserMessage:
    """Files of the next message, as its window hears of them."""
    before = len(life.messages.now())
    life.say(text, attachments=files)
    message = life.messages.wait(before + 1)[-1]
    assert isinstance(message, UserMessage)
    return message


def only(message: UserMessage) -> Attachment:
    (file,) = message.attachments
    return file


def dispatch_like(playground: PlaygroundServer, like: int, message_id: int = 0, **changes: Any) -> None:
    """A MESSAGE_CREATE with the file of an earlier message, some of what it says of it changed; the id is the next."""
    message = next(m for m in playground.messages(defaults.GENERAL_ID) if m["id"] == str(like))
    file = message["attachments"][0] | changes
    member = {"roles": [], "flags": 0, "joined_at": message["timestamp"]}
    place = {"guild_id": str(defaults.GUILD_ID), "member": member}
    playground.dispatch("MESSAGE_CREATE", message | place | {"id": str(message_id or like + 1), "attachments": [file]})


def test_a_long_paste_is_told_word_for_word_and_kept(life: Life, data: Path) -> None:
    paste = "Grüße,\r\n```python\nx = 1\n```\n" * 50
    message = told_of(life, ("message.txt", paste.encode()), text="what is this?")
    path = f"attachments/{message.message_id}/message.txt"
    head = f"[attached file: message.txt, {len(paste.encode()):,} bytes, saved as {path}]"
    assert message.text == f"what is this?\n\n{head}\n````text\n{paste}````"
    assert message.typed_chars == len("what is this?")
    file = only(message)
    assert (file.kind, file.path, file.shown_chars) == (FileKind.TEXT, path, len(paste))
    kept = folder(data, message.message_id) / "message.txt"
    assert kept.read_bytes() == paste.encode()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_of_texts_beyond_the_budget_the_beginning_is_told_and_all_is_kept(start: StartLife, data: Path) -> None:
    life = start(paste_tokens=100)
    message = told_of(life, ("a.txt", b"a" * 1000), ("b.txt", b"b" * 10))
    assert "; the first 400 of 1,000 characters follow]" in message.text
    assert [file.shown_chars for file in message.attachments] == [400, 0]
    assert message.attachments[1].note == "not shown here: there is no room for it"
    assert (folder(data, message.message_id) / "a.txt").stat().st_size == 1000


def test_an_image_and_another_file_are_kept_and_named(life: Life, data: Path) -> None:
    message = told_of(life, ("photo.png", PNG), ("book.epub", b"PK\x03\x04 \x00"), text="see")
    image, book = message.attachments
    assert message.text == "see"
    assert message.typed_chars is None
    assert (image.kind, image.media_type) == (FileKind.IMAGE, "image/png")
    assert (book.kind, book.note) == (FileKind.FILE, "")
    assert {path.name for path in folder(data, message.message_id).iterdir()} == {"photo.png", "book.epub"}


def test_what_only_poses_as_text_or_image_is_kept_as_a_file(life: Life) -> None:
    message = told_of(life, ("a.txt", b"MZ\x90\x00"), ("b.txt", b"caf\xe9"), ("c.png", b"<html>"))
    assert message.text == ""
    assert [file.kind for file in message.attachments] == [FileKind.FILE] * 3
    assert [file.note for file in message.attachments] == [
        "not shown: it is no text in UTF-8",
        "not shown: it is no text in UTF-8",
        "not shown: it is no image, though it is called one",
    ]
    assert all(file.path for file in message.attachments)


def test_hostile_names_stay_in_the_folder(life: Life, data: Path) -> None:
    names = ["-rf.bin", ".hidden.bin", "a b.bin", "A b.bin", "x" * 250 + ".bin"]
    message = told_of(life, *((name, b"\x00") for name in names))
    kept = sorted(path.name for path in folder(data, message.message_id).iterdir())
    assert kept == sorted(["rf.bin", "hidden.bin", "a_b.bin", "A_b-2.bin", "x" * 96 + ".bin"])
    assert [file.path.rpartition("/")[2] for file in message.attachments][2] == "a_b.bin"


def test_a_name_that_is_a_path_stays_in_the_folder(life: Life, data: Path) -> None:
    first = life.say("", attachments=[("a.pdf", b"%PDF")])
    dispatch_like(life.playground, first, filename="../../../../escape.pdf")
    file = only(life.messages.wait(2)[1])
    assert (file.filename, file.path) == ("../../../../escape.pdf", f"attachments/{first + 1}/escape.pdf")
    assert (folder(data, first + 1) / "escape.pdf").exists()


def test_a_file_that_is_too_large_is_not_asked_for(start: StartLife, data: Path) -> None:
    life = start(attachment_bytes=1000)
    message = told_of(life, ("big.txt", b"x" * 1001), text="here")
    assert message.text == "here"
    assert only(message).note == "not read: it is too large: at most 1,000 bytes are read"
    assert not folder(data, message.message_id).exists()


def test_a_size_that_is_not_true_does_not_help(start: StartLife) -> None:
    life = start(attachment_bytes=1000)
    first = life.say("", attachments=[("big.txt", b"x" * 2000)])
    dispatch_like(life.playground, first, size=5)
    file = only(life.messages.wait(2)[1])
    assert file.note == "not read: it has 2,000 bytes, at most 1,000 are read"


def test_a_smaller_size_than_declared_is_corrected(life: Life) -> None:
    first = life.say("", attachments=[("a.txt", b"12345")])
    dispatch_like(life.playground, first, size=99)
    assert only(life.messages.wait(2)[1]).size_bytes == 5


def test_a_file_that_is_elsewhere_is_not_asked_for(life: Life) -> None:
    failures = []
    elsewhere = ("http://127.0.0.1:1/a.txt", "http://localhost/a.txt", "file:///etc/passwd", "nonsense")
    for count, url in enumerate(elsewhere, 1):
        first = life.say("", attachments=[("a.txt", b"12345")])
        dispatch_like(life.playground, first, url=url)
        file = only(life.messages.wait(2 * count)[-1])
        if file.kind is not FileKind.FILE or not file.note.startswith("not read: it"):
            failures.append((url, file))
    assert not failures


@pytest.mark.parametrize(
    ("fault", "status", "note"),
    [
        ("html", 404, "not read: Discord says status 404"),
        ("html", 401, "not read: Discord says status 401"),
        ("html", 302, "not read: its address leads elsewhere, where it is not followed"),
    ],
)
def test_what_discord_refuses_is_said_and_the_message_comes_all_the_same(
    life: Life, fault: str, status: int, note: str
) -> None:
    life.playground.inject(fault, CDN, status=status)
    message = told_of(life, ("a.txt", b"12345"), text="hello")
    assert (message.text, only(message).note) == ("hello", note)
    assert life.fatal.now() == []


@pytest.mark.parametrize("fault", ["503", "abort-before", "429-user"])
def test_trouble_that_passes_costs_nothing(life: Life, fault: str) -> None:
    life.playground.inject(fault, CDN, times=2)
    assert "12345" in told_of(life, ("a.txt", b"12345")).text


def test_trouble_that_stays_is_said(life: Life) -> None:
    life.playground.inject("503", CDN, times=100)
    message = told_of(life, ("a.txt", b"12345"), text="hello")
    assert only(message).note == "not read: Discord did not give it, however often it was asked"


def test_a_slow_file_is_given_up(start: StartLife) -> None:
    life = start(timing=timing(file_timeout_s=0.3))
    life.playground.inject("delay", CDN, delay_s=30.0)
    message = told_of(life, ("a.txt", b"12345"), text="hello")
    assert only(message).note == "not read: reading it took longer than 0.3 s"


def test_when_files_of_a_message_do_not_come_its_others_are_not_waited_for(start: StartLife) -> None:
    life = start(timing=timing(file_timeout_s=0.3, lost_files_s=0.5))
    life.playground.inject("delay", CDN, delay_s=30.0, times=10)
    message = told_of(life, *((f"{number}.txt", b"12345") for number in range(10)), text="hello")
    notes = [file.note for file in message.attachments]
    assert notes[:2] == ["not read: reading it took longer than 0.3 s"] * 2
    assert len(notes) == 10
    assert all("others of this message did not come" in note for note in notes[2:])


def test_a_message_whose_files_come_slowly_has_them_all(start: StartLife) -> None:
    life = start(timing=timing(lost_files_s=0.1))
    life.playground.inject("delay", CDN, delay_s=0.15, times=3)
    message = told_of(life, *((f"{number}.txt", b"12345") for number in range(3)))
    assert [file.note for file in message.attachments] == [""] * 3


def test_what_is_said_after_a_slow_file_waits_for_it_and_other_windows_do_not(life: Life) -> None:
    thread = life.playground.create_thread(defaults.GENERAL_ID, "quick")
    life.playground.inject("delay", CDN, delay_s=0.5)
    life.say("with a file", attachments=[("a.pdf", b"%PDF")])
    life.say("after it")
    life.say("in the thread", thread)
    assert life.texts(3) == ["in the thread", "with a file", "after it"]


def test_a_message_that_comes_twice_has_its_files_read_once(life: Life) -> None:
    first = life.say("", attachments=[("a.txt", b"12345")])
    life.messages.wait(1)
    life.playground.inject("503", CDN, times=100)
    dispatch_like(life.playground, first, first)
    life.say("the end")
    assert len(life.messages.wait(2)) == 2
    assert life.playground.run(lambda: life.playground.hub.faults.fired) == 0


def test_a_restart_while_a_file_is_read_loses_nothing(start: StartLife, data: Path) -> None:
    life = start()
    life.playground.inject("delay", CDN, delay_s=5.0)
    before = life.say("before")
    life.messages.wait(1)
    message_id = life.say("the file", attachments=[("a.txt", b"12345")])
    eventually(lambda: not len_of_faults(life.playground))
    life.stop()
    assert [message.text for message in life.messages.now()] == ["before"]
    again = start(last_seen={GENERAL.address.key: str(before)})
    (message,) = again.messages.wait(1)
    assert message.message_id == str(message_id)
    assert "12345" in message.text
    assert (folder(data, message_id) / "a.txt").read_bytes() == b"12345"


def len_of_faults(playground: PlaygroundServer) -> int:
    return playground.run(lambda: len(playground.hub.faults))


def test_a_file_of_a_message_after_memory_was_switched_off_is_removed_though_the_switch_was_heard_late(
    life: Life, data: Path
) -> None:
    """A run of the project's own CI: a recording outlived a turn off the record."""
    switch = SwitchMemory(
        request_id=RequestId(str(life.say("before"))), reply_to=life.edge.address, window=GENERAL, is_off=True
    )
    life.messages.wait(1)
    life.playground.inject("delay", CDN, 2, delay_s=0.5)
    message_id = life.say("look", attachments=[("first.txt", b"one"), ("second.txt", b"two")])
    eventually(lambda: (folder(data, message_id) / "first.txt").exists())
    life.tell(switch)

    message = life.messages.wait(2)[-1]

    assert isinstance(message, UserMessage)
    assert message.is_off_record
    assert [(file.path, file.note) for file in message.attachments] == [
        ("", "memory is off here, so files are not kept")
    ] * 2
    assert not folder(data, message_id).exists()


def test_where_nothing_is_kept_texts_are_told_and_images_only_named(start: StartLife) -> None:
    life = start(data_root=None)
    message = told_of(life, ("a.txt", b"12345"), ("b.png", PNG))
    assert message.text == "[attached file: a.txt, 5 bytes, files are not kept here]\n```text\n12345\n```"
    assert (message.attachments[1].kind, message.attachments[1].note) == (FileKind.FILE, "files are not kept here")


def test_a_link_in_the_place_of_the_folder_is_not_followed(life: Life, data: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shelf = folder(data, "1").parent
    shelf.parent.mkdir(parents=True)
    shelf.symlink_to(elsewhere)
    message = told_of(life, ("a.txt", b"12345"))
    assert "it cannot be kept: Not a directory]\n```text\n12345" in message.text
    assert "cannot be kept" in only(message).note
    assert list(elsewhere.iterdir()) == []
