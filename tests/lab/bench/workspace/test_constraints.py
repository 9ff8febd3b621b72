from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

from domain.workspace.answers.guard import Spoken
from lab.bench.workspace.constraints import WORKS
from lab.bench.workspace.talk import talk
from messages.base import TurnId
from messages.turn import SpokenTurn

NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
ALL = [constraint for work in WORKS for constraint in work.constraints]


def test_the_deciding_part_stands_in_what_is_said_and_in_the_file_and_in_no_question() -> None:
    failures = []
    for constraint in ALL:
        spoken = SpokenTurn(turn_id=TurnId("t"), path="", line=0, at=NOON, author="Alice", text=constraint.utterance)
        is_apart = constraint.key not in constraint.act + constraint.direct
        is_quoted = Spoken([spoken]).has_words_of(constraint.fact)  # no worker may write so much word for word
        if not (constraint.key in constraint.utterance and constraint.key in constraint.fact and is_apart) or is_quoted:
            failures.append(constraint.key)
    assert not failures


def test_no_constraint_is_said_in_the_talk_or_by_another() -> None:
    words = "\n".join(
        f"{text}\n{answer}" for work in WORKS for text, answer in talk(work.language, 2_000, seed=work.title)
    )

    for one, other in product(ALL, ALL):
        assert one is other or one.key not in other.utterance + other.fact + other.act + other.direct
    assert [constraint.key for constraint in ALL if constraint.key.casefold() in words.casefold()] == []
