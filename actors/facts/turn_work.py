"""Work after a turn: its facts are extracted, reconciled with the existing facts, and kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from actors.facts.asking import Ask, Steps
from actors.facts.config import FactsConfig
from actors.facts.store.journal import TICK, Change, Journal, Owed
from actors.facts.store.keeper import Keeper
from actors.facts.store.naming import fact_entry, turn_entries
from actors.facts.summaries import Prompting, Summaries
from actors.facts.turns import keep_texts
from actors.kernel import Host
from domain.facts.entry import Entry
from domain.facts.model_json import same_words
from domain.facts.prompts import UPDATE_MEMORY_PROMPT, extraction_prompt, reconciliation_text
from domain.facts.reconcile import Add, Decision, Delete, Existing, Update, decide, unknown_of
from domain.facts.several import facts_of_messages, find_source
from domain.policy.pacing import Balance
from messages.base import Address, Message, RequestId, Surface, Window
from messages.embedder import EmbedTexts, TextRole, TextsEmbedded
from messages.facts import EntryRole, FindRows, RowsFound
from messages.model import ChatMessage, ModelFailed, ModelReply, ModelRequest, Role

log = logging.getLogger(__name__)

NEIGHBOURS = 5
"""Facts for comparison with each new fact."""
MODEL_S = 1_800.0
MOST_CALLS = 2
"""Calls of one batch after which a summary waits, if the balance is overdrawn; the last changed turn stays owed."""


class LaterError(Exception):
    """A step failed temporarily; completed work stands."""

    def __init__(self, reason: str, *, is_permanent: bool = False, most: int = 0) -> None:
        """Create the error.

        Args:
            reason: For a person.
            is_permanent: True if the step fails until a setting changes.
            most: Number of messages that the model may be able to read at a time; 0 for unknown.
        """
        super().__init__(reason)
        self.is_permanent = is_permanent
        self.most = most


class ForgottenMeanwhileError(LaterError):
    """An entry was forgotten during a step, which may have used its words; the step is repeated without them."""


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Vectors of new facts, by text; without failed ones."""

    model: str
    by_text: dict[str, bytes]


