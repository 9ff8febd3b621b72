"""The power goes out in the moment in which something was promised: it is on the disk all the same.

An ext4 in a file stands for the disk. What the file holds is what reached the device; it is copied without a sync and
mounted again, as a machine does that starts after a power cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from domain.log.event import Event, Kind
from domain.log.parser import parse
from lab.chaos.reminders.world import Channel
from lab.chaos.reminders.world import Process as Reminders
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import Message, RequestId
from messages.context import NewWindowStarted
from messages.model import StopReason
from messages.scheduler import CreateReminder, ReminderCreated
from messages.turn import EventsLogged
from tests.actors.context import durability
from tests.actors.context.retractions import SECRET, delete, exchange, new_window
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type
from tests.actors.scheduler.conftest import START
from tests.e2e.stage import Process, bot_texts
from tests.matrix.loop_disk import LoopDisk, loop_disk, mounted
from tests.patience import PATIENCE_S, eventually

pytestmark = pytest.mark.root


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[LoopDisk]:
    with loop_disk(tmp_path) as disk:
        yield disk


@pytest.fixture
def rig(disk: LoopDisk) -> Iterator[Rig]:
    """Windows that really sync, which those of other tests need not."""
    durability.disk_of(disk.folder, is_quick=False)
    made = Rig(disk.folder)
    yield made
    made.stop()


@contextmanager
def after_power_cut(disk: LoopDisk) -> Iterator[Path]:
    """What is left of the disk if the power goes out now."""
    image = disk.image.with_name("left.img")
    disk.cut_power(image)
    with mounted(image, disk.folder.with_name("left")) as left:
        yield left


def logs(root: Path) -> list[list[Event]]:
    """The whole events of each log of the channel, oldest log first; each has its header."""
    files = sorted((root / "logs" / CHANNEL.surface.value / CHANNEL.id).glob("*.md"))
    parsed = [parse(file.read_bytes()) for file in files]
    assert [log.header.window for log in parsed if log.header is not None] == [CHANNEL] * len(files)
    return [[logged.event for logged in log.events] for log in parsed]


def said_in(root: Path) -> list[tuple[Kind, str]]:
    """Kind and content of every event of the newest log."""
    return [(event.kind, event.content) for event in logs(root)[-1]]


def test_the_copy_lacks_what_nobody_synced(disk: LoopDisk) -> None:
    """Or nothing here would prove anything."""
    (disk.folder / "unsynced").write_text("words")
    with after_power_cut(disk) as left:
        assert not (left / "unsynced").exists()


def test_a_first_question_is_in_its_new_log_before_the_model_is_asked(disk: LoopDisk, rig: Rig) -> None:
    rig.say("hello", 1)
    assert rig.requests()
    with after_power_cut(disk) as left:
        assert said_in(left) == [(Kind.USER, "hello")]


def test_a_question_is_in_the_log_before_the_model_is_asked(disk: LoopDisk, rig: Rig) -> None:
    exchange(rig, "hello", 1)
    rig.say("and again", 2)
    assert rig.requests()
    with after_power_cut(disk) as left:
        assert (Kind.USER, "and again") in said_in(left)


def test_a_call_is_in_the_log_before_its_command_is_run(disk: LoopDisk, rig: Rig) -> None:
    rig.say("do it", 1)
    rig.answer("", bash_call("pay the bill"), stop=StopReason.TOOL_CALLS)
    assert rig.commands()
    with after_power_cut(disk) as left:
        assert "pay the bill" in dict(said_in(left))[Kind.TOOL_CALL]


def test_an_answer_is_in_the_log_before_it_is_posted(disk: LoopDisk, rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    assert rig.posts()
    with after_power_cut(disk) as left:
        assert (Kind.AGENT, "hi") in said_in(left)


def test_a_new_windows_log_is_there_before_it_is_announced(disk: LoopDisk, rig: Rig) -> None:
    exchange(rig, "hello", 1)
    rig.listener.drain()
    rig.tell(CHANNEL, new_window(rig))
    assert of_type(NewWindowStarted, rig.listener.drain())
    with after_power_cut(disk) as left:
        assert len(logs(left)) == 2
        assert [kind for kind, _ in said_in(left) if kind is Kind.USER] == []


def test_that_words_were_deleted_is_in_the_log_before_anybody_hears_of_it(disk: LoopDisk, rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    rig.listener.drain()
    delete(rig, 1)
    assert of_type(EventsLogged, rig.listener.drain())
    with after_power_cut(disk) as left:
        assert Kind.TOMBSTONE in [kind for kind, _ in said_in(left)]


@contextmanager
def reminders(disk: LoopDisk) -> Iterator[Reminders]:
    process = Reminders(disk.folder, Channel(), START)
    try:
        process.settle()
        yield process
    finally:
        process.system.stop()


def promised(process: Reminders, words: str) -> ReminderCreated:
    """The answer to a wish for a reminder, in the moment in which it comes."""
    wish = CreateReminder(
        request_id=RequestId(words),
        reply_to=process.asker.address,
        window=CHANNEL,
        msg=words,
        date="2026-04-01",
        time="09:00",
    )
    process.tell(wish)
    heard: list[Message] = []
    for _ in range(1_000):
        heard += process.asker.drain()
        if created := of_type(ReminderCreated, heard):
            return created[0]
        process.steps(1)
    raise AssertionError(heard)


def test_the_first_reminder_is_in_its_new_file_before_it_is_confirmed(disk: LoopDisk) -> None:
    with reminders(disk) as process:
        created = promised(process, "buy bread")
        with after_power_cut(disk) as left:
            assert created.line in (left / "reminders.md").read_text()


def test_a_further_reminder_is_in_the_file_before_it_is_confirmed(disk: LoopDisk) -> None:
    (disk.folder / "reminders.md").write_text("# Mine\n")
    with reminders(disk) as process:
        promised(process, "buy bread")
        created = promised(process, "buy milk")
        with after_power_cut(disk) as left:
            text = (left / "reminders.md").read_text()
            assert created.line in text
            assert text.startswith("# Mine\n")


def test_an_agent_that_lives_on_what_is_left_answers_once_what_was_said_before_and_meanwhile(
    server: PlaygroundServer, disk: LoopDisk, tmp_path: Path
) -> None:
    """How far the windows were read has survived as well."""
    process = Process(server, disk.folder / "data")
    thread = server.create_thread(GENERAL_ID, "thread")
    process.start()
    for window in (GENERAL_ID, thread):
        server.wait_for_reply(window, after=server.say(window, "before"), timeout_s=PATIENCE_S)
    image = disk.image.with_name("left.img")
    disk.cut_power(image)
    process.kill()
    for window in (GENERAL_ID, thread):
        server.say(window, "meanwhile")
    (tmp_path / "next").mkdir()
    with mounted(image, tmp_path / "next" / "left") as left:
        again = Process(server, left / "data")
        again.start()
        try:
            for window in (GENERAL_ID, thread):
                for words in ("before", "meanwhile"):

                    def is_answered(window: int = window, words: str = words) -> bool:
                        return any(f"I have read “{words}”" in text for text in bot_texts(server, window))

                    eventually(is_answered)
                    shown = [text for text in bot_texts(server, window) if f"I have read “{words}”" in text]
                    assert len(shown) == 1, shown
        finally:
            again.kill()
