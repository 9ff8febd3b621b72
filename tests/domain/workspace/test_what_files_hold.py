"""What each of a window's files holds, and what a worker's answer may make of it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.workspace.files.history_file import HISTORY_TEMPLATE, appended_block, archived, fold_is_due, folded, folding
from domain.workspace.files.memory_file import (
    MEMORY_TEMPLATE,
    SECTIONS,
    MemoryEntry,
    appended,
    entries_of,
    sweep_is_due,
    swept,
)
from domain.workspace.files.session_state import (
    LONGEST_SESSION,
    MOST_ITEMS,
    SESSION_TEMPLATE,
    TITLES,
    is_active,
    parsed_session,
    refreshed,
    updated,
)
from domain.workspace.workers.consolidation import parsed_consolidation
from messages.base import TurnId
from messages.turn import SpokenTurn

AT = datetime(2026, 11, 22, 16, 20, tzinfo=UTC)
WORDS = "Please see to it that the second kiln is fired only when Mona has looked at the shelves and signed the sheet."


def turn(text: str = WORDS, answer: str = "I will.", *results: str) -> SpokenTurn:
    return SpokenTurn(
        turn_id=TurnId("t1"), path="logs/a.md", line=3, at=AT, author="Ann", text=text, answer=answer, results=results
    )


def session_answer(**fields: Any) -> str:
    return json.dumps({"title": "Kilns", **{name: [] for name in TITLES if name != "title"}, **fields})


def consolidated(*entries: dict[str, Any], history: str = "The kiln was planned.", memory: bytes = b"") -> Any:
    return parsed_consolidation(json.dumps({"entries": entries, "history": history}), [turn()], memory)


def entry(section: str, text: str, confidence: float = 0.9) -> dict[str, Any]:
    return {"section": section, "text": text, "confidence": confidence}


@pytest.mark.req("S4-09", "S4-25", "S4-26", "S4-27", "S4-28", "S4-35", "S4-43", "S4-44", "S4-45")
@pytest.mark.req("S4-46", "S4-47")
def test_a_session_has_a_section_for_each_side_of_the_work() -> None:
    headings = re.findall(r"^# (.+)$", SESSION_TEMPLATE.decode(), re.MULTILINE)
    assert headings == [*TITLES.values()]
    said = {
        "user_intent": ["Fire the second kiln"],
        "current_state": ["Shelves are in"],
        "active_files": ["plan.md"],
        "constraints": ["Ask Mona first"],
        "errors": ["Cone 6 was too hot"],
        "next_steps": ["Wait for Mona"],
    }
    state = updated(parsed_session(SESSION_TEMPLATE), session_answer(**said))
    text = refreshed(SESSION_TEMPLATE, state, SESSION_TEMPLATE)
    there = parsed_session(text)
    assert all(list(there.items_of(name)) == texts for name, texts in said.items())
    assert is_active(there)
    assert not is_active(parsed_session(SESSION_TEMPLATE))


@pytest.mark.req("S4-48")
def test_a_session_that_repeats_what_was_said_is_refused() -> None:
    with pytest.raises(ValueError, match="word for word"):
        updated(parsed_session(b""), session_answer(current_state=[WORDS]), [turn()])


@pytest.mark.req("S4-49", "S4-157")
def test_what_memory_has_does_not_stand_in_the_session_too() -> None:
    answer = session_answer(constraints=["Ask Mona first", "Gas is dear"])
    state = updated(parsed_session(b""), answer, known=["ask mona first"])
    assert state.constraints == ("Gas is dear",)


@pytest.mark.req("S4-50", "S4-84")
def test_a_session_has_a_bound_that_its_constraints_are_the_last_to_meet() -> None:
    many = [f"{number} {'long words ' * 40}" for number in range(14)]
    fields = {name: many for name in TITLES if name not in ("title", "constraints")}
    state = updated(parsed_session(b""), session_answer(**fields, constraints=["Ask Mona first"]))
    text = refreshed(b"", state, b"").decode()
    assert len(text) < LONGEST_SESSION + 2_000
    assert len(parsed_session(text.encode()).next_steps) <= MOST_ITEMS
    assert "Ask Mona first" in text


@pytest.mark.req("S4-24", "S4-90", "S4-87")
def test_what_is_stale_leaves_the_session_and_what_is_settled_only_when_it_is_named() -> None:
    before = parsed_session(b"# Current State\n- Loading\n\n# Constraints\n- No gas\n- Ask Mona\n")
    state = updated(before, session_answer(current_state=["Firing"], resolved=["No gas"]))
    assert (state.current_state, state.constraints) == (("Firing",), ("Ask Mona",))


@pytest.mark.req("S4-40", "S4-184")
def test_an_answer_that_is_no_session_is_refused(subtests: pytest.Subtests) -> None:
    for answer in ["", "{", "I am sorry.", '{"title": 3}', "[]", '{"title": "a"}']:
        with subtests.test(answer=answer), pytest.raises(ValueError, match="must"):
            updated(parsed_session(b""), answer)


@pytest.mark.req("S4-184")
def test_json_is_found_among_other_words(subtests: pytest.Subtests) -> None:
    for frame in ["{}", "Here it is:\n```json\n{}\n```\nDone.", "<think>hm {{}}</think>\n{}", "Sure! {} ok"]:
        with subtests.test(frame=frame):
            answer = frame.replace("{}", session_answer(next_steps=["Go"]), 1) if "think" not in frame else None
            answer = answer or f"<think>hm</think>\n{session_answer(next_steps=['Go'])}"
            assert updated(parsed_session(b""), answer).next_steps == ("Go",)


@pytest.mark.req("S4-22", "S4-36", "S4-53", "S4-54", "S4-55", "S4-56", "S4-144", "S4-147", "S4-150")
@pytest.mark.req("S4-152", "S4-163")
def test_memory_has_six_sections_and_each_kind_of_fact_goes_to_its_own() -> None:
    headings = re.findall(r"^## (.+)$", MEMORY_TEMPLATE.decode(), re.MULTILINE)
    assert headings == [*SECTIONS]
    assert headings == [
        *("Identity / Participants", "Preferences", "Ongoing Work", "Constraints", "Decisions", "Open Loops")
    ]
    found = consolidated(*(entry(section, f"Something about {section}") for section in SECTIONS))
    data = appended(MEMORY_TEMPLATE, found.entries, AT, "stretch")
    assert [each.section for each in entries_of(data)] == [*SECTIONS]


@pytest.mark.req("S4-23", "S4-60", "S4-101", "S4-141", "S4-153", "S4-159", "S4-109", "S4-102", "S4-125")
def test_what_is_added_stands_behind_all_that_is_there_whoever_wrote_it() -> None:
    own = MEMORY_TEMPLATE + b"\r\n## Mine\r\n- by hand  \r\n"
    data = appended(own, [MemoryEntry("Decisions", "Cone 6")], AT, "stretch")
    assert data.startswith(own)
    assert data[len(own) :].decode().split()[:3] == ["##", "Update", "2026-11-22T16:20:00Z"]


@pytest.mark.req("S4-149")
def test_nothing_is_added_twice_not_even_after_a_crash() -> None:
    first = appended(MEMORY_TEMPLATE, [MemoryEntry("Decisions", "Cone 6")], AT, "stretch")
    assert appended(first, [MemoryEntry("Decisions", "Cone 6")], AT, "stretch") == first
    assert appended(first, [MemoryEntry("Preferences", "cone 6")], AT, "another") == first
    assert consolidated(entry("Decisions", "Cone 6"), memory=first).entries == ()


@pytest.mark.req("S4-57", "S4-58", "S4-59", "S4-108", "S4-148")
def test_what_is_unsure_secret_long_or_copied_does_not_get_into_memory() -> None:
    bad = (
        entry("Decisions", "Perhaps cone 6", 0.5),
        entry("Current State", "Loading the kiln"),
        entry("Decisions", "x" * 301),
        entry("Decisions", WORDS),
        entry("Decisions", "The key is AKIAIOSFODNN7EXAMPLE"),
        entry("Decisions", "<!-- hidden -->"),
    )
    found = consolidated(*bad, entry("Preferences", "Tea in the morning"))
    assert [each.text for each in found.entries] == ["Tea in the morning"]
    assert len(found.dropped) == len(bad)


@pytest.mark.req("S4-61", "S4-91", "S4-103", "S4-154", "S4-162", "X-103")
def test_a_sweep_takes_out_what_is_double_or_untrue_and_never_most_of_it() -> None:
    data = MEMORY_TEMPLATE
    for number, text in enumerate(("Tea is liked", "Tea is very much liked", "Kiln 1 is broken", "Kiln 1 is repaired")):
        assert not sweep_is_due(data)
        data = appended(data, [MemoryEntry("Ongoing Work", text)], AT, f"s{number}")
    assert sweep_is_due(data)
    answer = "\n".join(f"## {name}\n" for name in SECTIONS)
    tidy = answer.replace("## Ongoing Work\n", "## Ongoing Work\n- Tea is very much liked\n- Kiln 1 is repaired\n")
    now = data.replace(b"## Preferences\n", b"## Preferences\n- by hand meanwhile\n")
    made = swept(data, tidy, now)
    assert b"broken" not in made
    assert b"by hand meanwhile" in made
    assert b"## Update" not in made
    with pytest.raises(ValueError, match="must leave"):
        swept(data, answer, data)


@pytest.mark.req("S4-30", "S4-37", "S4-62", "S4-89", "S4-151", "S4-155", "S4-158", "S4-164")
def test_history_has_dated_blocks_each_once() -> None:
    block = consolidated(history="- The kiln was planned.\n- Cone 6 it is.").history_block
    data = appended_block(HISTORY_TEMPLATE, block, AT, AT + timedelta(hours=2), "s")
    assert b"## 2026-11-22T16:20:00Z to 2026-11-22T18:20:00Z\n- The kiln was planned.\n" in data
    assert appended_block(data, block, AT, AT, "s") == data


@pytest.mark.req("S4-63", "S4-160", "S4-161")
def test_history_takes_no_words_as_they_were_said() -> None:
    with pytest.raises(ValueError, match="word for word"):
        consolidated(history=f"Ann said: {WORDS}")
    with pytest.raises(ValueError, match="must have words"):
        consolidated(history="")


@pytest.mark.req("S4-156", "S4-181", "S4-165")
def test_older_blocks_become_one_the_newest_stay_and_the_archive_has_them_as_they_were() -> None:
    data = HISTORY_TEMPLATE
    for number in range(6):
        at = AT + timedelta(days=number)
        data = appended_block(data, f"Day {number}: {'much was done ' * 12}", at, at, f"s{number}")
    assert fold_is_due(data)
    raw, _ = folding(data)
    made = folded(data, "In the first days much was done, all in all.", data).decode()
    assert "## Folded History Through 2026-11-24T16:20:00Z\nIn the first days" in made
    assert ("Day 3" in made, "Day 2" in made) == (True, False)
    assert "Day 2" in archived(b"", raw).decode()


@pytest.mark.req("X-110")
def test_what_people_do_to_the_session_while_a_worker_thinks_stays() -> None:
    base = SESSION_TEMPLATE
    state = updated(parsed_session(base), session_answer(next_steps=["Go"]))
    made = refreshed(base, state, base + b"\n# Ours\nby hand\n").decode()
    assert "- Go" in made
    assert "# Ours\nby hand\n" in made
