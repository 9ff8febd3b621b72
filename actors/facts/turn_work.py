"""Work that a turn makes: its facts are extracted, reconciled with those that there are, and kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from actors.facts.asking import Ask, Steps
from actors.facts.config import FactsConfig
from actors.facts.store.journal import Change, Journal, Owed
from actors.facts.store.keeper import Keeper
from actors.facts.store.naming import fact_entry, turn_entries
from actors.facts.summaries import Prompting, Summaries
from actors.facts.turns import keep_texts
from actors.kernel import Host
from domain.facts.entry import Entry
from domain.facts.model_json import facts_of
from domain.facts.prompts import FACT_SYSTEM_PROMPT, UPDATE_MEMORY_PROMPT, extraction_text, reconciliation_text
from domain.facts.quiet import says_nothing
from domain.facts.reconcile import Add, Delete, Existing, Update, decide, unknown_of
from messages.base import Address, Message, RequestId, Surface, Window
from messages.embedder import EmbedTexts, TextRole, TextsEmbedded
from messages.facts import EntryRole, FindRows, RowsFound
from messages.model import ChatMessage, ModelReply, ModelRequest, Role

log = logging.getLogger(__name__)

NEIGHBOURS = 5
"""Facts that each new one is compared with."""
MODEL_S = 1_800.0
_TICK = timedelta(microseconds=1)


class LaterError(Exception):
    """A step that failed in a way that may pass; what was done until then stands."""


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Vectors of new facts, by their text; none where they could not be made."""

    model: str
    by_text: dict[str, bytes]


