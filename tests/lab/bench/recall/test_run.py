from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from actors.embedder.local import is_installed
from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import Budget
from lab.bench.recall.data import read
from lab.bench.recall.run import ask_questions
from lab.bench.recall.search import RANKERS, Library, Query
from lab.bench.recall.vectors import KeptVectors
from tests.actors.cli.command import run as run_command
from tests.lab.bench.recall import recorded
from tests.lab.bench.recall.conversations import WordModel, write


@pytest.fixture
def library(tmp_path: Path) -> Library:
    conversation = read(write(tmp_path))
    turns = [embedded_text(turn.speaker, turn.time, turn.text) for turn in conversation.turns]
    return Library(conversation, WordModel().embed(turns))


def query(text: str) -> Query:
    return Query(text, WordModel().embed([text])[0])


def test_every_search_is_measured_on_every_question_that_counts(tmp_path: Path) -> None:
    rows = ask_questions([read(write(tmp_path))], KeptVectors(WordModel(), None))

    assert [*rows] == [*RANKERS] == ["hybrid", "similarity", "exhaustive", "bm25", "cosine"]
    assert {row["questions"] for row in rows.values()} == {2}
    assert rows["hybrid"]["block"] == 1.0


def test_recall_and_reciprocal_rank_are_those_of_the_searchs_order(tmp_path: Path) -> None:
    conversation = read(write(tmp_path))
    [case, _] = conversation.cases
    only = replace(conversation, cases=(replace(case, evidence=frozenset({0, 1, 2, 3, 4, 5})),))
    cosine = ask_questions([only], KeptVectors(WordModel(), None))["cosine"]
    assert (cosine["block"], cosine["recall_10"], cosine["mrr"]) == (1.0, 1.0, 1.0)

    answers = ask_questions([replace(conversation, cases=(case,))], KeptVectors(WordModel(), None))
    assert {name: answers["bm25"][name] for name in ("questions", "block", "recall_10", "mrr")} == {
        "questions": 1,
        "block": 1.0,
        "recall_10": 1.0,
        "mrr": 1.0,
    }


@pytest.mark.req("X-212")
def test_a_turn_counts_by_the_text_of_it_that_is_shown_and_an_answer_by_its_words(tmp_path: Path) -> None:
    """A turn of which a piece is shown is found; how much can be read of it and of the answer is told beside that."""
    rest = "Later we talked of the weather, the bus and the price of tea in the harbour. " * 12
    conversation = read(write(tmp_path))
    turns = [*conversation.turns]
    turns[2] = msgspec.structs.replace(turns[2], text=f"{rest}I adopted a greyhound called Pixel. {rest}")
    [case, _] = conversation.cases
    question = msgspec.structs.replace(case.question, answer="The greyhound Pixel, of Utrecht")
    one = replace(conversation, turns=tuple(turns), cases=(replace(case, question=question),))

    row = ask_questions([one], KeptVectors(WordModel(), None))["hybrid"]

    assert row["block"] == 1.0
    assert 0.02 < row["text"] < 0.2
    assert row["answer"] == pytest.approx(2 / 3)
    assert row["cpu_ms"] > 0
    without = ask_questions([replace(one, cases=(case,))], KeptVectors(WordModel(), None))["hybrid"]
    assert "answer" not in without


@pytest.mark.req("X-212")
def test_a_session_counts_by_its_place_among_those_that_are_shown(tmp_path: Path) -> None:
    conversation = read(write(tmp_path))
    [case, _] = conversation.cases
    failures = []
    for evidence, first in (({2}, 1.0), ({3}, 0.0), ({2, 3}, 1.0)):
        one = replace(conversation, cases=(replace(case, evidence=frozenset(evidence)),))
        row = ask_questions([one], KeptVectors(WordModel(), None))["hybrid"]
        if (row["session_1"], row["session_5"], row["session_10"]) != (first, 1.0, 1.0):
            failures.append((evidence, row))
    assert not failures


def test_without_a_question_that_counts_there_is_nothing_to_measure(tmp_path: Path) -> None:
    empty = replace(read(write(tmp_path)), cases=())
    with pytest.raises(ValueError, match="no question"):
        ask_questions([empty], KeptVectors(WordModel(), None))


def test_the_candidates_are_the_best_of_both_searches_and_the_turns_beside_them(library: Library) -> None:
    answers = library.candidates(query("Which rooster crowed?"), hits=1)

    assert [one.row for one in answers] == [0, 1, 2]
    assert [(one.before, one.after) for one in answers] == [(None, 1), (0, 2), (1, 3)]
    assert [one.episode for one in library.candidates(query("ferry rooster greyhound"))] == [0, 0, 0, 3, 3, 3]
    assert [one.is_question for one in answers] == [True, False, False]
    assert [one.keyword > 0 for one in answers] == [False, True, False]


def test_the_formula_starts_with_the_most_similar_and_then_weighs_age_and_likeness(library: Library) -> None:
    question = query("greyhound called Pixel")

    order = RANKERS["exhaustive"](library, question, Budget())

    assert order[0] == int(np.argmax(library.vectors @ question.vector))
    assert sorted(order) == list(range(6))
    hybrid = RANKERS["hybrid"](library, question, Budget())
    assert hybrid[0] == order[0]
    assert sorted(hybrid) == list(range(6)), "on small memories the formula ranks everything"


def test_bm25_finds_only_rows_with_a_word_of_the_question_and_cosine_all(library: Library) -> None:
    question = query("What did the rooster do, and the greyhound?")
    assert set(RANKERS["bm25"](library, question, Budget())) == {1, 2}
    near = RANKERS["cosine"](library, question, Budget())
    sims = [float(library.vectors[row] @ question.vector) for row in near]
    assert sims == sorted(sims, reverse=True)
    assert len(near) == 6


@pytest.mark.slow
@pytest.mark.skipif(not is_installed(), reason="the local model is an extra")
def test_the_command_prints_one_json_document_and_finds_by_meaning(tmp_path: Path) -> None:
    write(tmp_path)

    done = run_command(
        "agent", "bench", "recall", "--data", str(tmp_path), "--cache", str(tmp_path / "cache"), "--json", cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    answers = json.loads(done.stdout)["figures"]["hybrid"]
    assert answers["questions"] == 2
    assert math.isclose(answers["block"], 1.0)
    assert list((tmp_path / "cache").iterdir())


@pytest.mark.skipif(not is_installed(), reason="the local model is an extra")
def test_with_facts_of_the_conversations_evidence_is_counted_in_the_blocks_of_layers(tmp_path: Path) -> None:
    for folder in ("data", "facts"):
        (tmp_path / folder).mkdir()
    write(tmp_path / "data")
    recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": "tiny"})
    where = ("--data", "data", "--facts", "facts", "--cache", "cache")

    done_with_facts = run_command("agent", "bench", "recall", *where, cwd=tmp_path)

    assert done_with_facts.returncode == 0, done_with_facts.stderr
    rows = [line.partition("  ")[0] for line in done_with_facts.stdout.splitlines()]
    assert {"facts, the same room", "memory and workspace's recall", "memory with that room"} <= set(rows)


def test_the_command_says_what_is_wrong_with_the_data(tmp_path: Path) -> None:
    done = run_command("agent", "bench", "recall", "--data", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: no *.json below")
