"""A story of some minutes in which everything happens to the reminders' file that the agent and people do with it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actors.edited_file.displaced import leftover_path
from actors.linux.disk import Disk, RealDisk
from lab.chaos.reminders.world import CHANNEL, Channel, Process
from messages.base import Message, RequestId, Surface, Window
from messages.scheduler import CreateReminder, DeleteReminder, ListReminders, ModifyReminder, ReminderCreated
from messages.socket import Refused
from tests.actors.scheduler.lines import line
from tests.actors.scheduler.readers import OPEN

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
ONCE = line("once", "2026-03-28 12:02")
DAILY = line("daily", "2026-03-01 12:02", "daily", "rid_DAILY")
CHANGED = line("changed", "2027-01-01 09:00", "none", "rid_CHANGED") + f" in={THREAD.address.key}"
DELETED = line("deleted", "2027-01-01 09:00", "none", "rid_DELETED") + f" in={THREAD.address.key}"
WITHOUT_ID = line("without", "2026-03-28 12:03", reminder_id="")
DIGEST = "0123456789abcdef0123456789abcdef"


@dataclass(slots=True)
class Story:
    """What is asked for, answered and written by people; told in steps, which may be cut off anywhere."""

    folder: Path
    channel: Channel
    disk: Disk = field(default_factory=RealDisk)
    """Of people."""
    answers: dict[str, list[Message]] = field(default_factory=dict)
    """Request -> what was answered."""
    human_lines: list[bytes] = field(default_factory=list)
    """What people have written."""

    @property
    def file(self) -> Path:
        """The reminders' file."""
        return self.folder / "reminders.md"

    def prepare(self, *, after_a_crash: bool = True) -> None:
        """The file as people left it, and beside it what a crash did."""
        self.channel.readers |= {CHANNEL: OPEN, THREAD: OPEN}
        self.human_lines = [b"# Mine", b"prose"]
        before = "\n".join(("# Mine", ONCE, DAILY, CHANGED, DELETED, WITHOUT_ID, "prose", "")).encode()
        self.file.write_bytes(before)
        if not after_a_crash:
            return
        self.human_lines.append(b"brought back")
        leftover_path(self.file, DIGEST).write_bytes(b"brought back\n" + before)
        (self.folder / "spare").mkdir()
        (self.folder / "spare" / f"{DIGEST}.base").write_bytes(before)

    def tell(self, process: Process) -> None:
        """Let it happen, half a second before 12:01 to 12:05."""
        process.settle()
        self.begin(process, "create", CreateReminder, msg="created", date="2027-02-02", time="10:00")
        process.steps(3)
        self.write(b"written")  # in the middle of the edit
        self.hear(process, "create")
        self.ask(process, "modify", ModifyReminder, id="rid_CHANGED", time="11:00")
        process.pass_minutes(1)
        self.ask(process, "delete", DeleteReminder, id="rid_DELETED")
        self.ask(process, "list", ListReminders)
        process.pass_minutes(1)
        self.write(b"written later")
        process.pass_minutes(3)

    def ask(self, process: Process, name: str, kind: type[Message], **fields: Any) -> Message | None:
        """What is answered to a request, if anything."""
        self.begin(process, name, kind, **fields)
        return self.hear(process, name)

    def begin(self, process: Process, name: str, kind: type[Message], **fields: Any) -> None:
        """Ask."""
        request_id = RequestId(f"{name}-{len(self.answers)}")
        process.tell(kind(request_id=request_id, reply_to=process.asker.address, window=THREAD, **fields))

    def hear(self, process: Process, name: str) -> Message | None:
        """What is answered, if anything."""
        process.settle()
        answers = process.asker.drain()
        self.answers.setdefault(name, []).extend(answers)
        return answers[0] if answers else None

    def write(self, words: bytes) -> None:
        """Have a person save the file."""
        fresh = self.folder / "editor.tmp"
        fd = self.disk.open(fresh, os.O_WRONLY | os.O_CREAT)
        self.disk.write(fd, words + b"\n" + self.file.read_bytes())
        self.disk.sync(fd)
        os.close(fd)
        self.disk.replace(fresh, self.file)
        self.disk.sync_folder(self.folder)
        self.human_lines.append(words)

    def check_end(self, process: Process) -> None:
        """Hold against it what must be so in the end, when all is well again."""
        process.pass_minutes(3)
        self.check_nothing_lost()
        self.check_confirmed(process)
        later = self.ask(process, "later", CreateReminder, msg="later", in_minutes=5)
        assert isinstance(later, ReminderCreated), later
        said = [text for text in self.channel.texts() if text.startswith("⏰")]
        for words in ("once", "daily", "without"):
            assert sum(words in text.split("\n")[0].split() for text in said) == 1, (words, said)
        lines = self.lines()
        assert ONCE not in lines
        assert not any('msg="without"' in each for each in lines)
        process.pass_minutes(6)
        assert sum("later" in text for text in self.channel.texts() if text.startswith("⏰")) == 1

    def check_nothing_lost(self) -> None:
        """No line of a person's is lost or altered, and each answer says what is so."""
        lines = self.lines()
        for words in self.human_lines:
            assert lines.count(words.decode()) == 1, (words, lines)
        assert lines.count(DAILY) == 1
        self._check_answer("create", any('msg="created"' in each for each in lines))
        self._check_answer("modify", any("time=11:00" in each for each in lines))
        self._check_answer("delete", DELETED not in lines)

    def check_confirmed(self, process: Process) -> None:
        """Each change that was asked for and took place is confirmed once, whatever died meanwhile."""
        changes = (
            ("Reminder set:", 'msg="created"', any('msg="created"' in each for each in self.lines())),
            ("Reminder changed:", "rid_CHANGED", any("time=11:00" in each for each in self.lines())),
            ("Reminder deleted:", "rid_DELETED", DELETED not in self.lines()),
        )
        texts = self.channel.texts(THREAD)
        for what, words, has_happened in changes:
            confirmed = sum(text.startswith(what) and words in text for text in texts)
            assert confirmed == has_happened, (what, confirmed, has_happened, texts)
        assert not list((process.file.parent / "spare" / "confirmations").glob("*")), "a note stays"

    def lines(self) -> list[str]:
        """Those of the file."""
        return self.file.read_text().split("\n")

    def _check_answer(self, name: str, is_done: bool) -> None:
        (answer,) = self.answers.get(name, [None])
        if isinstance(answer, Refused):
            assert not is_done or "may stand in it" in answer.reason, (name, answer.reason)
        elif answer is not None:
            assert is_done, (name, answer)