class TurnWork:
    """Steps for one turn after another; several turns may be under way, of one conversation one."""

    def __init__(self, host: Host, config: FactsConfig, keeper: Keeper, journal: Journal) -> None:
        """Nothing is under way.

        Args:
            host: The actor.
            config: Addresses to ask, and the bounds.
            keeper: Keeps facts.
            journal: Notes each step.
        """
        self._host = host
        self._config = config
        self._keeper = keeper
        self.journal = journal
        self._summaries = Summaries(config, keeper)

    def steps(self, owed: Owed) -> Steps:
        """All that a turn is owed and has not got.

        Raises:
            LaterError: a model did not answer.
            OSError: something could not be kept.
        """
        with self._host.blocking():
            keep_texts(self._keeper, owed)
        if owed.changes is None:
            facts = owed.facts
            if facts is None:
                facts = yield from self._extract(owed)
            yield from self._reconcile(owed, facts)
        else:
            self._make(owed, _Vectors("", {}))
        if self._config.enable_summarization and owed.changes:
            yield from self._summaries.renew(owed.conversation, self._host.now(), self._prompting(owed))
        with self._host.blocking():
            self.evict(owed.conversation)
            self.journal.finish(owed.turn)

    def evict(self, conversation: str) -> None:
        """Move a conversation's oldest facts and turns to the deleted ones, as far as there are too many.

        Raises:
            OSError: an entry may still be at its old path.
        """
        catalogue = self._keeper.catalogue
        over = catalogue.count(conversation) - self._config.max_entries
        if over > 0:
            roles = EntryRole.MEMORY, EntryRole.USER, EntryRole.ASSISTANT
            for item in catalogue.of(conversation, *roles)[:over]:
                self._keeper.bury(item)

    def _extract(self, owed: Owed) -> Generator[tuple[Ask, ...], tuple[Message, ...], tuple[str, ...]]:
        facts: tuple[str, ...] = ()
        if not says_nothing(owed.user_text):
            ask = self._prompting(owed)
            (answer,) = yield (ask("facts.extract", FACT_SYSTEM_PROMPT, extraction_text(owed.user_text)),)
            if not isinstance(answer, ModelReply):
                raise LaterError(f"facts could not be extracted: {_reason(answer)}")
            facts = facts_of(answer.text)
        with self._host.blocking():
            self.journal.note_facts(owed.turn, facts)
        return facts

    def _reconcile(self, owed: Owed, facts: Sequence[str]) -> Generator[tuple[Ask, ...], tuple[Message, ...], None]:
        vectors = _Vectors("", {})
        changes: tuple[Change, ...] = ()
        if facts:
            vectors = yield from self._embed(facts)
            existing = yield from self._neighbours(owed.conversation, facts, vectors)
            fresh = unknown_of(facts, existing)
            reply: str | None = None
            if existing and fresh:
                ask = self._prompting(owed)
                text = reconciliation_text(existing, fresh)
                (answer,) = yield (ask("facts.reconcile", UPDATE_MEMORY_PROMPT, text),)
                reply = answer.text if isinstance(answer, ModelReply) else None
            changes = self._changes(owed, reply, existing, fresh)
        with self._host.blocking():
            self.journal.note_changes(owed.turn, changes, self._host.now())
        self._make(owed, vectors)

    def _embed(self, facts: Sequence[str]) -> Generator[tuple[Ask, ...], tuple[Message, ...], _Vectors]:
        def message(request_id: RequestId, reply_to: Address) -> EmbedTexts:
            return EmbedTexts(
                request_id=request_id, reply_to=reply_to, texts=tuple(facts), role=TextRole.DOCUMENT, deadline_s=30.0
            )

        (answer,) = yield (Ask(self._config.embedder, message),)
        if not isinstance(answer, TextsEmbedded) or len(answer.vectors) != len(facts):
            return _Vectors("", {})
        return _Vectors(answer.model, dict(zip(facts, answer.vectors, strict=True)))

    def _neighbours(
        self, conversation: str, facts: Sequence[str], vectors: _Vectors
    ) -> Generator[tuple[Ask, ...], tuple[Message, ...], list[Existing]]:
        """Facts near the new facts; without vectors, the newest facts."""
        asks = [
            Ask(self._config.index, _finding(conversation, vectors.model, vector))
            for fact in facts
            if (vector := vectors.by_text.get(fact))
        ]
        answers = (yield tuple(asks)) if asks else ()
        if asks and all(isinstance(answer, RowsFound) for answer in answers):
            rows = [row for answer in answers if isinstance(answer, RowsFound) for row in answer.rows]
            near = {row.id: row.content for row in rows if self._keeper.catalogue.get(row.id) is not None}
            return [Existing(each, content) for each, content in near.items()]
        with self._host.blocking():
            newest = self._keeper.catalogue.of(conversation, EntryRole.MEMORY)[-2 * NEIGHBOURS :]
            read = [(item.id, self._keeper.read(item)) for item in newest]
        return [Existing(each, entry.content) for each, entry in read if entry is not None]

    def _changes(
        self, owed: Owed, reply: str | None, existing: Sequence[Existing], fresh: Sequence[str]
    ) -> tuple[Change, ...]:
        changes: list[Change] = []
        for number, decision in enumerate(decide(reply, existing, fresh) if fresh else ()):
            new_id = fact_entry(owed.turn, number)
            match decision:
                case Add(text=text):
                    changes.append(Change(new_id=new_id, text=text))
                case Update(id=old, text=text):
                    changes.append(Change(old_id=old, new_id=new_id, text=text))
                case Delete(id=old):
                    changes.append(Change(old_id=old))
        return tuple(changes)

    def _make(self, owed: Owed, vectors: _Vectors) -> None:
        """Make the changes that are decided; those that were made before a crash are not made twice."""
        at = owed.decided_at or self._host.now()
        with self._host.blocking():
            for number, change in enumerate(owed.changes or ()):
                if change.new_id:
                    self._add(owed, change, at + number * _TICK, vectors)
                if change.old_id and (item := self._keeper.catalogue.get(change.old_id)) is not None:
                    self._keeper.bury(item, change.new_id)

    def _add(self, owed: Owed, change: Change, at: datetime, vectors: _Vectors) -> None:
        entry = Entry(
            id=change.new_id,
            role=EntryRole.MEMORY,
            conversation=owed.conversation,
            created_at=at,
            content=change.text,
            source_id=turn_entries(owed.turn)[0],
        )
        if self._keeper.has_been(entry):
            return
        self._keeper.add(entry, vector=vectors.by_text.get(change.text, b""), model=vectors.model)

    def _prompting(self, owed: Owed) -> Prompting:
        config = self._config
        model = config.model or owed.model

        def ask(purpose: str, prompt: str, text: str) -> Ask:
            def message(request_id: RequestId, reply_to: Address) -> ModelRequest:
                return ModelRequest(
                    request_id=request_id,
                    reply_to=reply_to,
                    window=Window(surface=Surface.CLI, id=request_id),
                    system_prompt=prompt,
                    messages=(ChatMessage(role=Role.USER, text=text),),
                    tools=(),
                    model=model,
                    purpose=purpose,
                    api_base=config.api_base,
                    key_name=config.key_name,
                )

            return Ask(config.model_actor, message, MODEL_S)

        return ask


def _finding(conversation: str, model: str, vector: bytes) -> Callable[[RequestId, Address], FindRows]:
    def message(request_id: RequestId, reply_to: Address) -> FindRows:
        return FindRows(
            request_id=request_id,
            reply_to=reply_to,
            model=model,
            vector=vector,
            scopes=(conversation,),
            roles=(EntryRole.MEMORY,),
            per_scope=NEIGHBOURS,
        )

    return message


def _reason(answer: Message) -> str:
    return str(getattr(answer, "reason", "there was no answer"))
