"""The actor that asks people, on a clock that the test moves, between an asker, a window and a surface."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TypeVar

from actors.approval.actor import ApprovalActor
from actors.approval.config import ApprovalConfig
from actors.approval.state import ApprovalState
from actors.kernel import Actor, ActorSpec, ManualClock
from actors.kernel.edge import EDGE_KIND
from actors.linux.disk import Disk
from messages.base import CONTEXT_KIND, Address, Message, MessageId, RequestId, Surface, TurnId, UserId, Window
from messages.discord import Delivered, EndButtons, PostMessage
from messages.shell import (
    APPROVAL,
    ApprovalKind,
    AskApproval,
    DecideApproval,
)
from messages.turn import AskerTold, TellAsker
from tests.recording_disk import RecordingDisk
from tests.safe_system import SafeSystem

M = TypeVar("M", bound=Message)
ASKER, OPERATOR, STRANGER = UserId("111"), UserId("222"), UserId("333")
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")


class WindowProbe(Actor):
    """A window in whose turn a command is wanted."""

    def __init__(self, rig: Rig) -> None:
        super().__init__()
        self._rig = rig

    def handle(self, message: TellAsker) -> None:
        if not self._rig.is_silent:
            told = AskerTold(
                request_id=message.request_id,
                turn_id=self._rig.turn,
                asked_by=ASKER,
                message_id=MessageId("900000000000000001"),
            )
            self.tell(message.reply_to, told)


def _is_promise(to: Address, _message: Message) -> bool:
    """True for messages to people and askers."""
    return to.kind == EDGE_KIND


class Rig:
    """One process; another rig on the same folder is the next one."""

    def __init__(self, folder: Path | None, clock: ManualClock | None = None, disk: Disk | None = None) -> None:
        self.clock = clock or ManualClock()
        self.turn = TurnId("turn1")
        self.is_silent = False
        self.state = ApprovalState()
        self.disk = disk if isinstance(disk, RecordingDisk) else RecordingDisk(disk)
        self.system = SafeSystem(self.disk, folder or Path("none"), _is_promise, self.clock)
        self.surface, self.asker = self.system.edge("surface"), self.system.edge("asker")
        config = ApprovalConfig(
            surface=self.surface.address,
            operators=frozenset({OPERATOR}),
            folder=folder,
            disk=self.disk,
        )
        self.system.register(ActorSpec(APPROVAL.kind, lambda _: ApprovalActor(config, self.state), core=True))
        self.system.register(ActorSpec(CONTEXT_KIND, lambda _: WindowProbe(self)))
        self.system.start()
        self.system.run()
        self._numbers = itertools.count(1)

    def tell(self, message: Message) -> None:
        self.system.tell(APPROVAL, message)
        self.system.run()

    def ask(
        self, text: str = "make", *, kind: ApprovalKind = ApprovalKind.COMMAND, is_again: bool = False
    ) -> RequestId:
        request_id = RequestId(f"r{next(self._numbers)}")
        self.tell(
            AskApproval(
                request_id=request_id,
                reply_to=self.asker.address,
                window=WINDOW,
                kind=kind,
                text=text,
                is_again=is_again,
            )
        )
        return request_id

    def drain_posts(self) -> list[PostMessage]:
        return [each for each in self.surface.drain() if isinstance(each, PostMessage)]

    def show(self, message_id: str = "77") -> PostMessage:
        """Show the one question that is to be posted."""
        (post,) = self.drain_posts()
        self.tell(Delivered(request_id=post.request_id, message_ids=(MessageId(message_id),)))
        return post

    def decide(self, post: PostMessage, person: UserId = ASKER, *, grants: bool = True, reason: str = "") -> Message:
        """Press a button; the reply."""
        request_id = RequestId(f"press{next(self._numbers)}")
        self.tell(
            DecideApproval(
                request_id=request_id,
                reply_to=self.asker.address,
                id=post.nonce,
                grants=grants,
                decided_by=person,
                reason=reason,
            )
        )
        return self.answer(request_id)

    def answer(self, request_id: RequestId) -> Message:
        return self.asker.receive(0.1, lambda each: getattr(each, "request_id", None) == request_id)

    def is_waiting(self, request_id: RequestId) -> bool:
        try:
            self.answer(request_id)
        except TimeoutError:
            return True
        return False

    def drain_ended_buttons(self) -> list[EndButtons]:
        return [each for each in self.surface.drain() if isinstance(each, EndButtons)]

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.system.run()
