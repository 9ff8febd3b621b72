"""Small world around an importer: a Discord with a past, real windows, and a process that may end at any step."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from actors.context.actor import ContextActor
from actors.context.config import ContextConfig
from actors.context.log.journal import Journal
from actors.importer.actor import ImporterActor
from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from domain.log.event import Kind
from domain.log.parser import parse
from domain.log.window import snowflake_time
from messages.base import CONTEXT_KIND, Address, Message, MessageId, RequestId, Surface, UserId, Window
from messages.memory import MEMORY, IndexLog, LogIndexed
from messages.past import (
    IMPORTER,
    CategoriesFound,
    DescribeImport,
    FindCategories,
    ImportDescribed,
    ListPast,
    NotePast,
    PastDelayed,
    PastListed,
    PastMessage,
    PastPlace,
    PastRead,
    ReadPast,
    SettlePast,
    StartImport,
)
from messages.socket import Refused
from tests.recording_disk import RecordingDisk

SURFACE = Address("discord")
OPERATOR = Window(surface=Surface.CLI, id="operator")
FIRST = 900_000_000_000_000_000
PAGE = 100


class Killed(BaseException):
    """The process has ended here."""


class PastDiscord:
    """Messages of the past, by window; outlives the agent."""

    def __init__(self, **counts: int) -> None:
        self.ids = {
            Window(surface=Surface.DISCORD_CHANNEL, id=str(FIRST + place)): [
                FIRST + 10_000 * number + place for number in range(1, count + 1)
            ]
            for place, count in enumerate(counts.values(), 1)
        }
        self.moods: list[Message | str] = []
        """Replies to the next requests for pages in the place of pages: `refused` or `delayed`."""
        self.listings = 0
        """Number of requests for all places."""
        self.read: list[int] = []
        """`before` of each page that was asked for."""
        self.settled: list[str] = []
        self.noted: set[Window] = set()
        self.categories: dict[str, str] = {}
        """Category of channels."""

    def answer(self, message: Message) -> Message | None:
        """Reply of the surface."""
        match message:
            case ListPast():
                self.listings += 1
                places = (PastPlace(window=window, newest=ids[-1]) for window, ids in self.ids.items())
                return PastListed(request_id=message.request_id, places=tuple(places), left_out=("channel 7: closed",))
            case FindCategories():
                categories = tuple(self.categories.get(each, "") for each in message.channels)
                return CategoriesFound(request_id=message.request_id, categories=categories)
            case ReadPast():
                return self._page(message)
            case SettlePast():
                self.settled += message.message_ids
            case NotePast():
                self.noted.update(message.windows)
            case _:
                pass
        return None

    def _page(self, request: ReadPast) -> Message:
        self.read.append(request.before)
        if self.moods:
            mood = self.moods.pop(0)
            if mood == "refused":
                return Refused(request_id=request.request_id, reason="the bot may not read its history")
            return PastDelayed(request_id=request.request_id, reason="later", again_s=5.0)
        ids = [each for each in self.ids[request.window] if request.after < each < request.before]
        return PastRead(
            request_id=request.request_id,
            messages=tuple(past_message(each) for each in ids[-PAGE:]),
            oldest=ids[-PAGE:][0] if ids else 0,
            is_last=len(ids) <= PAGE,
        )


def past_message(number: int) -> PastMessage:
    return PastMessage(
        message_id=MessageId(str(number)),
        author_id=UserId("7"),
        author_name="Alice",
        text=f"word {number}",
        typed_chars=len(f"word {number}"),
        sent_at=snowflake_time(number),
    )


class _Surface(Actor):
    def __init__(self, discord: PastDiscord) -> None:
        super().__init__()
        self._discord = discord

    def handle(self, message: Message) -> None:
        if (reply := self._discord.answer(message)) is not None:
            self.tell(message.reply_to, reply)  # type: ignore[attr-defined]  # those that are answered have it


class _Memory(Actor):
    def __init__(self, indexed: list[str]) -> None:
        super().__init__()
        self._indexed = indexed

    def handle(self, message: Message) -> None:
        assert isinstance(message, IndexLog)
        self._indexed.append(message.path)
        self.tell(message.reply_to, LogIndexed(request_id=message.request_id, added=1))


class World:
    """One data root, lives of the importer and its windows, and a Discord."""

    def __init__(self, root: Path, discord: PastDiscord, dies_at: int = 0) -> None:
        self.root, self.discord = root, discord
        self.steps, self.dies_at = 0, dies_at
        self.disk = RecordingDisk(before=lambda _call, _data: self._step())
        self.indexed: list[str] = []
        self.system: ActorSystem
        self.begin()

    def _step(self) -> None:
        self.steps += 1
        if self.steps == self.dies_at:
            raise Killed

    def begin(self) -> None:
        """A life of the process."""
        self.system = ActorSystem(workers=0, clock=ManualClock())
        context = ContextConfig(
            model=Address("model"),
            shell=Address("shell"),
            surface=SURFACE,
            workdir=lambda _window: "",
            attachments=lambda _window: "",
            contributors=(),
            referrers=(),
            subscribers=(),
        )

        def window(key: str) -> ContextActor:
            place = Window.from_key(key)
            return ContextActor(place, Journal(self.root, place, 1_000, self.disk), context)

        self.system.register(ActorSpec(SURFACE.kind, lambda _key: _Surface(self.discord)))
        self.system.register(ActorSpec(MEMORY.kind, lambda _key: _Memory(self.indexed)))
        self.system.register(ActorSpec(CONTEXT_KIND, window))
        importer = ActorSpec(
            IMPORTER.kind,
            lambda _key: ImporterActor(self.root, SURFACE, has_memory=True, disk=self.disk),
            is_eager=True,
        )
        self.system.register(importer)
        self.asker = self.system.edge("asker")
        self.system.start()

    def tell(self, message: Message) -> None:
        """Tell the importer, and let all come of it in so many seconds."""
        self.system.tell(IMPORTER, message)
        self.pass_time(0)

    def pass_time(self, seconds: float) -> None:
        """Let time pass, in steps of a page's pause."""
        clock = self.system.clock
        assert isinstance(clock, ManualClock)
        self.system.run()
        for _ in range(int(seconds * 10)):
            clock.advance(0.1)
            self.system.run()

    def start(self) -> None:
        """The operator has the past imported."""
        self.tell(StartImport(request_id=RequestId("s"), reply_to=self.asker.address, window=OPERATOR))

    def describe(self) -> ImportDescribed:
        """Progress as the importer tells it."""
        self.asker.drain()
        self.tell(DescribeImport(request_id=RequestId("d"), reply_to=self.asker.address, window=OPERATOR))
        (told,) = (each for each in self.asker.drain() if isinstance(each, ImportDescribed))
        return told

    def count_kept(self) -> Counter[int]:
        """Message -> number of events in logs."""
        logs = (parse(path.read_bytes()) for path in self.root.glob("logs/*/*/*.md"))
        events = (logged.event for log in logs for logged in log.events if logged.event.kind is Kind.USER)
        return Counter(int(str(event.meta_dict()["message_id"])) for event in events)

    def logs(self) -> set[str]:
        """Paths of the imported logs."""
        return {path.relative_to(self.root).as_posix() for path in self.root.glob("logs/*/*/imported-*.md")}
