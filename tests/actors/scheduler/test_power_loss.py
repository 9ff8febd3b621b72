"""The power goes out at every call that stores something: what was confirmed is there afterwards, and all is said once."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from actors.edited_file.displaced import digest_of, leftover_path
from lab.chaos.reminders.world import Channel, PostedMessage, Process
from messages.base import Message
from messages.scheduler import DeleteReminder, ModifyReminder, ReminderCreated, ReminderDeleted, ReminderModified
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.lines import line
from tests.actors.scheduler.story import CHANGED, THREAD, Story
from tests.recording_disk import RecordingDisk


@dataclass(frozen=True, slots=True)
class PowerLoss:
    """Files after a power loss at one moment of the story."""

    files: tuple[tuple[str, bytes], ...]
    """Path below the folder and content."""
    at: datetime
    postings: tuple[PostedMessage, ...]
    human_lines: tuple[bytes, ...]
    answers: tuple[tuple[str, tuple[Message, ...]], ...]


class Watch:
    """Takes down at each call of the disk what a power loss would leave then."""

    def __init__(self, story: Story, disk: RecordingDisk) -> None:
        self.losses: dict[PowerLoss, None] = {}
        self.process: Process | None = None
        self._story = story
        self._disk = disk
        self._names: set[Path] = set()
        self._has_saved = False

    def __call__(self, call: str, _data: bytes) -> None:
        folder, story = self._story.folder, self._story
        if call == "exchange" and not self._has_saved:
            self._has_saved = True
            story.write(b"in the last moment")  # it is displaced
        self._names |= {path for path in folder.rglob("*") if path.is_file()}
        files = ((str(path.relative_to(folder)), self._disk.surviving(path)) for path in sorted(self._names))
        loss = PowerLoss(
            files=tuple((name, data) for name, data in files if data is not None),
            at=START if self.process is None else self.process.clock.now(),
            postings=tuple(story.channel.postings),
            human_lines=tuple(story.human_lines),
            answers=tuple((name, tuple(answers)) for name, answers in story.answers.items()),
        )
        self.losses[loss] = None


@pytest.mark.req("X-37")
@pytest.mark.parametrize("after_a_crash", [True, False])
def test_wherever_the_power_goes_out_what_was_confirmed_is_there_and_each_is_said_once(
    tmp_path: Path, start_in: Callable[..., Any], disk: RecordingDisk, after_a_crash: bool
) -> None:
    (tmp_path / "first").mkdir()
    story = Story(tmp_path / "first", Channel(), disk)
    story.prepare(after_a_crash=after_a_crash)
    watch = Watch(story, disk)
    disk.before = watch
    watch.process = start_in(story.folder, story.channel)
    story.tell(watch.process)
    watch("end", b"")
    disk.before = lambda _call, _data: None
    story.check_nothing_lost()
    assert isinstance(story.answers["create"][0], ReminderCreated)
    assert len(watch.losses) > 25

    for number, loss in enumerate(watch.losses):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, data in loss.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        after = Story(folder, Channel(postings=list(loss.postings), readers=dict(story.channel.readers)))
        after.human_lines = list(loss.human_lines)
        after.answers = {name: list(answers) for name, answers in loss.answers}
        process = start_in(folder, after.channel, loss.at + timedelta(seconds=30))
        process.pass_minutes(max(0, int((START + timedelta(minutes=5) - loss.at).total_seconds() // 60)))
        after.check_end(process)
        process.kill()


def test_a_line_that_a_person_wrote_is_safe_before_the_agent_says_that_it_stands_there(
    start: StartProcess, file: Path, disk: RecordingDisk
) -> None:
    fd = disk.open(file, os.O_WRONLY | os.O_CREAT)
    disk.write(fd, f"{CHANGED}\n".encode())
    os.close(fd)
    assert disk.surviving(file) is None
    story = Story(file.parent, Channel())

    answer = story.ask(start(), "modify", ModifyReminder, id="rid_CHANGED", time="09:00")

    assert isinstance(answer, ReminderModified)
    assert disk.surviving(file) == f"{CHANGED}\n".encode()


def test_the_only_reminder_of_a_file_does_not_come_back_when_the_power_goes_out_after_the_confirmed_deletion(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk
) -> None:
    deleted = line("tea", "2026-03-28 12:03") + f" in={THREAD.address.key}"
    file.write_text(f"{deleted}\n")
    process = start()
    answer = Story(file.parent, channel).ask(process, "delete", DeleteReminder, id="rid_AAAAAAAAAAAA")
    assert isinstance(answer, ReminderDeleted)
    process.kill()
    disk.lose_power()
    start(process.clock.now()).pass_minutes(5)
    assert file.read_text() == ""
    assert [text.split(":")[0] for text in channel.texts()] == ["Reminder deleted"]
    assert not [path for path in file.parent.iterdir() if ".agent" in path.name]


@pytest.mark.parametrize("is_accounted", [True, False])
def test_what_a_person_adds_while_the_only_reminder_is_deleted_comes_back_alone(
    start: StartProcess, file: Path, channel: Channel, *, is_accounted: bool
) -> None:
    tea = f"{line('tea', '2026-03-28 12:03')}\n".encode()
    file.write_bytes(b"")
    leftover_path(file, digest_of(b"")).write_bytes(tea + b"# Words\n")
    (file.parent / "spare").mkdir()
    name = "reminders.before.md" if is_accounted else f"{digest_of(b'')}.base"
    (file.parent / "spare" / name).write_bytes(tea)
    start().pass_minutes(5)
    assert (file.read_bytes(), channel.postings) == (b"# Words\n", [])
    assert not [path for path in file.parent.iterdir() if ".agent" in path.name]
