"""The map is whole and true: every id has its tests, every mark an id, and the page says what the sources say."""

from __future__ import annotations

import ast
import re

import pytest

from tests.requirements.chart import (
    CHOICES,
    TESTS,
    Holder,
    MarkError,
    RowError,
    State,
    counts,
    decisions,
    held_by,
    holders,
    marked,
    parsed,
    rows,
)
from tests.requirements.document import PATH, document
from tests.requirements.outcomes import Outcomes

FACTS = (60, 74, *range(81, 94), 231, 232)
"""Choices that the layer of facts decides; it shares 69, 70 and 73, and those from 60 to 119 belong to layers, too."""
CURATED = (63, *range(70, 74), *range(75, 81), 113)
"""Decisions of the curated layer."""
OBJECTS = (62, *range(94, 103))
"""Decisions of the layer of objects."""
WORKSPACE = (61, *range(64, 70), *range(103, 113), 114, 226)
"""Those that the layer of workspaces decides; of 70 to 72 and 113 it takes what curated memory decided."""
CLUSTER = range(152, 159)
"""Of hosts."""
CALLS = range(160, 163)
"""Calls of a turn to Discord."""
MODEL = (150, 151, 176)
OBSERVER = (185, 186)
COSTS = (*range(170, 176), 177)
LEDGER = range(190, 193)
WHEEL = (193,)
ESCAPES = (233,)
"""Of sandboxes: published ways out."""
TRACES = (194,)
SETUP = range(197, 200)
MENDS = range(201, 208)
"""Of waits, logs, vectors and turns."""
CUTS = (208,)
"""Of long answers in several messages."""
DESCRIPTION = (209,)
"""Of Discord's published description."""
PLACES = (210,)
"""Of channels, threads and their settings."""
WORDS = (219,)
"""Of messages: all that they say."""
ANSWERS = (213,)
"""Of models: their meaning."""
CACHES = (217, 229)
"""Of models: caching, and the model that is asked next."""
RECORDED = (216, 221)
"""Of models: exchanges with real providers, and the thoughts that go back to them."""
SERVERS = (235, 238)
"""Of hostile servers: bounds of their answers, and the pace at which they are read."""
READER = (224,)
"""Of answers: one reader for the agent and the gateway."""
LOCAL_MODELS = (214,)
"""Models on this machine."""
CONSERVATION = (218, 225)
BLOCK = (212, 222, 230)
PROMPTS = (215, 220)
"""Of the block of memories."""
LONG_TEXTS = (223,)
"""Of embeddings: texts that are longer than a server takes."""
APPROVALS = (236,)
FORGET_REQUESTS = (245, 246, 247, 248, 249, 250)
OFF_RECORD = (251, 252, 253)
SYNCS = (240,)
FOREIGN_SKILLS = (267, 268)
"""Skills of other people, and the cost of skills."""
SIMULATION = (244, 257, 258)
CAMPAIGNS = (242,)
IMPORTS = (*range(254, 257), 271, 272)
MCP = range(259, 265)
OBJECT_LISTS = (228,)
SESSIONS = (234,)
"""Of commands, where the kernel shares the processor out among sessions."""
SANDBOX_STARTS = (237,)
"""Of machines that forbid sandboxes, guards and the supply chain."""
DURABLE = (243,)
"""Of killed turns, beside runtimes of durable workflows."""
OBSTACLES = (239,)
SPEECH = (269, 270)
FILES = (265, 266)
REQUESTS = (227,)
"""Beginnings of a conversation's requests: one system prompt, the same after a restart."""


@pytest.mark.req("C-01", "S0-150")
def test_every_id_has_a_test() -> None:
    tested = held_by()
    assert [row.id for row in rows() if row.id not in tested and row.state is not State.OPEN] == []


def test_no_test_names_an_id_that_there_is_none_of() -> None:
    known = {row.id for row in rows()}
    assert [(holder.name, row_id) for holder in holders() for row_id in holder.ids if row_id not in known] == []


