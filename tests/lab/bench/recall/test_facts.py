from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.bench.recall import facts as module
from lab.bench.recall import observations
from lab.bench.recall.data import Conversation, read
from lab.bench.recall.facts import FACTS, TURNS, WAYS, Way, block, evidence, kept
from lab.bench.recall.vectors import KeptVectors
from messages.facts import EntryRole
from tests.lab.bench.recall import conversations, recorded
from tests.lab.bench.recall.conversations import WordModel


def tiny(tmp_path: Path, name: str = "tiny") -> tuple[Conversation, dict[str, observations.Files]]:
    (tmp_path / "facts").mkdir()
    recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": name})
    return read(conversations.write(tmp_path)), observations.read(tmp_path / "facts")


def test_turns_are_kept_under_their_speakers_and_facts_when_their_last_turn_was_said(tmp_path: Path) -> None:
    conversation, files = tiny(tmp_path)
    entries = kept(conversation, files["tiny"])
    assert [entry.candidate.role for entry in entries] == [EntryRole.USER] * 6 + [EntryRole.MEMORY] * 3
    assert entries[3].candidate.content == "Ben: We booked the ferry to Tallinn."
    rooster = entries[7]
    assert rooster.candidate.content == "Ben did not sleep for the rooster."
    assert rooster.turns == {"t0", "t1"}
    assert rooster.candidate.created_at == conversation.turns[1].time
    assert all(entry.turns <= {turn.id for turn in conversation.turns} for entry in entries)


def test_a_block_brings_the_turns_of_what_is_near_within_its_room(tmp_path: Path) -> None:
    conversation, files = tiny(tmp_path)
    entries = kept(conversation, files["tiny"])
    vectors = np.eye(len(entries), dtype=np.float32)
    asked = (0.6 * vectors[3] + 0.8 * vectors[7]).astype(np.float32)

    def ids(roles: frozenset[EntryRole], chars: int = 4_000, newest: int | None = None, top_k: int = 9) -> set[str]:
        return block(entries, vectors, asked, conversation.now, Way(roles, top_k, chars, newest))[0]

    assert ids(TURNS | FACTS) == {"t0", "t1", "t3"}
    assert ids(TURNS) == {"t3"}
    assert ids(FACTS) == {"t0", "t1"}
    assert ids(TURNS | FACTS, top_k=1) == {"t0", "t1"}
    assert ids(TURNS | FACTS, chars=200) == {"t0", "t1"}
    assert ids(TURNS | FACTS, newest=4) == {"t3"}
    assert block(entries, vectors, -asked, conversation.now, WAYS["both"]) == (set(), 0)


def test_shares_are_means_over_questions_beside_the_default_memorys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "hybrid", lambda *_: [5])
    monkeypatch.setattr(module, "block", lambda *found: ({"t2"}, 7) if found[-1] is WAYS["facts"] else (set(), 0))
    conversation, files = tiny(tmp_path)
    told: list[str] = []
    figures = evidence([conversation], files, KeptVectors(WordModel(), None), told.append)
    assert told == ["tiny: 2 questions"]
    assert (figures["recall_questions"], figures["recall_memory"]) == (2, 0.25)
    assert (figures["recall_facts"], figures["recall_facts_chars"], figures["recall_both"]) == (0.5, 7, 0)
    assert (figures["recall_gain"], figures["recall_missing"]) == (-0.25, 0.25)
    assert figures["recall_memory_chars"] > 0


def test_facts_of_other_conversations_are_refused(tmp_path: Path) -> None:
    conversation, files = tiny(tmp_path, "another")
    with pytest.raises(ValueError, match="at least 2 are required"):
        evidence([conversation], files, KeptVectors(WordModel(), None), lambda _: None)
