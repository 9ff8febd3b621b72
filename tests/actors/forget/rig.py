"""The actor that forgets, on a clock that the test moves, between windows, a memory and a room that are plain lists."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from actors.forget.actor import ForgetActor
from actors.forget.config import ForgetConfig
from actors.forget.state import RequestState
from actors.kernel import Actor, ActorSpec, MakeQuestion, ManualClock
from actors.kernel.edge import EDGE_KIND
from actors.linux.disk import Disk
from messages.base import CONTEXT_KIND, Address, EventId, Message, RequestId, Surface, UserId, Window
from messages.forget import (
    FORGET,
    CarryOutForget,
    DerivedForgotten,
    EventsForgotten,
    ForgetCarriedOut,
    ForgetDerived,
    ForgetEvents,
    ForgetPreviewed,
    ForgetsListed,
    ForgettableEvent,
    ForgettableListed,
    ForgottenEvent,
    ListForgets,
    ListForgettable,
    PreviewForget,
    Scope,
    ScopeKind,
)
from messages.memory import MEMORY, FoundMemory, MemoriesFound, SearchMemory
from tests.recording_disk import RecordingDisk
from tests.safe_system import SafeSystem

ANNE, BOB, MODERATOR, OPERATOR = UserId("111"), UserId("222"), UserId("333"), UserId("444")
NO_ACCOUNT = UserId("")
HERE = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
THERE = Window(surface=Surface.DISCORD_THREAD, id="910000000000000012")
ROOM = Address("room")
AT = datetime(2026, 11, 29, tzinfo=UTC)
EXPIRES = AT - timedelta(days=8)
"""Time before which windows say that events have expired."""


def event(number: int, author: UserId, text: str, window: Window = HERE) -> ForgettableEvent:
    """An event that stands in line `number` of its window's log."""
    return ForgettableEvent(
        event_id=EventId(f"e{number}"),
        path=f"logs/{window.address.key}/20261129T000000Z_0001.md",
        line=number,
        at=AT,
        author_id=author,
        text=text,
    )


def memory(of: ForgettableEvent, window: Window, words: float, similarity: float) -> FoundMemory:
    """A search result."""
    return FoundMemory(
        path=of.path,
        line=of.line,
        at=AT,
        role="user",
        author="",
        window=window.address.key,
        pinned=False,
        excerpt=of.text,
        truncated=False,
        score=similarity,
        similarity=similarity,
        recency=1.0,
        repetition=0.0,
        words=words,
    )


@dataclass
class Household:
    """Content of windows and rooms, over all lives of the actor."""

    events: dict[Window, list[ForgettableEvent]] = field(default_factory=dict)
    memories: list[FoundMemory] = field(default_factory=list)
    gone: dict[tuple[str, Window], tuple[ForgottenEvent, ...]] = field(default_factory=dict)
    """(forget id, window) -> events that were taken out."""
    silent: set[str] = field(default_factory=set)
    """Kinds of actors, and of scopes for windows, that are not answered."""
    delay_s: float = 0.0
    """Time between the removal of words by a window and its answer."""
    log: list[str] = field(default_factory=list)
    """Requests to take out, in their order."""
    derived: list[ForgetDerived] = field(default_factory=list)


class WindowProbe(Actor):
    """A window."""

    def __init__(self, household: Household) -> None:
        super().__init__()
        self._house = household

    def handle(self, message: ListForgettable | ForgetEvents) -> None:
        house = self._house
        if CONTEXT_KIND in house.silent or (
            isinstance(message, ListForgettable) and message.scope.kind in house.silent
        ):
            return
        if isinstance(message, ListForgettable):
            fits = [each for each in house.events.get(message.window, []) if _is_in(message.scope, each)]
            may = [each for each in fits if _may_go(message.scope, each)]
            listed = ForgettableListed(request_id=message.request_id, events=tuple(may), withheld=len(fits) - len(may))
            self.tell(message.reply_to, listed)
            return
        house.log.append(f"window {message.window.id[-2:]}")
        kept = house.events.get(message.window, [])
        out = [each for each in kept if message.whole_window or each.event_id in message.event_ids]
        house.events[message.window] = [each for each in kept if each not in out]
        key = message.forget_id, message.window
        gone = house.gone[key] = (*house.gone.get(key, ()), *(_forget(message.window, each) for each in out))
        reply = EventsForgotten(
            request_id=message.request_id,
            forget_id=message.forget_id,
            window=message.window,
            events=gone,
            texts=tuple(each.text for each in out),
        )
        if house.delay_s:
            self.wait(house.delay_s, lambda: self.tell(message.reply_to, reply))
        else:
            self.tell(message.reply_to, reply)


def _may_go(scope: Scope, each: ForgettableEvent) -> bool:
    is_later = scope.since is not None and each.at >= scope.since
    is_repetition = scope.kind is ScopeKind.REPEATED and not each.author_id and is_later
    return scope.only_by in ("", each.author_id) or is_repetition


