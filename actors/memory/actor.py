"""The memory: stores all messages, finds turns relevant to a new question, and explains the choice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePosixPath

from actors.kernel import Actor, Then, not_understood
from actors.memory.config import MemoryConfig
from actors.memory.recall.expansion import Expansions
from actors.memory.recall.links import MessageLinks
from actors.memory.recall.lookups import Lookup, Lookups, refusal
from actors.memory.recall.recall import Recall, vector_of
from actors.memory.search.search import Vector
from actors.memory.store import Store
from actors.memory.upkeep.backlog import Backlog
from actors.memory.upkeep.forgetting import Forgetting
from actors.memory.upkeep.giving_way import TurnsInHand
from actors.memory.upkeep.indexing import LogIndexing
from actors.memory.upkeep.upkeep import Upkeep
from domain.log.window import keeps_logs, parse_log_path
from domain.memory.remembered import entry_of_event
from domain.policy.known_readers import KnownReaders
from messages.base import Address, Message, RequestId, Surface, Window
from messages.context import RestoreRedactions
from messages.discord import ReadersChanged, ReadersListed, TellReaders
from messages.embedder import EmbeddingFailed, EmbedTexts, TextRole, TextsEmbedded
from messages.forget import ForgetDerived
from messages.memory import (
    DescribeMemory,
    EmbedMore,
    ExplainMemory,
    ForgetSlice,
    IndexLog,
    LookAfterIndex,
    MemoryDescribed,
    MemoryMessage,
    RebuildMemory,
    ReconcileDue,
    ReconcileSlice,
    SearchMemory,
    ServeLookup,
)
from messages.status import DescribeYourself, SelfDescription
from messages.turn import EventsLogged, ExpandReference, PrepareTurn, TurnContribution, TurnEnded


class MemoryActor(Actor):
    """Remembers every turn, and gives each new turn the few relevant turns.

    Turns are served at once; searches and expansions wait in a queue, a request at a time, the windows in turn.

    Owns: the index below `memory/` and the views below `views/`, both derived from the logs.
    Asks: the embedder, for the vector of every question and every turn.
    Crashes on: a defect. A locked, full, damaged or missing database is no crash: turns go on without memories, the
    operator is told once, and missed turns come from the logs.
    """

    def __init__(
        self,
        config: MemoryConfig,
        embedder: Address | None,
    ) -> None:
        """A memory at rest.

        Args:
            config: The operator's settings.
            embedder: Address of the embedder of the plan's space; None to find and store without vectors.
        """
        super().__init__()
        plan = config.plan
        self._plan = plan
        self._embedder = embedder
        self._query_timeout_s = config.query_timeout_s
        self._turns_waiting = 0
        """Turns waiting for the vector of their question."""
        self._lookups = Lookups(self.monotonic)
        self._expansions = Expansions(plan.data_root)
        self._turns = TurnsInHand(self)
        self._backlog = Backlog(self, lambda: self._upkeep.store(), embedder, plan, self._turns)
        self._surface = config.surface
        self._readers = KnownReaders()
        self._recall = Recall(plan.search, config.budget, MessageLinks(plan.data_root, self._readers))
        self._upkeep = Upkeep(
            self, plan, config.reconcile_every_s, self._readers, self._end_reconciling, self._backlog.drop
        )
        self._indexing = LogIndexing(self, self._upkeep, self._backlog, self._turns)
        self._forgetting = Forgetting(self, self._upkeep, self._backlog, self._recall.clear)

    def on_start(self) -> None:
        """Open the index; if impossible now, go on without an index and try again."""
        self._upkeep.guard(self._upkeep.open)
        if self._surface is not None:
            self.tell(self._surface, TellReaders(reply_to=self.address))

    def on_stop(self) -> None:
        """Refuse waiting requests, and close the index."""
        for request in self._lookups.clear():
            self.tell(request.reply_to, refusal(request, "the memory restarted; try again"))
        self._upkeep.close()

    def handle(self, message: MemoryMessage | ForgetDerived) -> None:
        """Act on `message`; trouble with the database is answered, never passed on."""
        if not self._upkeep.guard(lambda: self._dispatch(message)):
            self._answer_without(message)

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Take an answer of the embedder as `handle` takes a message."""
        self._upkeep.guard(lambda: then(answer))

    def _dispatch(self, message: MemoryMessage | ForgetDerived) -> None:
        match message:
            case PrepareTurn():
                self._turns.begin(message.turn_id)
                self._ask(message, message.text)
            case SearchMemory() | ExpandReference():
                self._take_lookup(message)
            case ServeLookup():
                self._serve_lookup(message.request_id)
            case ReadersListed() | ReadersChanged():
                self._learn_readers(message)
            case TurnEnded():
                self._turns.end(message.turn_id)
                self._take_in(message)
            case EventsLogged():
                self._take_in(message)
            case TextsEmbedded() | EmbeddingFailed():
                pass  # An answer behind its deadline, or one to an earlier life.
            case EmbedMore():
                self._backlog.go_on()
            case ExplainMemory():
                self._explain(message)
            case DescribeMemory():
                self._describe(message)
            case DescribeYourself():
                self._describe_myself(message)
            case RebuildMemory():
                self._rebuild(message)
            case IndexLog():
                self._indexing.index(message)
            case ReconcileSlice():
                self._upkeep.go_on_reconciling(message)
            case ReconcileDue():
                self._upkeep.begin_reconciling()
            case LookAfterIndex():
                self._upkeep.look_after()
            case ForgetDerived() | ForgetSlice():
                self._forgetting.work(message)
            case _:
                not_understood(message)

    # what is said

    def _take_in(self, message: TurnEnded | EventsLogged) -> None:
        window = message.window
        if not self._keeps(window):
            return
        entries = [
            entry
            for event in message.events
            if event.path
            and (
                entry := entry_of_event(
                    path=event.path,
                    line=event.line,
                    event_id=event.id,
                    kind=event.kind,
                    at=event.at,
                    text=event.text,
                    meta_json=event.meta_json,
                )
            )
        ]
        store = self._upkeep.store()
        with self.blocking():
            store.remember(window, entries)
            for path in {event.path for event in message.events}:
                store.show_log(path)
        self._backlog.go_on()

    def _keeps(self, window: Window) -> bool:
        """True if turns of a window are to be kept."""
        return not self._plan.read_only and keeps_logs(window.surface, window.id)

    def _learn_readers(self, message: ReadersListed | ReadersChanged) -> None:
        """Take in the readership, then let rows and views follow; the first works without an index as well."""
        changed = self._readers.learn(message.windows, is_all=isinstance(message, ReadersListed))
        if changed:
            store = self._upkeep.store()
            with self.blocking():
                store.readers_changed(changed)

    def _end_reconciling(self, store: Store) -> None:
        """Continue after a comparison with the logs, and have missing copies made."""
        self._backlog.go_on()
        self._forgetting.go_on()
        with self.blocking():
            windows = {parse_log_path(PurePosixPath(path))[0] for path in store.unredacted_logs()}
        for window in windows:
            self.tell(window.address, RestoreRedactions(window=window))

    # lookups

    def _take_lookup(self, request: Lookup) -> None:
        if reason := self._lookups.refusal(request):
            self.tell(request.reply_to, refusal(request, reason))
            return
        self._lookups.enter(request)
        self._begin_lookups()

    def _begin_lookups(self) -> None:
        """Begin the look-ups allowed now, after all messages for turns that have come meanwhile."""
        while (begun := self._lookups.begin()) is not None:
            request, reason = begun
            if reason:
                self._lookups.end(request.request_id)
                self.tell(request.reply_to, refusal(request, reason))
            else:
                self.tell(self.address, ServeLookup(request_id=request.request_id))

    def _serve_lookup(self, request_id: RequestId) -> None:
        request = self._lookups.get(request_id)
        if isinstance(request, SearchMemory):
            self._ask(request, request.query)
        elif request is not None:
            self._expand(request)

    def _end_lookup(self, request: Lookup, answer: Message) -> None:
        self._lookups.end(request.request_id)
        self.tell(request.reply_to, answer)
        self._begin_lookups()

    # questions

    def _ask(self, request: PrepareTurn | SearchMemory, text: str) -> None:
        """Have the question's vector made; everything else goes on meanwhile."""
        store = self._upkeep.store()
        if isinstance(request, PrepareTurn) and self._keeps(request.window):
            with self.blocking():
                store.open_view(request.window)
        is_bare = isinstance(request, PrepareTurn) and not store.has_any(
            request.window, request.visible, request.turn_id
        )
        if is_bare or not text.strip() or self._embedder is None:
            self._answer(request, None)
            return
        with self.blocking():
            embedded = store.embedded_question(text, request.window)
        make = partial(EmbedTexts, texts=(embedded,), role=TextRole.QUERY, deadline_s=self._query_timeout_s)
        is_turn = isinstance(request, PrepareTurn)

        def take_vector(reply: TextsEmbedded | EmbeddingFailed | None) -> None:
            self._turns_waiting -= is_turn
            self._answer(request, self._vector_in(reply))

        self._turns_waiting += is_turn
        self.ask(self._embedder, make, self._query_timeout_s, take_vector)

    def _vector_in(self, reply: TextsEmbedded | EmbeddingFailed | None) -> Vector | None:
        """Vector of a question; None for a reply without a sound vector."""
        if not isinstance(reply, TextsEmbedded) or reply.model != self._plan.space or len(reply.vectors) != 1:
            return None
        return vector_of(reply.vectors[0]) if self._backlog.is_sound(reply.vectors[0]) else None

    def _answer(self, request: PrepareTurn | SearchMemory, vector: Vector | None) -> None:
        if not self._upkeep.guard(lambda: self._answer_from_index(request, vector)):
            self._answer_without(request)

    def _answer_from_index(self, request: PrepareTurn | SearchMemory, vector: Vector | None) -> None:
        store = self._upkeep.store()
        began = self.monotonic()
        if isinstance(request, SearchMemory):
            with self.blocking():
                memories = self._recall.search(store, request, vector, self.now())
            self._end_lookup(request, memories)
            return
        with self.blocking():
            injected = self._recall.inject(store, request, vector, self.now())
        self.tell(request.reply_to, self._recall.contribution(injected, self.address))
        took_ms = round((self.monotonic() - began) * 1000, 3)
        self._recall.remember(replace(injected, took_ms=took_ms))

    def _answer_without(self, message: MemoryMessage | ForgetDerived) -> None:
        """Answer each request with an empty result or a refusal: replies go on."""
        reason = f"the memory is not available: {self._upkeep.state}"
        match message:
            case PrepareTurn():
                nothing = TurnContribution(request_id=message.request_id, contributor=str(self.address), block="")
                self.tell(message.reply_to, nothing)
            case ServeLookup() if (lookup := self._lookups.get(message.request_id)) is not None:
                self._end_lookup(lookup, refusal(lookup, reason))
            case SearchMemory() | ExpandReference():
                self._end_lookup(message, refusal(message, reason))
            case ExplainMemory() | RebuildMemory() | DescribeMemory() | IndexLog():
                self.tell(message.reply_to, refusal(message, reason))
            case DescribeYourself():
                trouble = (("state", self._upkeep.state),)
                description = SelfDescription(request_id=message.request_id, about=self.address.kind, figures=trouble)
                self.tell(message.reply_to, description)
            case _:
                return  # no caller waits; the text is in the logs

    def _expand(self, request: ExpandReference) -> None:
        store = self._upkeep.store()
        with self.blocking():
            answer = self._expansions.expand(store, request)
        if answer is None:
            self.tell(self.address, ServeLookup(request_id=request.request_id))
        else:
            self._recall.note_expanded(request.window, answer)
            self._end_lookup(request, answer)

    def _explain(self, request: ExplainMemory) -> None:
        """Explain a window's last block: one's own, or any for the operator."""
        is_operator = request.window.surface is Surface.CLI
        own = "" if is_operator else request.window.address.key
        if request.about and not is_operator and request.about != own:
            reason = f"about {request.about[:80]!r}: only the operator may ask about another window"
            self.tell(request.reply_to, refusal(request, reason))
            return
        store = self._upkeep.store()
        with self.blocking():
            explained = self._recall.explain(store, request, request.about or own)
        nothing = refusal(request, "no turn has been given memories since the start")
        self.tell(request.reply_to, explained or nothing)

    # counting, comparing with the logs

    def _describe(self, request: DescribeMemory) -> None:
        store = self._upkeep.store()
        with self.blocking():
            counts = store.index.counts()
            size = store.size_bytes()
            pins_here, pins_given = self._recall.pins(store, request.window)
        reconciled = store.index.note_of("reconciled_at")
        self.tell(
            request.reply_to,
            MemoryDescribed(
                request_id=request.request_id,
                rows=counts.rows,
                ok=counts.ok,
                pending=counts.pending,
                failed=counts.failed,
                set_aside=counts.set_aside,
                pins=counts.pins,
                windows=counts.windows,
                vectors=counts.vectors,
                space=self._plan.space,
                dimensions=self._plan.dimensions,
                index_bytes=size,
                reconciled_at=datetime.fromtimestamp(reconciled / 1000, UTC) if isinstance(reconciled, int) else None,
                damaged_logs=counts.damaged_logs,
                state=self._upkeep.state,
                pins_here=pins_here,
                pins_given=pins_given,
            ),
        )

    def _describe_myself(self, request: DescribeYourself) -> None:
        store = self._upkeep.store()
        with self.blocking():
            counts = store.index.counts()
        of_all_windows = (
            ("turns", counts.rows),
            ("embedded", counts.ok),
            ("pending", counts.pending),
            ("failed", counts.failed),
            ("set_aside", counts.set_aside),
            ("pins", counts.pins),
            ("damaged_logs", counts.damaged_logs),
            ("questions_waiting", len(self._lookups) + self._turns_waiting),
        )
        answer = SelfDescription(
            request_id=request.request_id,
            about=self.address.kind,
            figures=(("state", self._upkeep.state), ("space", self._plan.space)),
            operator_figures=of_all_windows,
        )
        self.tell(request.reply_to, answer)

    def _rebuild(self, request: RebuildMemory) -> None:
        if request.window.surface is not Surface.CLI:
            reason = f"window {request.window.address.key}: only the operator may rebuild the index"
            self.tell(request.reply_to, refusal(request, reason))
            return
        self._upkeep.store()
        self._backlog.drop()
        self._upkeep.rebuild(request)
