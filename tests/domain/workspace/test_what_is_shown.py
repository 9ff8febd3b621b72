"""Files of a window: entries in a turn, places in the system prompt, and the handover of a cut."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from domain.turn.prompt import system_prompt
from domain.workspace.files.session_state import parsed_session
from domain.workspace.handover import handover
from domain.workspace.identity import AGENTS_CHARS, SOUL_CHARS, Places, identity, stores
from domain.workspace.recall.entries import Entry, Source, entries
from domain.workspace.recall.search import RecallIndex, recall_entries
from domain.workspace.said_words import said_words
from messages.base import Surface, TurnId, Window
from messages.turn import SpokenTurn

TODAY = date(2026, 11, 25)
AT = datetime(2026, 11, 22, 16, 20, tzinfo=UTC)
SESSION = """# Current State
- The glaze order for Meridian waits for a signature

# Constraints
- Ask Mona before firing

# Next Steps
- Call the forwarder about the pallets
"""
MEMORY = """## Preferences
- Ann prefers celadon on stoneware

## Decisions
- The pallets go by rail, not by lorry
"""
HISTORY = """## 2026-05-02T08:00:00Z to 2026-05-03T08:00:00Z
- The raku workshop was cancelled because of the storm
- The pallets went by lorry, not by rail
"""
SHARED = "- Porcelain needs cone 10 in every studio\n"
PLACES = Places("/data/workspace", "/data/workspace/channels/discord-channel/7")


def index(session: str = SESSION, memory: str = MEMORY, history: str = HISTORY, shared: str = SHARED) -> RecallIndex:
    return RecallIndex(
        (
            *entries(session, Source.SESSION, "SESSION.md"),
            *entries(memory, Source.MEMORY, "MEMORY.md"),
            *entries(history, Source.HISTORY, "HISTORY.md"),
            *entries(shared, Source.SHARED, "workspace/MEMORY.md"),
        )
    )


def recall(question: str, files: RecallIndex | None = None, budget_chars: int = 2_000) -> list[Entry]:
    return [*recall_entries(question, files or index(), today=TODAY, budget_chars=budget_chars)]


def turn(text: str, answer: str = "", *results: str) -> SpokenTurn:
    return SpokenTurn(
        turn_id=TurnId("t"), path="logs/a.md", line=12, at=AT, author="Ann", text=text, answer=answer, results=results
    )


@pytest.mark.req("S4-08", "S4-34", "S4-70", "S4-74", "S4-79", "S4-80", "S4-51", "X-109")
def test_each_file_gives_the_entry_that_fits_first_and_hardly_another(subtests: pytest.Subtests) -> None:
    for question, source, words in [
        ("Is the glaze order for Meridian signed?", Source.SESSION, "signature"),
        ("Which celadon does she take on stoneware?", Source.MEMORY, "celadon"),
        ("Why was the raku workshop cancelled?", Source.HISTORY, "storm"),
        ("Which cone does porcelain need?", Source.SHARED, "cone 10"),
    ]:
        with subtests.test(question=question, source=source):
            (first, *rest) = recall(question)
            assert (first.source, words in first.text) == (source, True)
            assert len(rest) <= 1


@pytest.mark.req("S4-18", "S4-19", "S4-129", "S4-130", "S4-132", "S4-133", "S4-134", "S4-135", "S4-137")
@pytest.mark.req("S4-138", "S4-139", "S4-140", "S4-122", "S4-128", "S4-121", "X-71", "X-108")
def test_the_system_prompt_has_soul_and_agents_and_says_where_the_rest_is_and_what_for() -> None:
    assert identity("You are patient.", "Answer briefly.", PLACES) == (
        "SOUL.md\nYou are patient.\n\nAGENTS.md\nAnswer briefly."
    )
    lines = prompt(keeps_session=True).splitlines()
    text = " ".join(" ".join(lines).split())
    assert "Only what stands below is loaded: read the others with bash when they can help." in text
    assert "Change the runtime's only when asked for just that, people's never unless told to." in text
    for folder, name, role, keeper in (
        (PLACES.folder, "SESSION.md", "what is being worked on", "The runtime's."),
        (PLACES.folder, "MEMORY.md (notes)", "facts, preferences, decisions and constraints", "Yours."),
        (PLACES.folder, "HISTORY.md", "earlier times", "People's."),
        (PLACES.root, "MEMORY.md (background)", "what all conversations share", "People's."),
        (PLACES.root, "SOUL.md and AGENTS.md", "who you are and how you work", "People's."),
    ):
        (line,) = (each for each in lines if each.startswith(f"  - {name}: "))
        assert (role in line, line.endswith(keeper)) == (True, True)
        above = [each for each in lines[: lines.index(line)] if each.startswith("  In ")]
        assert above[-1] == f"  In {folder}:"
    assert "Logs are no memory" in text


@pytest.mark.req("S4-31", "S4-52", "S4-64", "S4-142")
def test_who_writes_which_file_is_said_and_without_a_model_the_agent_keeps_the_session() -> None:
    by_model = prompt(keeps_session=True, keeps_history=True).splitlines()
    runtimes = [line.split(":")[0] for line in by_model if line.endswith("The runtime's.")]
    assert runtimes == ["  - SESSION.md", "  - HISTORY.md"]
    (state,) = (line for line in prompt().splitlines() if "SESSION.md" in line)
    assert state.endswith("keep it short and up to date, nobody else writes it. Yours.")


def prompt(*, keeps_session: bool = False, keeps_history: bool = False) -> str:
    places = stores(PLACES, keeps_session=keeps_session, keeps_history=keeps_history)
    return system_prompt(Window(surface=Surface.DISCORD_CHANNEL, id="1"), "/work", stores=places)


def test_of_files_that_are_too_long_the_beginning_is_shown_with_the_path() -> None:
    text = identity("soul\n" * SOUL_CHARS, "a" * (AGENTS_CHARS + 1), PLACES)
    assert text.count("(cut here: all of it is in") == 2
    assert len(text) < SOUL_CHARS + AGENTS_CHARS + 3_000


@pytest.mark.req("S4-03", "X-61")
def test_without_a_model_peoples_own_words_are_handed_over_with_their_place_and_no_answer() -> None:
    spoken = turn("Hello.\nNever deploy on a Friday.\n> quoted\n```\ncode\n```\n毎回確認する。", "Fine.", "output")
    fields = json.loads(handover(parsed_session(b""), b"", said_words([spoken])).split("\n")[1])
    words = "Hello. Never deploy on a Friday. 毎回確認する。"
    assert fields["said_before"] == [{"who": "Ann", "said": words, "at": "logs/a.md:12"}]
    (long,) = said_words([turn(f"begins {'x' * 400} ends")])
    assert (len(long.text), long.text[:7], long.text[-5:]) == (300, "begins ", " ends")
    assert said_words([turn("```\ncode\n```")]) == ()