@pytest.mark.req("X-111")
def test_the_ids_of_a_kind_are_all_there() -> None:
    for kind, last in (("S0", 153), ("S1", 84), ("S4", 187), ("C", 42)):
        plain = {row.id for row in rows() if re.fullmatch(rf"{kind}-[0-9]+", row.id)}
        assert plain == {f"{kind}-{number:02}" for number in range(1, last + 1)}
    assert {row.id for row in rows() if row.id.startswith("S0-98")} == {
        "S0-98",
        *(f"S0-98{each}" for each in "abcdefgh"),
    }


@pytest.mark.req("S0-99", "S0-100")
def test_every_choice_that_is_none_of_a_layers_is_decided_in_the_design() -> None:
    made = {row.id for row in decisions(CHOICES.read_text("utf-8"))}
    numbers = (
        *range(1, 58),
        *CURATED,
        *FACTS,
        *OBJECTS,
        *WORKSPACE,
        *range(120, 145),
        *MODEL,
        *CLUSTER,
        *CALLS,
        *COSTS,
        *OBSERVER,
        *LEDGER,
        *WHEEL,
        *ESCAPES,
        *TRACES,
        *SETUP,
        *MENDS,
        *CUTS,
        *DESCRIPTION,
        *PLACES,
        *WORDS,
        *BLOCK,
        *PROMPTS,
        *ANSWERS,
        *LOCAL_MODELS,
        *CONSERVATION,
        *CACHES,
        *RECORDED,
        *SERVERS,
        *LONG_TEXTS,
        *READER,
        *REQUESTS,
        *OBJECT_LISTS,
        *SESSIONS,
        *SANDBOX_STARTS,
        *OBSTACLES,
        *SPEECH,
        *APPROVALS,
        *FORGET_REQUESTS,
        *OFF_RECORD,
        *SYNCS,
        *FOREIGN_SKILLS,
        *SIMULATION,
        *DURABLE,
        *CAMPAIGNS,
        *IMPORTS,
        *FILES,
        *MCP,
    )
    of_ours = {f"X-{number:02}" for number in numbers}
    assert made == of_ours


