"""Public reports about memories that answered with what was outdated, or did not find a name, tried on recall.

Each case names where it was reported; its text is our own.
"""

from __future__ import annotations

from datetime import date

from domain.workspace.recall.entries import Source, entries
from domain.workspace.recall.search import RecallIndex, recall_entries

FILES = {"session": "SESSION.md", "memory": "MEMORY.md", "history": "HISTORY.md", "shared": "workspace/MEMORY.md"}


def first(question: str, **files: str) -> str:
    """The first entry that is shown; empty for none."""
    parts = (entries(text, Source(name), FILES[name]) for name, text in files.items())
    index = RecallIndex(entry for part in parts for entry in part)
    found = recall_entries(question, index, today=date(2026, 11, 28), budget_chars=2_000)
    return found[0].text if found else ""


OLD = "## Update 2026-03-01T10:00:00Z\n"
NEW = "## Update 2026-09-01T10:00:00Z\n"
NEWER = (
    (
        "mnemosyne-oss/mnemosyne#197: the old date has more of the question's words",
        "When is the demo for the auditors?",
        {
            "memory": "## Decisions\n- The demo for the auditors is on 3 March\n",
            "session": "# Decisions\n- The demo is on 9 June\n",
        },
        "The demo is on 9 June",
    ),
    (
        "mnemosyne-oss/mnemosyne#191: the wrong date is told at length, the right one once",
        "On which day does the fair for glazes open in the depot?",
        {
            "memory": f"{OLD}- The fair for glazes in the depot opens on 29 May\n{NEW}- The fair for glazes opens on 5 June\n"
        },
        "The fair for glazes opens on 5 June",
    ),
    (
        "spectrayan/spector#507: the correction stays in sight",
        "What does Marguerite like to drink?",
        {"memory": f"{OLD}- Marguerite likes to drink coffee\n{NEW}- Marguerite likes to drink tea\n"},
        "Marguerite likes to drink tea",
    ),
    (
        "vectorize-io/hindsight#1151: an old source that is still there",
        "Where does Alice work?",
        {
            "memory": f"{NEW}- Alice left for the tram depot, works there now\n",
            "session": "# Current State\n- 2026-02-01: Alice works at the mill\n",
        },
        "Alice left for the tram depot, works there now",
    ),
    (
        "mem0ai/mem0#4903: the latest truth, in the file that is further away",
        "What is the port of staging?",
        {"shared": f"{NEW}- The port of staging is 9443\n", "memory": f"{OLD}- The port of staging is 8443\n"},
        "The port of staging is 9443",
    ),
)
NAMES = (
    ("RediSearch/redisearch-go#30: Will", "What does Will have?", "Will has the key of the kiln room"),
    (
        "DemocracyClub/yournextrepresentative#1863: Will, in a sentence",
        "Please ask Will about it",
        "Will has the key of the kiln room",
    ),
    ("IQSS/dataverse#1225: a name of two letters", "What did An say?", "An orders the glaze"),
    ("mysociety/sayit#187: nothing but common words", "What time does The Who come on?", "The Who play in the depot"),
    ("iftechfoundation/ifdb#439: IT", "did you tell IT?", "IT resets the router"),
    ("blazegraph/database#131: Be", "Has Be called?", "Be is back on Monday"),
)


def test_the_newer_statement_stands_first_whichever_has_more_of_the_words() -> None:
    failures = [
        (name, shown) for name, question, files, newest in NEWER if (shown := first(question, **files)) != newest
    ]
    assert not failures


def test_a_name_that_is_a_common_word_is_found_and_the_word_alone_finds_nothing() -> None:
    memory = "## Identity / Participants\n" + "".join(f"- {entry}\n" for _, _, entry in NAMES)
    failures = [(name, shown) for name, question, entry in NAMES if (shown := first(question, memory=memory)) != entry]
    failures += [
        (said, shown) for said in ("will we be there?", "who is it?", "Is it?") if (shown := first(said, memory=memory))
    ]
    assert not failures