class TurnWork:
    """Steps for one turn after another; several turns may be under way, but only a single turn of a conversation."""

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

    def steps(self, batch: Sequence[Owed], balance: Balance) -> Steps:
        """Do the work owed to turns of one conversation; an overdrawn balance puts off the summary.

        Args:
            batch: Turns, the oldest first.
            balance: Charged for each call of a model.

        Raises:
            LaterError: a model did not answer.
            OSError: an entry could not be kept.
        """
        conversation, ask, before = batch[0].conversation, self._prompting(batch, balance.charge), balance.calls
        with self._host.blocking():
            for owed in batch:
                keep_texts(self._keeper, owed)
                self._replace_answer(owed)
        vectors = _Vectors("", {})
        if any(owed.facts is None and owed.changes is None for owed in batch):
            yield from self._extract(batch, ask)
        undecided = [owed for owed in batch if owed.changes is None]
        if undecided:
            vectors = yield from self._reconcile(undecided, ask)
        for owed in batch:
            self._make(owed, vectors)
        changed = [owed for owed in self._still_owed(batch) if owed.changes and self._config.enable_summarization]
        puts_off = balance.calls < 0 and before - balance.calls >= MOST_CALLS
        if changed and not puts_off:
            yield from self._summaries.renew(conversation, self._host.now(), ask)
        with self._host.blocking():
            self.evict(conversation)
            for owed in batch:
                if not puts_off or owed not in changed[-1:]:
                    self.journal.finish(owed.turn)

    def evict(self, conversation: str) -> None:
        """Move a conversation's oldest facts and turns to the deleted entries, down to the limit.

        Raises:
            OSError: an entry may still be at the old path.
        """
        catalogue = self._keeper.catalogue
        over = catalogue.count(conversation) - self._config.max_entries
        if over > 0:
            roles = EntryRole.MEMORY, EntryRole.USER, EntryRole.ASSISTANT
            for item in catalogue.of(conversation, *roles)[:over]:
                self._keeper.bury(item)

    def _replace_answer(self, owed: Owed) -> None:
        """Bury the replaced answer of a turn."""
        if owed.replaces and owed.answer_text:
            self._keeper.bury_path(owed.replaces, turn_entries(owed.turn)[1])

    def _extract(self, batch: Sequence[Owed], ask: Prompting) -> Generator[tuple[Ask, ...], tuple[Message, ...], None]:
        """Have a model find the facts in the words of turns, and note the facts."""
        unread = [owed for owed in batch if owed.facts is None and owed.changes is None]
        turns = [owed for owed in unread if not owed.is_quiet]
        facts: dict[str, tuple[str, ...]] = {owed.turn: () for owed in unread}
        if turns:
            words, conversation = [owed.user_text for owed in turns], turns[0].conversation
            forgets = self._keeper.forgets[conversation]
            (answer,) = yield (ask("facts.extract", *extraction_prompt(words)),)
            if not isinstance(answer, ModelReply):
                is_permanent = isinstance(answer, ModelFailed) and answer.is_permanent
                raise LaterError(f"facts could not be extracted: {_reason(answer)}", is_permanent=is_permanent)
            if self._keeper.forgets[conversation] != forgets:
                raise ForgottenMeanwhileError("an entry was forgotten while facts were extracted")
            lists = facts_of_messages(answer.text, words)
            if lists is None and len(turns) > 1:
                reason = f"facts of {len(turns)} messages could not be extracted: the answer has no list"
                raise LaterError(reason, most=len(turns) // 2)
            facts |= {owed.turn: texts for owed, texts in zip(turns, lists or (), strict=False)}
        with self._host.blocking():
            self.journal.note_facts(facts)

    def _reconcile(
        self, batch: Sequence[Owed], ask: Prompting
    ) -> Generator[tuple[Ask, ...], tuple[Message, ...], _Vectors]:
        """Decide on the changes from the facts of turns, and note the changes; return the facts' vectors.

        Raises:
            LaterError: an entry was forgotten meanwhile; the decisions may hold its words.
        """
        vectors, conversation = _Vectors("", {}), batch[0].conversation
        forgets = self._keeper.forgets[conversation]
        facts = _distinct(owed.facts or () for owed in self._still_owed(batch))
        decisions: Sequence[Decision] = ()
        if facts:
            vectors = yield from self._embed(facts)
            existing = yield from self._neighbours(conversation, facts, vectors)
            fresh = unknown_of(facts, existing)
            reply: str | None = None
            if existing and fresh:
                (answer,) = yield (ask("facts.reconcile", UPDATE_MEMORY_PROMPT, reconciliation_text(existing, fresh)),)
                reply = answer.text if isinstance(answer, ModelReply) else None
            decisions = decide(reply, existing, facts) if fresh else ()
        if self._keeper.forgets[conversation] != forgets:
            raise ForgottenMeanwhileError("an entry was forgotten while facts were compared")
        with self._host.blocking():
            self.journal.note_changes(_changes(batch, decisions), self._host.now())
        return vectors

    def _still_owed(self, batch: Sequence[Owed]) -> list[Owed]:
        """Turns of the batch not forgotten meanwhile."""
        return [owed for owed in batch if owed.turn in self.journal.owed]

    def _embed(self, facts: Sequence[str]) -> Generator[tuple[Ask, ...], tuple[Message, ...], _Vectors]:
        message = partial(EmbedTexts, texts=tuple(facts), role=TextRole.DOCUMENT, deadline_s=30.0)
        (answer,) = yield (Ask(self._config.embedder, message),)
        if not isinstance(answer, TextsEmbedded) or len(answer.vectors) != len(facts):
            return _Vectors("", {})
        return _Vectors(answer.model, dict(zip(facts, answer.vectors, strict=True)))

    def _neighbours(
        self, conversation: str, facts: Sequence[str], vectors: _Vectors
    ) -> Generator[tuple[Ask, ...], tuple[Message, ...], list[Existing]]:
        """Facts near the new facts; without vectors, the newest facts."""
        scopes, roles = (conversation,), (EntryRole.MEMORY,)
        finding = partial(FindRows, model=vectors.model, scopes=scopes, roles=roles, per_scope=NEIGHBOURS)
        asks = [
            Ask(self._config.index, partial(finding, vector=vector))
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

    def _make(self, owed: Owed, vectors: _Vectors) -> None:
        """Make the decided changes; changes made before a crash are not repeated."""
        at = owed.decided_at or self._host.now()
        with self._host.blocking():
            for number, change in enumerate(owed.changes or () if owed.turn in self.journal.owed else ()):
                if change.new_id:
                    self._add(owed, change, at + number * TICK, vectors)
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

    def _prompting(self, batch: Sequence[Owed], charge: Callable[[], None]) -> Prompting:
        config = self._config
        model = config.model or next((owed.model for owed in reversed(batch) if owed.model), "")

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

            charge()
            return Ask(config.model_actor, message, MODEL_S)

        return ask


def _distinct(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Facts of several lists, in order, without exact duplicates."""
    return tuple({same_words(fact): fact for facts in lists for fact in facts}.values())


def _changes(batch: Sequence[Owed], decisions: Sequence[Decision]) -> dict[str, tuple[Change, ...]]:
    """Changes of each turn: a decision belongs to the turn with the facts nearest to its text."""
    changes: dict[str, list[Change]] = {owed.turn: [] for owed in batch}
    sources = ["\n".join(owed.facts or ()) for owed in batch]
    for decision in decisions:
        place = -1 if isinstance(decision, Delete) else find_source(decision.text, sources)
        turn = batch[place].turn
        new_id = fact_entry(turn, len(changes[turn]))
        match decision:
            case Add(text=text):
                changes[turn].append(Change(new_id=new_id, text=text))
            case Update(id=old, text=text):
                changes[turn].append(Change(old_id=old, new_id=new_id, text=text))
            case Delete(id=old):
                changes[turn].append(Change(old_id=old))
    return {turn: tuple(each) for turn, each in changes.items()}


def _reason(answer: Message) -> str:
    return str(getattr(answer, "reason", "there was no answer"))