@pytest.mark.req("S0-01", "S0-101", "S0-102", "S0-103", "X-44")
def test_the_design_says_which_room_has_which_role_of_pis() -> None:
    page = CHOICES.read_text("utf-8")
    roles = dict(re.findall(r"^\| (pi-[\w, -]+?) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE))
    assert set(", ".join(roles).split(", ")) >= {
        *("pi-agent-core", "pi-ai", "pi-pods", "pi-coding-agent", "pi-mom", "pi-tui", "pi-web-ui")
    }
    rooms = {room for text in roles.values() for room in re.findall(r"`((?:actors|domain|bin)/[\w-]+)`", text)}
    assert {"actors/context", "actors/model", "actors/discord", "domain/turn"} <= rooms
    assert [room for room in rooms if not (TESTS.parent / room).exists()] == []


@pytest.mark.req("S4-182", "S4-183", "S4-185", "S4-187")
def test_the_design_says_what_stands_for_each_part_of_the_original_of_workspaces() -> None:
    page = CHOICES.read_text("utf-8").partition("| of the original's | here |")[2].partition("\n\n")[0]
    roles = ", ".join(re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE))
    for part in (
        "channel-runner, run-queue, runner-factory, session-events, session-resource-gate, progress-formatter, commands",
        "prompt-builder, config-loader, model-utils, paths, sandbox, bootstrap, candidates, recall, consolidation, files",
        "lifecycle, session, chinese-words, llm-json, markdown-sections, shell-escape, text-utils, delivery, dingtalk",
        "events, store, sidecar worker, attach, edit, read, write, write-content, truncate",
    ):
        assert [each for each in part.split(", ") if each not in roles] == []
    rooms = set(re.findall(r"`((?:actors|domain|skills)/[\w/-]+)`", page))
    assert len(rooms) > 8
    assert [room for room in rooms if not (TESTS.parent / room).exists()] == []


def test_the_page_is_what_the_sources_say_now() -> None:
    assert PATH.read_text(encoding="utf-8") == document(), "run: python -m tests.requirements.document"


def test_marks_are_read_wherever_they_stand() -> None:
    source = """
@pytest.mark.req("S0-01")
@pytest.mark.parametrize("n", [1])
@pytest.mark.req("C-02", "X-03")
def test_one(n): ...
def test_two(): ...
"""
    (holder,) = marked("file.py", ast.parse(source))
    assert (holder.name, holder.ids) == ("test_one", ("S0-01", "C-02", "X-03"))


@pytest.mark.parametrize(
    "source",
    [
        'pytestmark = pytest.mark.req("S0-01")\ndef test_one(): ...',
        'pytestmark = [pytest.mark.slow, pytest.mark.req("S0-01")]\ndef test_one(): ...',
        '@pytest.mark.req("S0-01")\nclass TestAll:\n    def test_one(self): ...',
        'held = pytest.mark.req("S0-01")\n@held\ndef test_one(): ...',
        "@pytest.mark.req(ID)\ndef test_one(): ...",
        '@pytest.mark.req("S0-01", *IDS)\ndef test_one(): ...',
        "@pytest.mark.req()\ndef test_one(): ...",
        "@pytest.mark.req\ndef test_one(): ...",
        '@mark.req("S0-01")\ndef test_one(): ...',
        'def test_one():\n    @pytest.mark.req("S0-01")\n    def test_within(): ...',
        'class Helper:\n    @pytest.mark.req("S0-01")\n    def test_one(self): ...',
        '@pytest.mark.req("S0-01")\ndef help_one(): ...',
        '@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.req("S0-01"))])\ndef test_one(n): ...',
    ],
)
def test_a_mark_that_holds_no_test_of_its_own_is_refused(source: str) -> None:
    with pytest.raises(MarkError, match="belongs above a test"):
        list(marked("file.py", ast.parse(source)))


def test_a_requirement_whose_tests_are_all_skipped_is_not_held() -> None:
    outcomes = Outcomes()
    for node_id, when, outcome in (
        ("tests/a/test_a.py::test_one[x]", "setup", "skipped"),
        ("tests/a/test_a.py::test_one[y]", "call", "skipped"),
        ("tests/a/test_a.py::test_one[y]", "teardown", "passed"),
        ("tests/a/test_a.py::TestAll::test_two[x]", "setup", "skipped"),
        ("tests/a/test_a.py::TestAll::test_two[y]", "call", "passed"),
        ("tests/a/test_a.py::test_three", "setup", "failed"),
    ):
        outcomes.note(node_id, when, outcome)
    one, two, three, unseen = (Holder("a/test_a.py", f"test_{each}", ()) for each in ("one", "two", "three", "four"))
    held = {"S0-01": (one,), "S0-02": (one, two), "S0-03": (three,), "S0-04": (one, unseen), "S0-05": (unseen,)}
    assert outcomes.unheld(held) == ["S0-01"]


@pytest.mark.parametrize(
    "line",
    ["S0-1x | words", "S5-01 | words", "S0-01", "S0-01 | words | maybe | why", "T-01 | words", "S0-01 | a | open"],
)
def test_a_line_that_is_no_row_is_refused(line: str) -> None:
    with pytest.raises(RowError, match="must be"):
        parsed(line)


def test_decisions_are_read_below_their_heading_only() -> None:
    page = "- **X-01** No.\n## d: where the specification leaves a choice\n\n- **X-02** Yes.\nprose\n\n## next\n- **X-03** No.\n"
    assert [(row.id, row.words) for row in decisions(page)] == [("X-02", "Yes.")]


def test_the_counts_name_every_state() -> None:
    assert all(f" {state}" in counts() for state in State)
