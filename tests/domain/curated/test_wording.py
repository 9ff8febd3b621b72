from __future__ import annotations

import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.wording import lines
from messages.base import Message, RequestId
from messages.curated import (
    ClaudeImported,
    CuratedReply,
    FactsFlushed,
    FactStaged,
    FactWritten,
    InjectionSwitched,
    PagesVerified,
    Rejection,
)
from messages.curated_view import (
    CuratedDescribed,
    FactsRecalled,
    FaultShown,
    FaultsListed,
    FileSize,
    PageShown,
    PagesListed,
    ScopePages,
    ScopeStatus,
    StaleListed,
    TraceShown,
    TracesListed,
)
from messages.socket import Refused

ID = RequestId("r1")


def page(text: str = "sccache breaks -Werror", number: int = 7) -> PageShown:
    return PageShown(id=f"{number:08x}", kind="fact", file="MEMORY.md", line=number, section="Build", text=text)


def status(name: str = "project", **changed: object) -> ScopeStatus:
    fields: dict[str, object] = {
        "scope": name,
        "folder": f"/srv/{name}/memory",
        "trust": "trusted",
        "exists": True,
        "writable": "",
        "files": (FileSize(name="MEMORY.md", bytes=9000), FileSize(name="archive/old.md", bytes=1)),
        "index_bytes": 9000,
        "injected_bytes": 8192,
        "is_capped": True,
        "table": "stale",
        "waiting": 2,
        "proposed": 1,
        "notes": ("config.json: odd",),
        "waiting_facts": ("staged: tea", "staged: milk", "proposed: coffee"),
    }
    return ScopeStatus(**{**fields, **changed})  # type: ignore[arg-type]


def trace(number: int) -> TraceShown:
    return TraceShown(
        id=f"t{number}",
        at="2026-01-02T03:04:05Z",
        context="cli/1",
        decision="injected",
        reasons=("whole", "fits"),
        tokens=(("budget", 4096),),
    )


def replies(text: str) -> list[Message]:
    """One reply of each kind, with a person's words in every place for words."""
    scopes = (ScopePages(scope="global", table="ok", pages=(page(text),)),)
    return [
        CuratedDescribed(request_id=ID, injection="on", scopes=(status(notes=(text,)),), note=text),
        PagesListed(request_id=ID, scopes=scopes),
        PagesVerified(request_id=ID, scopes=(("global", 1, "missing"),), notes=(text,)),
        FactStaged(request_id=ID, id="o1", scope="global", text=text, waiting=1, note=text),
        FactsFlushed(request_id=ID, committed=(("global", text),), rejected=(rejection(text),), notes=(text,)),
        FaultsListed(request_id=ID, faults=(FaultShown(kind="capped", scope="", detail=text),)),
        TracesListed(request_id=ID, traces=(trace(1), trace(2))),
        FactsRecalled(request_id=ID, code="ok", reason=text, facts=(("global", page(text)),)),
        InjectionSwitched(request_id=ID, on=True),
        StaleListed(request_id=ID, after_days=90, facts=(("global", 91, page(text)),), undated=2),
        FactWritten(request_id=ID, scope="global", done="added", path="/m/MEMORY.md", text=text, note=text),
        ClaudeImported(request_id=ID, folder="/c", staged=1, topics=(text,), skipped=(text,)),
    ]


def rejection(text: str) -> Rejection:
    return Rejection(scope="project", text=text, reason="it looks like a secret")


def test_every_reply_of_curated_memory_has_its_words() -> None:
    kinds = {type(reply) for reply in replies("x")}

    assert kinds == {kind for kind in typing.get_args(CuratedReply) if kind is not Refused}
    assert all(lines(reply) for reply in replies("x"))


@given(st.text(max_size=30))
def test_one_fact_stands_in_one_line_whatever_somebody_wrote(text: str) -> None:
    for reply, plain in zip(replies(text), replies("x"), strict=True):
        assert not any("\n" in line or "\r" in line for line in lines(reply))
        assert len(lines(reply)) <= len(lines(plain))


def test_what_is_no_reply_of_curated_memory_is_refused() -> None:
    with pytest.raises(TypeError, match="Refused"):
        lines(Refused(request_id=ID, reason="no"))


