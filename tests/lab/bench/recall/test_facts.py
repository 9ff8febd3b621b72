from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.bench.recall import observations
from lab.bench.recall.data import Conversation, read
from lab.bench.recall.facts import WAYS, block, entries_of, evidence
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
    entries = entries_of(conversation, files["tiny"])
    assert [entry.candidate.role for entry in entries] == [EntryRole.USER] * 6 + [EntryRole.MEMORY] * 3
    assert entries[3].candidate.content == "Ben: We booked the ferry to Tallinn."
    rooster = entries[7]
    assert rooster.candidate.content == "Ben did not sleep for the rooster."
    assert rooster.turns == {"t0", "t1"}
    assert rooster.candidate.created_at == conversation.turns[1].time
    assert all(entry.turns <= {turn.id for turn in conversation.turns} for entry in entries)


def test_a_block_brings_the_turns_of_what_is_near_within_its_room(tmp_path: Path) -> None:
    conversation, files = tiny(tmp_path)
    entries = entries_of(conversation, files["tiny"])
    vectors = np.eye(len(entries), dtype=np.float32)
    vector = (0.6 * vectors[3] + 0.8 * vectors[7]).astype(np.float32)

    def ids(chars: int = 4_000, top_k: int = 9) -> set[str]:
        return block(entries, vectors, vector, conversation.now, top_k, chars)[0]

    assert ids() == {"t0", "t1", "t3"}
    assert ids(top_k=1) == {"t0", "t1"}
    assert ids(chars=200) == {"t0", "t1"}
    assert block(entries, vectors, -vector, conversation.now, 9, 4_000) == (set(), 0)


def test_shares_are_means_over_questions_beside_the_default_memorys(tmp_path: Path) -> None:
    conversation, files = tiny(tmp_path)
    progress: list[str] = []
    rows = evidence([conversation], files, KeptVectors(WordModel(), None), progress.append)
    assert progress == ["tiny: 2 questions"]
    assert [*rows] == [*WAYS]
    for row in rows.values():
        assert (row["questions"], row["gain"]) == (2, row["block"] - 1.0)  # the memory's block holds all evidence
        assert 0 < row["block"] <= 1
        assert row["chars"] > 0


def test_facts_of_other_conversations_are_refused(tmp_path: Path) -> None:
    conversation, files = tiny(tmp_path, "another")
    with pytest.raises(ValueError, match="at least 2 are required"):
        evidence([conversation], files, KeptVectors(WordModel(), None), lambda _: None)
