"""A deletion or an edit that is cut short at any step is found again, by what the logs still hold, and done over."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.log.event import Kind
from domain.log.kept import digest
from messages.base import MessageId, RequestId, UserId
from messages.context import (
    KeptMessagesTold,
    PinMemory,
    Quote,
    ResumeWindow,
    RetractMessages,
    ReviseMessage,
    StartNewWindow,
    TellKeptMessages,
)
from tests.actors.context import durability
from tests.actors.context.rig import CHANNEL, Rig, of_type
from tests.actors.context.steps import Killed

SECRET = "the code is owl"
REVISED = "the bird is new"


def prepare_window(root: Path) -> Rig:
    """A window whose older log has a message, and whose newest has a pin and a quotation of it."""
    root.mkdir()
    rig = Rig(root)
    rig.say(SECRET, 1)
    rig.answer("I see")
    rig.deliver()
    asker = rig.system.edge("asker")
    began = StartNewWindow(request_id=RequestId("n"), reply_to=asker.address, window=CHANNEL, asked_by=UserId("1"))
    rig.tell(CHANNEL, began)
    pin = PinMemory(
        request_id=RequestId("p"),
        reply_to=asker.address,
        window=CHANNEL,
        asked_by=UserId("1"),
        asked_by_name="Alice",
        message_id=MessageId("1"),
        text=SECRET,
    )
    rig.tell(CHANNEL, pin)
    quote = Quote(message_id=MessageId("1"), author_name="Alice", text=SECRET)
    rig.say("what is meant by that?", 2, quote=quote)
    rig.answer("a bird")
    rig.deliver()
    return rig


def retract(rig: Rig) -> None:
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("1"),)))


def is_kept(rig: Rig) -> bool:
    """True if the window reports words of the message."""
    asker = rig.system.edge("compares")
    rig.tell(CHANNEL, TellKeptMessages(request_id=RequestId("k"), reply_to=asker.address, window=CHANNEL))
    (told,) = of_type(KeptMessagesTold, asker.drain())
    return "1" in {message.message_id for message in told.messages}


def interrupt_deletion(root: Path, at: int) -> bool:
    """True if a deletion has a step with the number; if so it is killed there, and the invariants are checked."""
    rig = prepare_window(root)
    steps: list[str] = []

    def dies(call: str, data: bytes) -> None:
        steps.append(call)
        if len(steps) >= at:
            raise Killed

    rig.disk.before = dies
    try:
        retract(rig)
    except Killed:
        rig.kill()
        rig.disk.before = lambda call, data: None
        rig = Rig(root)
        rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=rig.surface.address))
        if is_kept(rig):
            retract(rig)
    rig.disk.before = lambda call, data: None
    rig.say("what was said?", 3)
    assert SECRET not in str(rig.answer("nothing")), at
    copies = [path.read_text() for path in (root / "redacted").rglob("*.md")]
    assert len(copies) == 2
    assert not any(SECRET in copy for copy in copies), at
    rig.stop()
    durability.forget_disks()
    return len(steps) >= at


@pytest.mark.crashes
def test_whatever_step_is_the_last_nothing_of_a_deleted_message_stays(tmp_path: Path) -> None:
    assert durability.count_steps(interrupt_deletion, tmp_path) > 10


def revise(rig: Rig) -> None:
    rig.tell(CHANNEL, ReviseMessage(window=CHANNEL, message_id=MessageId("1"), text=REVISED, files=0))


def is_to_be_revised(rig: Rig) -> bool:
    """True if the window's words of the message differ from Discord's, which reports an edit."""
    asker = rig.system.edge("compares")
    rig.tell(CHANNEL, TellKeptMessages(request_id=RequestId("k"), reply_to=asker.address, window=CHANNEL))
    (told,) = of_type(KeptMessagesTold, asker.drain())
    asker.close()
    return any(each.message_id == "1" and each.words != digest(REVISED) for each in told.messages)


def edited_until(root: Path, at: int) -> bool:
    """True if an edit has a step with the number; if so it is killed there, and its words must be there anyway."""
    rig = prepare_window(root)
    steps: list[str] = []

    def dies(call: str, data: bytes) -> None:
        steps.append(call)
        if len(steps) >= at:
            raise Killed

    rig.disk.before = dies
    try:
        revise(rig)
    except Killed:
        rig.kill()
        rig.disk.before = lambda call, data: None
        rig = Rig(root)
        rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=rig.surface.address))
        if is_to_be_revised(rig):
            revise(rig)
    rig.disk.before = lambda call, data: None
    assert not is_to_be_revised(rig), at
    said = [event.content for event in rig.events() if event.kind is Kind.USER]
    assert said.count(REVISED) == 1, (at, said)
    rig.say("what was said?", 3)
    request = str(rig.answer("nothing"))
    assert (SECRET in request, request.count(REVISED)) == (False, 1), at
    assert not any(SECRET in path.read_text() for path in (root / "redacted").rglob("*.md")), at
    rig.stop()
    return len(steps) >= at


@pytest.mark.crashes
def test_an_edit_says_its_new_words_once_wherever_it_is_killed(tmp_path: Path) -> None:
    assert durability.count_steps(edited_until, tmp_path) > 4