@pytest.mark.req("S1-49", "S1-28", "S1-64")
def test_the_status_has_files_sizes_bytes_table_trust_and_paths() -> None:
    text_lines = lines(CuratedDescribed(request_id=ID, injection="on", scopes=(status("global"), status())))
    project = text_lines[text_lines.index("Project memory: /srv/project/memory") :]

    assert text_lines[0] == "Memory in prompts: on"
    assert "Global memory: /srv/global/memory" in text_lines
    assert project[1:] == [
        "- Trust: a trusted repository",
        "- Writing from here: yes",
        "- Files: 2, 9,001 bytes",
        "  - MEMORY.md: 9,000 bytes",
        "  - archive/old.md: 1 bytes",
        "- In prompts: 8,192 of 9,000 bytes of MEMORY.md",
        "- Warning: MEMORY.md is longer than what prompts take of it; put detail into topic files",
        "- Page table: present, but older than the index",
        "- Waiting for `/memory flush`: 2 staged, 1 proposed",
        "  - staged: tea",
        "  - staged: milk",
        "  - proposed: coffee",
        "- Warning: config.json: odd",
    ]


def test_a_folder_that_is_not_there_comes_into_being_later() -> None:
    text_lines = lines(CuratedDescribed(request_id=ID, injection="off", scopes=(status(exists=False, writable="why"),)))

    assert any(line.endswith("does not exist yet; the first fact creates it") for line in text_lines)
    assert "- Writing from here: no, why" in text_lines
    assert "- In prompts once curated memory is on: 8,192 of 9,000 bytes of MEMORY.md" in text_lines


@pytest.mark.req("S1-50")
def test_the_pages_say_whether_there_is_a_table_of_them(subtests: pytest.Subtests) -> None:
    for table, words in [
        ("ok", "exists and is valid"),
        ("stale", "exists and is older than the index"),
        ("invalid", "exists and cannot be read"),
        ("missing", "is not there"),
    ]:
        with subtests.test(table=table):
            scopes = (ScopePages(scope="global", table=table, pages=(page(), page("other", 8))),)

            assert lines(PagesListed(request_id=ID, scopes=scopes)) == [
                f"Global: 2 pages; page-table.jsonl {words}",
                "- 00000007 fact MEMORY.md:7 sccache breaks -Werror",
                "- 00000008 fact MEMORY.md:8 other",
            ]


def test_one_trace_is_shown_whole_and_several_in_a_line_each() -> None:
    whole = lines(TracesListed(request_id=ID, traces=(trace(1),)))

    assert whole == [
        "t1: injected in cli/1 at 2026-01-02T03:04:05Z",
        "- whole",
        "- fits",
        "- Counts: budget 4096",
    ]
    assert len(lines(TracesListed(request_id=ID, traces=(trace(1), trace(2))))) == 2
    assert lines(TracesListed(request_id=ID, traces=())) == ["No decisions are noted."]


def test_where_there_is_nothing_it_says_so() -> None:
    assert lines(FaultsListed(request_id=ID, faults=())) == ["No faults."]
    assert lines(StaleListed(request_id=ID, after_days=90, facts=(), undated=0)) == [
        "No fact has a date of more than 90 days ago."
    ]
    assert lines(FactsFlushed(request_id=ID, committed=(), rejected=())) == ["Nothing was waiting."]


def test_a_flush_names_what_was_rejected_and_why() -> None:
    text_lines = lines(FactsFlushed(request_id=ID, committed=(("global", "a"),), rejected=(rejection("b"),)))

    assert text_lines == [
        "Committed: 1; rejected: 1",
        "- global: a",
        "- rejected, project: b: it looks like a secret",
    ]


def test_an_answer_that_is_too_long_says_how_much_is_left_out() -> None:
    faults = tuple(FaultShown(kind="duplicate", scope="global", detail=str(n)) for n in range(1000))
    text_lines = lines(FaultsListed(request_id=ID, faults=faults))

    assert len(text_lines) == 401
    assert text_lines[-1] == "… and 600 more"


def test_of_many_facts_that_wait_the_first_are_shown() -> None:
    waiting = status(waiting_facts=tuple(f"staged: {number}" for number in range(30)), notes=())
    assert lines(CuratedDescribed(request_id=ID, injection="on", scopes=(waiting,)))[-1] == "  - … and 10 more"


def test_commands_are_named_as_they_are_spelt_where_the_person_is() -> None:
    for reply in (*replies("x"), InjectionSwitched(request_id=ID, on=False)):
        here, there = "\n".join(lines(reply)), "\n".join(lines(reply, "agent memory curated"))
        assert here.replace("`/memory ", "`agent memory curated ") == there
        assert "/memory " not in there


def test_a_page_table_that_is_made_anew_is_told_beside_the_old_one() -> None:
    assert lines(PagesVerified(request_id=ID, scopes=(("global", 2, "invalid"),))) == [
        "Global: page-table.jsonl made anew with 2 pages; the old one could not be read"
    ]
