from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from domain.workspace.files.memory_file import MEMORY_TEMPLATE, MemoryEntry, append_entries, entries_of
from domain.workspace.files.session_state import SessionState, rendered_session, update_session
from domain.workspace.workers.consolidation import parsed_consolidation
from domain.workspace.workers.prompts import Prompt, consolidate_prompt, session_prompt, sweep_prompt
from lab.bench.workspace.constraints import WORKS
from lab.bench.workspace.workers import CONSOLIDATE, FOLD, SESSION, SWEEP, ScriptedWorkers
from lab.chaos.lives.workspace import item_text, item_worker
from messages.base import TurnId
from messages.turn import SpokenTurn
from tests.lab.bench.workspace.requests import request

AT = datetime(2026, 1, 30, 12, tzinfo=UTC)
RULE = WORKS[0].constraints[0]


def turns_of(*texts: str) -> list[SpokenTurn]:
    """Turns with these texts."""
    return [
        SpokenTurn(
            turn_id=TurnId(f"t{place}"), path="logs/x.md", line=1, at=AT, author="Alice", text=text, answer="Yes."
        )
        for place, text in enumerate(texts)
    ]


def answer(workers: ScriptedWorkers, purpose: str, prompt: Prompt) -> str:
    """The model's answer to a worker's prompt."""
    return workers.answer(request(prompt[1], system=prompt[0], purpose=purpose))


@pytest.fixture
def workers() -> ScriptedWorkers:
    """Know every constraint."""
    return ScriptedWorkers(each for work in WORKS for each in work.constraints)


def test_the_state_of_the_work_has_the_constraints_that_were_said_or_noted(workers: ScriptedWorkers) -> None:
    spoken = turns_of(RULE.utterance, "Nice weather.")

    first = update_session(SessionState(), answer(workers, SESSION, session_prompt(b"", b"", spoken)), spoken)
    file = rendered_session(first, b"")
    second = update_session(
        first, answer(workers, SESSION, session_prompt(file, b"", turns_of("Nice."))), turns_of("Nice.")
    )

    assert first.constraints == second.constraints == (RULE.fact,)
    assert first.current_state != second.current_state


def test_what_is_filed_of_a_stretch_is_what_was_said_in_it_and_is_not_there_yet(workers: ScriptedWorkers) -> None:
    spoken = turns_of(RULE.utterance)

    consolidation = parsed_consolidation(
        answer(workers, CONSOLIDATE, consolidate_prompt(b"", b"", b"", spoken)), spoken
    )
    memory = append_entries(MEMORY_TEMPLATE, consolidation.entries, AT, "stretch")
    again = answer(workers, CONSOLIDATE, consolidate_prompt(b"", memory, b"", spoken))

    assert [entry.text for entry in consolidation.entries] == [RULE.fact]
    assert consolidation.history_block
    assert json.loads(again)["entries"] == []


def test_a_swept_list_has_every_bullet_once_below_its_heading(workers: ScriptedWorkers) -> None:
    entries = [MemoryEntry("Constraints", RULE.fact), MemoryEntry("Decisions", "Blue it is.")]
    memory = append_entries(
        append_entries(MEMORY_TEMPLATE, entries, AT, "one"), [MemoryEntry("Decisions", "Red is out.")], AT, "two"
    )

    swept = answer(workers, SWEEP, sweep_prompt(memory)).encode()

    assert [(entry.section, entry.text) for entry in entries_of(swept)] == [
        ("Constraints", RULE.fact),
        ("Decisions", "Blue it is."),
        ("Decisions", "Red is out."),
    ]


def test_items_are_filed_by_what_is_said_of_them_and_no_two_reports_are_alike() -> None:
    workers, spoken = item_worker("L7"), turns_of(item_text("L7", 1), item_text("L7", 2))
    prompt = consolidate_prompt(b"", b"", b"", spoken)

    consolidation = parsed_consolidation(answer(workers, CONSOLIDATE, prompt), spoken)
    other = json.loads(answer(workers, CONSOLIDATE, prompt))

    assert [entry.text for entry in consolidation.entries] == ["Item L7-1 is kept.", "Item L7-2 is kept."]
    assert other["history"] != consolidation.history_block
    assert answer(workers, FOLD, ("", "{}")) != answer(workers, FOLD, ("", "{}"))
    assert workers.purposes == [CONSOLIDATE, CONSOLIDATE, FOLD, FOLD]


def test_a_purpose_that_it_does_not_know_is_not_answered(workers: ScriptedWorkers) -> None:
    assert answer(workers, "workspace.other", ("", "no JSON at all")) == ""
