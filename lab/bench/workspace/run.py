"""Measurement of recall from a workspace's files, the parts one after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lab.bench.measure import Figures
from lab.bench.recall.data import Conversation
from lab.bench.recall.vectors import KeptVectors
from lab.bench.workspace.evidence import evidence
from lab.bench.workspace.facts import Files
from lab.bench.workspace.messages import read
from lab.bench.workspace.precision import precision
from lab.bench.workspace.speed import speed

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Conversations, what a consolidator could have written of them, and vectors for the memory's own block."""

    conversations: Sequence[Conversation]
    files: Mapping[str, Files]
    vectors: KeptVectors


def measure(say: Say, recorded: Recorded | None, rounds: int) -> Figures:
    """All figures; those of evidence only with what is recorded.

    Args:
        say: Is told what is being done now.
        recorded: What evidence is looked for in, if there is any.
        rounds: So often the speed is measured.
    """
    its = read()
    say("messages of people")
    figures = precision(its)
    say("speed")
    figures |= speed(its, rounds)
    if recorded is not None:
        figures |= evidence(recorded.conversations, recorded.files, recorded.vectors, say)
    return figures
