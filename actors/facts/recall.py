"""FactRecallActor: entries for a question, for a waiting request; reads by way of the index alone."""

from __future__ import annotations

import logging
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial

from actors.facts.asking import Ask, Asking, Steps
from actors.facts.config import FactsConfig
from actors.facts.store.naming import FINAL, summary_id, turn_entries
from actors.kernel import Actor, not_understood
from domain.facts.injection import Line, Seen, block_of
from domain.facts.model_json import same_words
from domain.facts.scoring import Candidate, Ranked, rank, relevance_of, sigmoid
from messages.base import Message, flaw_of
from messages.embedder import (
    EmbeddingFailed,
    EmbedTexts,
    RerankFailed,
    RerankTexts,
    TextRole,
    TextsEmbedded,
    TextsReranked,
)
from messages.facts import (
    FACTS,
    EntriesFound,
    EntriesRecalled,
    EntryRole,
    FactHit,
    FetchRows,
    FindRows,
    FoundRow,
    RecallCommand,
    RecallEntries,
    RowsFetched,
    RowsFound,
    SearchEntries,
    SpaceSeen,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

FOUND_ROLES = (EntryRole.MEMORY, EntryRole.USER, EntryRole.ASSISTANT)
DENSITY = 3
"""Candidates of each scope for each requested entry."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search."""

    hits: tuple[FactHit, ...]
    note: str


RecallAnswer = TextsEmbedded | EmbeddingFailed | RowsFound | RowsFetched | TextsReranked | RerankFailed | Refused
"""Replies that the actor handles."""


class FactRecallActor(Actor):
    """Reader of the facts: embeds a question once, then finds, judges and words the entries for the question.

    Owns: no file.
    Asks: the embedder, the index, the reranker. If an actor does not answer in time or refuses, the result comes with a
    note and without the actor's contribution.
    Crashes on: its own faults; questions from before a crash are lost, and their askers' deadlines pass.
    """

    def __init__(self, config: FactsConfig) -> None:
        super().__init__()
        self._config = config
        self._asking = Asking(self)
        self._space = ""
        self._recalls = 0
        self._failures = 0

    def handle(self, message: RecallCommand | RecallAnswer | DescribeYourself) -> None:
        """Take a question, or an answer to our question."""
        match message:
            case RecallEntries() | SearchEntries() if flaw := flaw_of(message):
                self.tell(message.reply_to, Refused(request_id=message.request_id, reason=flaw))
            case RecallEntries():
                self._recalls += 1
                self._asking.begin(self._recall(message))
            case SearchEntries():
                self._asking.begin(self._search(message))
            case TextsEmbedded() | EmbeddingFailed() | RowsFound() | RowsFetched() | Refused():
                pass  # An answer behind its deadline.
            case TextsReranked() | RerankFailed():
                pass
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case _:
                not_understood(message)

    def _recall(self, request: RecallEntries) -> Steps:
        config = self._config
        final = summary_id(request.conversation, FINAL)
        fetching = Ask(config.index, partial(FetchRows, ids=(final,)))
        answers = yield (fetching, *self._embedding(request.question))
        rows = answers[0].rows if isinstance(answers[0], RowsFetched) else ()
        seen = Seen(request.seen)
        summary = next((row.content for row in rows if not seen.has(row.content)), "")
        result = yield from self._search_rows(request, answers[1:], request.seen, request.turn_id)
        lines = [Line(hit.role.value, hit.content) for hit in result.hits]
        self._failures += bool(result.note)
        block, count = block_of(summary, lines, config.inject_chars)
        answer = EntriesRecalled(
            request_id=request.request_id,
            block=block,
            hits=result.hits[:count],
            summary=summary,
            note=result.note,
        )
        self.tell(request.reply_to, answer)

    def _search(self, request: SearchEntries) -> Steps:
        answers = yield self._embedding(request.question)
        result = yield from self._search_rows(request, answers, (), "")
        self.tell(request.reply_to, EntriesFound(request_id=request.request_id, hits=result.hits, note=result.note))

    def _embedding(self, question: str) -> tuple[Ask, ...]:
        """The question's vector is asked for once; not for a question without words."""
        if not question.strip():
            return ()
        deadline_s = self._config.read_deadline_s
        message = partial(EmbedTexts, texts=(question,), role=TextRole.QUERY, deadline_s=deadline_s)
        return (Ask(self._config.embedder, message, deadline_s + 1),)

    def _search_rows(
        self,
        request: RecallEntries | SearchEntries,
        embedded: tuple[Message, ...],
        entry_ids: tuple[str, ...],
        turn_id: str,
    ) -> Generator[tuple[Ask, ...], tuple[Message, ...], SearchResult]:
        top_k = self._config.default_top_k if request.top_k is None else request.top_k
        if not embedded or not top_k:
            return SearchResult((), "")
        (vectors,) = embedded
        if not isinstance(vectors, TextsEmbedded) or not vectors.vectors or not vectors.vectors[0]:
            return SearchResult((), f"the question could not be embedded: {_reason(vectors)}")
        self._see_space(vectors.model)
        finding = partial(
            FindRows,
            model=vectors.model,
            vector=vectors.vectors[0],
            scopes=tuple(dict.fromkeys((request.conversation, request.shared))),
            roles=FOUND_ROLES,
            per_scope=top_k * DENSITY,
            without=turn_entries(turn_id) if turn_id else (),
        )
        (rows,) = yield (Ask(self._config.index, finding),)
        if not isinstance(rows, RowsFound):
            return SearchResult((), f"the index could not be asked: {_reason(rows)}")
        seen = Seen(entry_ids)
        apart = {same_words(row.content): row for row in reversed(rows.rows) if not seen.has(row.content)}
        fresh = list(reversed(apart.values()))
        relevance, note = yield from self._relevance(request.question, fresh)
        candidates = [_candidate(row, value) for row, value in zip(fresh, relevance, strict=True)]
        ranked = rank(
            candidates,
            self.now(),
            top_k=top_k,
            threshold=_choice(request, "score_threshold", self._config.score_threshold),
            recency_weight=_choice(request, "recency_weight", self._config.recency_weight),
            mmr_lambda=self._config.mmr_lambda,
        )
        return SearchResult(tuple(_hit(each) for each in ranked), note)

    def _relevance(
        self, question: str, rows: list[FoundRow]
    ) -> Generator[tuple[Ask, ...], tuple[Message, ...], tuple[list[float], str]]:
        """Relevance of each row to the question, in [0, 1], and a note."""
        plain = [relevance_of(row.cosine) for row in rows]
        if not rows or not self._config.reranks:
            return plain, ""
        texts, deadline_s = tuple(row.content for row in rows), self._config.read_deadline_s
        message = partial(RerankTexts, query=question, texts=texts, deadline_s=deadline_s)
        (answer,) = yield (Ask(self._config.reranker, message, deadline_s + 1),)
        if not isinstance(answer, TextsReranked) or len(answer.scores) != len(rows):
            return plain, f"judged by the vectors alone: {_reason(answer)}"
        return [sigmoid(score) if answer.are_logits else score for score in answer.scores], ""

    def _see_space(self, model: str) -> None:
        if model != self._space:
            self._space = model
            self.tell(FACTS, SpaceSeen(model=model))

    def _description(self, message: DescribeYourself) -> SelfDescription:
        figures = (("recalls", self._recalls), ("recalls_with_less", self._failures), ("asking", len(self._asking)))
        return SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures)


def _candidate(row: FoundRow, relevance: float) -> Candidate:
    return Candidate(
        id=row.id,
        role=row.role,
        conversation=row.conversation,
        content=row.content,
        created_at=row.created_at,
        vector=row.vector,
        relevance=relevance,
    )


def _hit(ranked: Ranked) -> FactHit:
    each = ranked.candidate
    return FactHit(
        id=each.id,
        role=each.role,
        conversation=each.conversation,
        content=each.content,
        created_at=each.created_at,
        relevance=each.relevance,
        recency=ranked.recency,
        score=ranked.score,
    )


def _reason(answer: Message) -> str:
    return str(getattr(answer, "reason", "it gave nothing"))


def _choice(request: RecallEntries | SearchEntries, name: str, default: float) -> float:
    """Number in a request, else the setting's."""
    value = getattr(request, name, None)
    return default if value is None else float(value)
