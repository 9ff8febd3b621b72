"""Summaries of a conversation: a level to fit the new material, made by a model, kept in files of three levels."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from datetime import datetime

from actors.facts.asking import Ask
from actors.facts.config import FactsConfig
from actors.facts.store.catalogue import Item
from actors.facts.store.keeper import Keeper
from actors.facts.store.naming import FINAL, summary_id
from domain.facts.entry import Entry
from domain.facts.folders import place_of
from domain.facts.levels import Level, chunks, groups, level_of, tokens_of
from domain.facts.prompts import level_prompt, summary_text
from messages.base import Message
from messages.facts import EntryRole
from messages.model import ModelReply

log = logging.getLogger(__name__)

AT_ONCE = 5
"""Parts of a text to summarise side by side."""

SummaryTexts = Generator[tuple[Ask, ...], tuple[Message, ...], list[str]]
Prompting = Callable[[str, str, str], Ask]
"""Makes a question for the model from its purpose, the prompt, and the text."""


class Summaries:
    """Maker of summaries; a failed attempt keeps the old summary."""

    def __init__(self, config: FactsConfig, keeper: Keeper) -> None:
        """Nothing is summarised yet.

        Args:
            config: Says if summaries are on, and the kind of text.
            keeper: Reads and keeps entries.
        """
        self._config = config
        self._keeper = keeper

    def renew(
        self, conversation: str, now: datetime, ask: Prompting
    ) -> Generator[tuple[Ask, ...], tuple[Message, ...], bool]:
        """Take the material after a conversation's summary into the summary; True if all went well.

        Args:
            conversation: Conversation to summarise.
            now: Time up to which material counts, aware UTC; a later fact is for the next time.
            ask: Makes a question for the model.
        """
        previous, facts = self._material(conversation)
        forgets = self._keeper.forgets[conversation]
        text = summary_text(previous, facts)
        tokens = tokens_of("\n".join((previous, *facts)).strip())
        level = level_of(tokens) if facts else Level.NONE
        if level is Level.NONE:
            return True
        parts: dict[str, list[str]] = {"L1": [], "L2": [], FINAL: []}
        body = text
        if level in (Level.DETAILED, Level.HIERARCHICAL):
            parts["L1"] = yield from self._all(level, "chunk", chunks("\n".join((previous, *facts)).strip()), ask)
            body = "\n\n".join(parts["L1"])
            if not body:
                return False
        if level is Level.HIERARCHICAL:
            joined = ["\n\n".join(group) for group in groups(parts["L1"])]
            parts["L2"] = yield from self._all(level, "meta", joined, ask)
            body = "\n\n".join(parts["L2"])
            if not body:
                return False
        parts[FINAL] = yield from self._all(level, "final", [body], ask, is_rolling=bool(previous))
        if not parts[FINAL] or self._keeper.forgets[conversation] != forgets:
            return False
        self._keep(conversation, level, parts, tokens, now)
        return True

    def _material(self, conversation: str) -> tuple[str, list[str]]:
        """Existing summary, and the later facts."""
        catalogue = self._keeper.catalogue
        final = catalogue.final_summary(conversation)
        before = self._keeper.read(final) if final is not None else None
        since = before.created_at if before is not None else None
        fresh = [
            item for item in catalogue.of(conversation, EntryRole.MEMORY) if since is None or item.created_at > since
        ]
        facts = [entry.content for item in fresh if (entry := self._keeper.read(item)) is not None]
        return before.content if before is not None else "", facts

    def _all(
        self, level: Level, stage: str, texts: Sequence[str], ask: Prompting, *, is_rolling: bool = False
    ) -> SummaryTexts:
        """Model's summaries of the texts, in order; empty if any text fails."""
        summaries: list[str] = []
        prompt = level_prompt(level, stage, self._config.content_type, is_rolling=is_rolling)
        for at in range(0, len(texts), AT_ONCE):
            asks = [ask(f"facts.summarize:{level.value}", prompt, text) for text in texts[at : at + AT_ONCE]]
            answers = yield tuple(asks)
            for answer in answers:
                if not isinstance(answer, ModelReply) or not answer.text.strip():
                    log.warning("a summary stays as it was: %s", getattr(answer, "reason", "the model said nothing"))
                    return []
                summaries.append(answer.text.strip())
        return summaries

    def _keep(self, conversation: str, level: Level, parts: dict[str, list[str]], tokens: int, at: datetime) -> None:
        paths: set[str] = set()
        for kind, texts in parts.items():
            for number, text in enumerate(texts):
                count = tokens_of(text)
                metrics = {
                    "level": level.value,
                    "input_tokens": tokens,
                    "output_tokens": count,
                    "compression_ratio": round(count / tokens, 4),
                }
                entry = Entry(
                    id=summary_id(conversation, kind, number),
                    role=EntryRole.SUMMARY,
                    conversation=conversation,
                    created_at=at,
                    content=text,
                    summary_kind=kind if kind == FINAL else f"{kind}_{number}",
                    extra=metrics,
                )
                paths.add(self._keeper.add_summary(conversation, kind, number, entry).path)
        for item in self._left_over(conversation, paths):
            self._keeper.bury(item)

    def _left_over(self, conversation: str, paths: set[str]) -> list[Item]:
        """Parts of an earlier summary that are missing in this summary."""
        items = self._keeper.catalogue.summaries(conversation)
        return [item for path, item in items.items() if path not in paths and place_of(path) is not None]
