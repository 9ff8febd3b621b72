"""Invariant of every window under test: no message leaves that rests on bytes at risk of a power loss."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import get_args

from actors.context.actor import ContextActor
from actors.context.log.reserve import ReservedDisk
from actors.context.log.scan import newest_name, window_folders
from actors.kernel import ActorSystem, ManualClock
from domain.log.event import Event, Kind
from domain.log.parser import parse
from messages.base import CONTEXT_KIND, Address, Message
from messages.context import KeptMessagesTold, NewWindowStarted
from messages.discord import EndProgress, PostMessage, ShowProgress, ShowReaction, ShowTyping, UserMessageNotLogged
from messages.model import CancelModel
from messages.shell import CancelBash, RunBash
from messages.socket import Refused
from messages.status import RunEvent
from tests.recording_disk import RecordingDisk, Unsynced

PASSING = (ShowTyping, ShowProgress, ShowReaction, EndProgress, *get_args(RunEvent))
"""Says how things are now, and promises nothing."""
SMALL_STEPS = {"joined", "looked-through"}
"""System events that are done over again after a power loss, without anybody seeing a difference."""

_disks: dict[Path, RecordingDisk] = {}
violations: list[str] = []


@lru_cache(64)
def events_in(data: bytes) -> tuple[Event, ...]:
    """Events of a log."""
    return tuple(logged.event for logged in parse(data).events)


class _Quick(ReservedDisk):
    """Waits for nothing: that a sync was asked for is what is looked at."""

    def sync(self, fd: int, /) -> None:
        os.fstat(fd)

    def sync_folder(self, folder: Path, /) -> None:
        folder.stat()


def disk_of(root: Path, *, is_quick: bool = True) -> RecordingDisk:
    """The disk under a data root, the same for all lives of it within one test; a quick one waits for no sync."""
    return _disks.setdefault(root, RecordingDisk(_Quick(root) if is_quick else ReservedDisk(root)))


def forget_disks() -> None:
    """The test is over."""
    _disks.clear()
    violations.clear()


def count_steps(interrupt: Callable[[Path, int], bool], root: Path) -> int:
    """Interrupt an act at its first step, its second and so on, each time in a fresh folder.

    Args:
        interrupt: Called with a folder and the number of the step; False if the act has fewer steps.
        root: Folder of the folders.

    Returns:
        Number of the last call.
    """
    number = 1
    while interrupt(root / str(number), number):
        number += 1
        forget_disks()
    return number


class WatchedSystem(ActorSystem):
    """Actors in the test's own thread; each message that leaves a window is looked at, and is a step of the disk's."""

    def __init__(self, root: Path, disk: RecordingDisk, clock: ManualClock | None = None) -> None:
        super().__init__(workers=0, clock=clock or ManualClock())
        self._root, self._disk = root, disk
        self._is_first_life = not (root / "logs").exists()

    def tell(self, to: Address, message: Message) -> None:
        """Tell a message, if the events behind the message are safe."""
        if to.kind != CONTEXT_KIND:
            self._disk.before("tell", b"")
            if not isinstance(message, PASSING) and not _is_refusal(message):
                self._require_safe(message)
        super().tell(to, message)

    def _require_safe(self, message: Message) -> None:
        if isinstance(message, PostMessage):
            unsafe = [] if self._owes(message.nonce) else [f"the text {message.nonce}"]
        else:
            unsafe = [*self._unsafe_events(message)]
        if isinstance(message, NewWindowStarted) and not self._disk.surviving(self._root / message.path):
            unsafe.append("the new log itself")
        if unsafe:
            violations.append(f"{type(message).__name__} rests on what a power loss would take: {', '.join(unsafe)}")
            raise Unsynced(violations[-1])

    def _unsafe_events(self, message: Message | None) -> Iterator[str]:
        if not (self._root / "logs").is_dir():
            return
        for _, folder in window_folders(self._root / "logs"):
            path = Path(folder) / (newest_name(folder) or "")
            if not path.is_file():
                continue  # There is no log, or a test put something else there, which holds nothing of ours.
            written, safe = path.read_bytes(), self._disk.surviving(path) or b""
            if safe == written:
                continue
            safe_ids = {event.id for event in events_in(safe)}
            for event in events_in(written):
                if event.id not in safe_ids and not _may_be_lost(event, message):
                    yield f"{event.kind.value} {event.id}"

    def require_rest(self) -> None:
        """Require synced logs and copies at rest, where a log can be written."""
        actors = [mailbox.actor for mailbox in self.mailboxes()]
        if not actors or not all(isinstance(actor, ContextActor) and not actor._unwritable for actor in actors):
            return  # Nobody lives, or can write.
        copies = (self._root / "redacted").rglob("*.md")
        unsafe = [*self._unsafe_events(None), *(f"copy {each.name}" for each in copies if not self._holds(each))]
        if unsafe:
            violations.append(f"left without a sync: {', '.join(unsafe)}")
            raise Unsynced(violations[-1])

    def _holds(self, copy: Path) -> bool:
        """True if a power loss would bring back no withdrawn word: only later additions may be lost."""
        if not self._is_first_life:
            return True  # A life that was killed may have left one; it is made anew with what is taken back again.
        return copy.read_bytes().startswith(self._disk.surviving(copy) or b"none")

    def _owes(self, nonce: str) -> bool:
        """True if a log that would survive has the text of a nonce."""
        for path in (self._root / "logs").rglob("*.md"):
            for event in events_in(self._disk.surviving(path) or b""):
                if nonce == event.id or (event.kind is Kind.SYSTEM and nonce == event.meta_dict().get("event")):
                    return True
        return False


def _is_refusal(message: Message) -> bool:
    """True for the report of a failed store, and for a withdrawn request."""
    is_notice = isinstance(message, PostMessage) and message.request_id.startswith("refusal-")
    return is_notice or isinstance(message, Refused | CancelModel | CancelBash | UserMessageNotLogged)


def _may_be_lost(event: Event, message: Message | None) -> bool:
    if isinstance(message, KeptMessagesTold) and event.kind is Kind.USER:
        return event.meta_dict().get("message_id") not in [each.message_id for each in message.messages]
    match event.kind:
        case Kind.TOOL_RESULT | Kind.DELIVERY:
            return True
        case Kind.TOOL_CALL:
            return message is not None and not isinstance(message, RunBash)
        case Kind.AGENT:
            return not event.meta_dict().get("final", True)
        case Kind.SYSTEM:
            return event.meta_dict().get("what") in SMALL_STEPS
        case _:
            return False
