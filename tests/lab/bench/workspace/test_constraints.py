from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import product

import pytest

from domain.workspace.answers.guard import Spoken
from lab.bench.workspace.constraints import WORKS, Constraint, Kind
from lab.bench.workspace.talk import talk
from messages.base import TurnId
from messages.turn import SpokenTurn

NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
COMMON = frozenset(
    [
        "a",
        "an",
        "and",
        "any",
        "are",
        "be",
        "but",
        "for",
        "from",
        "get",
        "give",
        "i",
        "in",
        "is",
        "it",
        "me",
        "my",
        "new",
        "no",
        "of",
        "on",
        "only",
        "or",
        "our",
        "out",
        "shall",
        "that",
        "the",
        "there",
        "to",
        "up",
        "us",
        "was",
        "we",
        "what",
        "when",
        "with",
        "you",
        "zu",
    ]
)
_WORD = re.compile("[a-zäöüß]{3,}")
ALL = [constraint for work in WORKS for constraint in work.constraints]


def test_there_are_12_constraints_of_every_kind() -> None:
    assert len(ALL) == 12
    assert {constraint.kind for constraint in ALL} == set(Kind)


@pytest.mark.parametrize("constraint", ALL, ids=lambda constraint: constraint.key)
def test_what_decides_stands_in_what_is_said_and_in_the_file_and_in_no_question(constraint: Constraint) -> None:
    assert constraint.key in constraint.said
    assert constraint.key in constraint.fact
    assert constraint.key not in constraint.act + constraint.direct
    said = SpokenTurn(turn_id=TurnId("t"), path="", line=0, at=NOON, author="Alice", text=constraint.said)
    assert not Spoken([said]).has_words_of(constraint.fact), "no worker may write so much of it word for word"


def test_no_constraint_is_said_in_the_talk_or_by_another() -> None:
    words = "\n".join(
        f"{text}\n{answer}" for work in WORKS for text, answer in talk(work.language, 2_000, seed=work.title)
    )

    for one, other in product(ALL, ALL):
        assert one is other or one.key not in other.said + other.fact + other.act + other.direct
    assert [constraint.key for constraint in ALL if constraint.key.casefold() in words.casefold()] == []


@pytest.mark.parametrize("constraint", ALL, ids=lambda constraint: constraint.key)
def test_an_act_shares_hardly_a_telling_word_with_its_constraint(constraint: Constraint) -> None:
    words = set(_WORD.findall(constraint.said.casefold())) - COMMON

    assert len(words & set(_WORD.findall(constraint.act.casefold()))) <= 1
