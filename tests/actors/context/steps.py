"""Small world around one window in which the agent is interrupted at any one step, and what must hold afterwards."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from actors.context.actor import ContextActor
from actors.context.log.recovery import survey
from domain.log.event import Event, Kind
from domain.log.off_record import message_number
from domain.turn.conversation import Conversation, rebuild
from messages.base import Message, MessageId
from messages.context import ResumeWindow, UserMessage
from messages.discord import Delivered, DeliveryFailed, PostMessage
from messages.model import ModelRequest, Role, StopReason
from messages.shell import RunBash
from messages.turn import RequestWorded, WordRequest
from tests.actors.context import durability
from tests.actors.context.rig import CHANNEL, Rig, bash_call, bash_result, of_type, reply, user_message
from tests.recording_disk import TornWrite

FAULTS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EROFS": errno.EROFS}
DEATHS = ("kill", "torn", "power")
LIMIT_TOKENS = 100_000


class Killed(BaseException):
    """The process has ended here."""


class World:
    """People, a model, a shell and a Discord, which outlive the agent, which is interrupted as planned."""

    def __init__(self, root: Path, plan: Mapping[int, str] | None = None, **decided: Any) -> None:
        """A world without messages.

        Args:
            root: An empty folder.
            plan: Step before which the agent is interrupted, from 1 -> how: `kill`, `torn` (killed in the middle of a
                write), `power`, `crash` (a defect), `short` (a write that stores a part), one of `FAULTS` for one
                call, `broken` for all calls of the disk until the act is over.
            decided: Further configuration.
        """
        self.root, self.plan, self.decided = root, dict(plan or {}), decided
        self.calls: list[str] = []
        """Each step that was made: a call of the disk, or a message that left."""
        self.said: list[UserMessage] = []
        self.shown: dict[str, PostMessage] = {}
        """By nonce, as Discord knows them."""
        self.refused: list[str] = []
        """Messages refused because they cannot be stored now."""
        self.ran: list[str] = []
        self.replies: list[Message] = []
        self.asked: list[ModelRequest] = []
        self.worded = 0
        """Number of questions about the wording of results."""
        self.failing_posts = 0
        """Number of posts that fail from now on."""
        self._death = ""
        self._dead = self._broken = self._crashed = False
        self.rig = self._begin()
        self.asker = self.rig.system.edge("asker")

    # acts

    def say(self, text: str, message_id: int, **how: Any) -> None:
        """A person's words."""
        message = user_message(text, message_id, CHANNEL, "Alice", self.rig.surface.address, **how)
        self.said.append(message)
        self.do(lambda: self.rig.tell(CHANNEL, message))

    def ask(self, make: Callable[[], Message]) -> None:
        """Send a command; a command without an answer is not repeated."""
        self.do(lambda: self.rig.tell(CHANNEL, make()))

    def do(self, act: Callable[[], object]) -> None:
        """Do something, and let all come of it; the agent is begun anew if it dies of that."""
        refused = len(self.refused)
        self._live(act)
        if self._broken or len(self.refused) > refused:
            self._broken = False
            self._live(lambda: self.rig.advance(61))
        if self._crashed:
            self._crashed = False
            self._live(lambda: self.rig.advance(5))
        while self._find_unlogged():
            self._live(self._offer_again)
            self._broken = False
            self._live(lambda: self.rig.advance(61))

    def _live(self, act: Callable[[], object]) -> None:
        try:
            act()
            self.settle()
        except Killed:
            assert self._dead
        while self._dead:
            try:
                self._restart()
            except Killed:
                continue

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.do(lambda: self.rig.advance(seconds))

    def finish(self) -> None:
        """All that is owed comes about."""
        for _ in range(7):  # Longer than the window waits for its model.
            self.wait(301)

    def settle(self) -> None:
        """Model, shell and Discord answer until there is nothing to be answered."""
        while True:
            self.rig.system.run()
            self.replies += self.asker.drain()
            answers = [
                *(self._of_model(one) for one in of_type(ModelRequest, self.rig.model.drain())),
                *(self._of_shell(one) for one in of_type(RunBash, self.rig.shell.drain())),
                *(self._of_discord(one) for one in of_type(PostMessage, self.rig.surface.drain())),
                *(self._of_worder(one) for one in of_type(WordRequest, self.worder.drain())),
            ]
            if not answers:
                return
            for answer in answers:
                if answer is not None:
                    self.rig.system.tell(CHANNEL.address, answer)

    # what is so in the end

    def logs(self) -> list[list[Event]]:
        """The events of each log, the oldest log first."""
        return [list(durability.events_in(path.read_bytes())) for path in self.rig.logs()]

    def answers_to(self, message_id: int) -> list[str]:
        """Texts shown to people in answer to a message, without notices that nothing can be stored."""
        return [post.text for post in self.shown.values() if post.answers_message_id == str(message_id)]

    def conversation(self) -> Conversation:
        """State of the window in memory."""
        self.rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=self.rig.surface.address))
        (actor,) = [box.actor for box in self.rig.system.mailboxes() if isinstance(box.actor, ContextActor)]
        return actor.conversation

    def require_order(self) -> None:
        """Invariants after any step: each word is logged once, no command ran twice, memory and log agree."""
        logs = self.logs()
        logged = Counter(message_number(event.kind, event.meta_json) for log in logs for event in log)
        for message in self.said:
            assert logged[message.message_id] == 1, message.text
        assert max(Counter(self.ran).values(), default=1) == 1, self.ran
        newest = rebuild(logs[-1], LIMIT_TOKENS)
        held = self.conversation()
        assert [turn.id for turn in held.open_turns()] == [turn.id for turn in newest.open_turns()]
        assert held.debts() == newest.debts() == []
        assert held.stopped_turns() == newest.stopped_turns() == []
        assert (held.model, held.pending) == (newest.model, newest.pending)
        for log in logs:
            self._require_whole(log)

    def _require_whole(self, log: list[Event]) -> None:
        """Each turn has one end, and each call of one that has it has a result."""
        ends = Counter(
            str(event.meta_dict()["turn"])
            for event in log
            if event.meta_dict().get("what") in ("failed", "aborted") or event.meta_dict().get("final")
        )
        assert max(ends.values(), default=1) == 1, ends
        calls = Counter(_call(event) for event in log if event.kind is Kind.TOOL_CALL)
        results = Counter(_call(event) for event in log if event.kind is Kind.TOOL_RESULT)
        assert {call for call in calls if call[0] in ends} <= results.keys()
        assert all(count == calls[call] for call, count in results.items())

    # the agent's life

    def _begin(self) -> Rig:
        rig = Rig(self.root, **self.decided)
        rig.disk.before = self._before
        self.worder = rig.system.edge("worder")
        return rig

    def _restart(self) -> None:
        """The next life: windows that owe something are resumed, and what no log has is said again."""
        self.rig.kill()
        if self._death == "power":
            self.rig.disk.lose_power()
        self._dead = False
        self.rig = self._begin()
        self.asker = self.rig.system.edge("asker")
        for window in survey(self.root).unfinished:
            self.rig.tell(window, ResumeWindow(window=window, reply_to=self.rig.surface.address))
        self.settle()

    def _find_unlogged(self) -> list[UserMessage]:
        """Messages that no log has."""
        logs = self.root / "logs" / CHANNEL.surface.value / CHANNEL.id
        events = [event for path in logs.glob("*.md") for event in durability.events_in(path.read_bytes())]
        known = {message_number(event.kind, event.meta_json) for event in events}
        return [message for message in self.said if message.message_id not in known]

    def _offer_again(self) -> None:
        """Send messages without a log entry again, as the surface does without a confirmation."""
        for message in self._find_unlogged():
            self.rig.tell(CHANNEL, msgspec.structs.replace(message, reply_to=self.rig.surface.address))
            self.settle()

    def _before(self, call: str, data: bytes) -> None:
        if self._dead:
            raise Killed
        self.calls.append(call)
        if self._broken and call != "tell":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        kind = self.plan.get(len(self.calls), "")
        if kind in DEATHS:
            self._dead, self._death = True, kind
            if kind == "torn" and call == "write":
                raise TornWrite(data[: len(data) // 2], Killed())
            raise Killed
        if kind == "crash":
            self._crashed = True
            raise RuntimeError("a defect")
        if not kind or call == "tell":
            return
        if kind == "short" and call == "write":
            raise TornWrite(data[: len(data) // 2])
        self._broken = kind == "broken"
        if self._broken or kind in FAULTS:
            code = FAULTS.get(kind, errno.EROFS)
            raise OSError(code, os.strerror(code))

    # those who answer

    def _of_model(self, request: ModelRequest) -> Message | None:
        self.asked.append(request)
        asked_of = next(message for message in reversed(request.messages) if message.role is Role.USER)
        words = asked_of.text.partition("\n")[2]
        if words.startswith("slow"):
            return None
        if words.startswith("run") and request.messages[-1].role is not Role.TOOL:
            calls = (bash_call(f"{words}, first", "a"), bash_call(f"{words}, second", "b"))
            return reply(request, "Let me see.", *calls, stop=StopReason.TOOL_CALLS)
        return reply(request, f"answer to {words}")

    def _of_worder(self, question: WordRequest) -> Message | None:
        """Every second question is not answered."""
        self.worded += 1
        calls = [call for turn in question.turns for call in turn.calls]
        named = tuple((call.event, f"worded {call.text}") for call in calls)
        return RequestWorded(request_id=question.request_id, results=named) if self.worded % 2 else None

    def _of_shell(self, command: RunBash) -> Message | None:
        self.ran.append(command.command)
        return None if "for ever" in command.command else bash_result(command, "output")

    def _of_discord(self, post: PostMessage) -> Message:
        if post.request_id.startswith("refusal-"):
            self.refused.append(post.answers_message_id)
        elif post.nonce not in self.shown:
            if self.failing_posts:
                self.failing_posts -= 1
                return DeliveryFailed(request_id=post.request_id, reason="no network")
            self.shown[post.nonce] = post
        number = 7_000_000 + [*self.shown, post.nonce].index(post.nonce)
        return Delivered(request_id=post.request_id, message_ids=(MessageId(str(number)),))


def _call(event: Event) -> tuple[str, str]:
    meta = event.meta_dict()
    return str(meta["turn"]), str(meta["call_id"])
