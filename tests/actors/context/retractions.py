"""Deletions and edits by people in a window, and the remains: for tests of retraction."""

from __future__ import annotations

from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.log.window import redacted_path
from messages.base import MessageId, RequestId, UserId
from messages.context import (
    RetractMessages,
    ReviseMessage,
    StartNewWindow,
)
from tests.actors.context.rig import CHANNEL, Rig, texts

SECRET = "the salary is 41000"


def delete(rig: Rig, *message_ids: int) -> None:
    ids = tuple(MessageId(str(message_id)) for message_id in message_ids)
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=ids))


def edit(rig: Rig, message_id: int, text: str, files: int = 0) -> None:
    rig.tell(CHANNEL, ReviseMessage(window=CHANNEL, message_id=MessageId(str(message_id)), text=text, files=files))


def copies(rig: Rig) -> list[bytes]:
    """Text of the logs that commands may see."""
    found = []
    for path in rig.logs():
        copy = rig.root / redacted_path(path.relative_to(rig.root).as_posix())
        found.append(copy.read_bytes() if copy.exists() else path.read_bytes())
        assert len(found[-1]) == path.stat().st_size
        assert found[-1].count(b"\n") == path.read_bytes().count(b"\n")
    return found


def shown_to_model(rig: Rig, text: str, message_id: int) -> str:
    """All that the model is shown with a question."""
    rig.say(text, message_id)
    request = rig.answer("fine")
    rig.deliver()
    return "\n".join(texts(request))


def tombstones(rig: Rig) -> list[dict[str, MetaValue]]:
    return [event.meta_dict() for event in rig.events() if event.kind is Kind.TOMBSTONE]


def exchange(rig: Rig, text: str, message_id: int, answer: str = "fine") -> str:
    """A whole turn; the id of the message that answered."""
    rig.say(text, message_id)
    rig.answer(answer)
    rig.deliver()
    delivery = next(event for event in reversed(rig.events()) if event.kind is Kind.DELIVERY)
    shown = delivery.meta_dict()["message_ids"]
    assert isinstance(shown, list)
    return str(shown[0])


def new_window(rig: Rig) -> StartNewWindow:
    return StartNewWindow(
        request_id=RequestId("n"),
        reply_to=rig.listener.address,
        window=CHANNEL,
        asked_by=UserId("7"),
    )