def _is_in(scope: Scope, each: ForgettableEvent) -> bool:
    rules: dict[ScopeKind, Callable[[], bool]] = {
        ScopeKind.MESSAGE: lambda: each.event_id == scope.message_id,
        ScopeKind.PERSON: lambda: each.author_id == scope.person_id,
        ScopeKind.TOPIC: lambda: any(place.line == each.line for place in scope.places),
        ScopeKind.REPEATED: lambda: any(text in each.text for text in scope.texts),
        ScopeKind.EXPIRED: lambda: each.at < (scope.before or EXPIRES),
    }
    return rules.get(scope.kind, lambda: True)()


def _forget(window: Window, each: ForgettableEvent) -> ForgottenEvent:
    return ForgottenEvent(
        window=window, path=each.path, line=each.line, event_id=each.event_id, message_id=each.message_id
    )


class MemoryProbe(Actor):
    """The memory."""

    def __init__(self, household: Household) -> None:
        super().__init__()
        self._house = household

    def handle(self, message: SearchMemory) -> None:
        found = MemoriesFound(request_id=message.request_id, memories=tuple(self._house.memories))
        self.tell(message.reply_to, found)


class RoomProbe(Actor):
    """A part that made something from the logs."""

    def __init__(self, household: Household) -> None:
        super().__init__()
        self._house = household

    def handle(self, message: ForgetDerived) -> None:
        if ROOM.kind in self._house.silent:
            return
        self._house.log.append(f"room {message.window.id[-2:]}")
        self._house.derived.append(message)
        done = DerivedForgotten(
            request_id=message.request_id, forget_id=message.forget_id, room=ROOM.kind, count=len(message.events)
        )
        self.tell(message.reply_to, done)


def _is_promise(to: Address, _message: Message) -> bool:
    """True for messages to people, and to windows, which may take words out."""
    return to.kind in (EDGE_KIND, CONTEXT_KIND)


class Rig:
    """One process; another rig on the same folder and household is the next one."""

    def __init__(
        self,
        folder: Path,
        household: Household,
        clock: ManualClock | None = None,
        disk: Disk | None = None,
        shortest: timedelta | None = None,
    ) -> None:
        self.clock = clock or ManualClock()
        self.house = household
        self.disk = RecordingDisk(disk)
        self.system = SafeSystem(self.disk, folder, _is_promise, self.clock)
        self.person = self.system.edge("person")
        config = ForgetConfig(
            data_root=folder,
            rooms=(ROOM,),
            memory=MEMORY,
            operators=frozenset({OPERATOR}),
            elsewhere=("Discord keeps its messages.",),
            disk=self.disk,
            shortest=shortest,
        )
        state = RequestState()
        self.system.register(ActorSpec(CONTEXT_KIND, lambda _: WindowProbe(household)))
        self.system.register(ActorSpec(MEMORY.kind, lambda _: MemoryProbe(household)))
        self.system.register(ActorSpec(ROOM.kind, lambda _: RoomProbe(household)))
        self.system.register(ActorSpec(FORGET.kind, lambda _: ForgetActor(config, state), is_eager=True))
        self.system.start()
        self._numbers = itertools.count(1)
        self.advance(0)

    def advance(self, seconds: float) -> None:
        """Let time pass, with all work that comes due at once."""
        self.clock.advance(seconds)
        self.system.run()
        self.clock.advance(0)
        self.system.run()

    def ask(self, make: MakeQuestion) -> RequestId:
        """Send a request without waiting."""
        request_id = RequestId(f"r{next(self._numbers)}")
        self.system.tell(FORGET, make(request_id=request_id, reply_to=self.person.address))
        for _ in range(5):
            self.advance(0)
        return request_id

    def answer(self, request_id: RequestId) -> Message:
        """Answer to a request that was sent."""
        return self.person.receive(0.1, lambda each: getattr(each, "request_id", None) == request_id)

    def preview(
        self, scope: Scope, asked_by: UserId = NO_ACCOUNT, *, window: Window = HERE, manages: bool = False
    ) -> ForgetPreviewed | Message:
        """Answer to a preview."""
        make = partial(PreviewForget, window=window, scope=scope, asked_by=asked_by, manages_messages=manages)
        return self.answer(self.ask(make))

    def confirm(self, preview_id: str, asked_by: UserId = NO_ACCOUNT, *, manages: bool = False) -> Message:
        """Answer to a confirmation."""
        return self.answer(self.start(preview_id, asked_by, manages=manages))

    def start(self, preview_id: str, asked_by: UserId = NO_ACCOUNT, *, manages: bool = False) -> RequestId:
        """Confirm without waiting for the answer."""
        make = partial(CarryOutForget, window=HERE, preview_id=preview_id, asked_by=asked_by, manages_messages=manages)
        return self.ask(make)

    def forget(self, scope: Scope, asked_by: UserId = NO_ACCOUNT) -> ForgetCarriedOut:
        """Preview and confirm."""
        seen = self.preview(scope, asked_by)
        assert isinstance(seen, ForgetPreviewed), seen
        done = self.confirm(seen.preview_id, asked_by)
        assert isinstance(done, ForgetCarriedOut), done
        return done

    def list_records(self) -> ForgetsListed:
        """Records of requests."""
        make = partial(ListForgets, window=HERE)
        reply = self.answer(self.ask(make))
        assert isinstance(reply, ForgetsListed)
        return reply
