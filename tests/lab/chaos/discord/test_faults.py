"""How the fault campaign judges, and that it strikes where it says."""

from __future__ import annotations

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    from lab.chaos.discord.faults import EVERY, KINDS, Judgement, Trouble

from lab.playground.server import PlaygroundServer


def judged(came: list[str]) -> tuple[int, int, int, int]:
    judgement = Judgement()
    judgement.judge(["a", "b", "c"], came, str)
    return judgement.missed, judgement.doubled, judgement.out_of_order, judgement.unexpected


@pytest.mark.parametrize(
    ("came", "counts"),
    [
        (["a", "b", "c"], (0, 0, 0, 0)),
        (["a", "c"], (1, 0, 0, 0)),
        (["a", "b", "b", "c", "b"], (0, 2, 0, 0)),
        (["a", "c", "b"], (0, 0, 1, 0)),
        (["a", "b", "x", "c"], (0, 0, 0, 1)),
        ([], (3, 0, 0, 0)),
    ],
)
def test_each_kind_of_loss_is_told_apart(came: list[str], counts: tuple[int, int, int, int]) -> None:
    assert judged(came) == counts


def test_every_tenth_call_is_hit_by_each_kind_in_turn() -> None:
    with PlaygroundServer() as server:
        trouble = Trouble("seed")
        calls = EVERY * len(KINDS)
        server.run(lambda: [trouble.choose(server._hub.gateway, "GET /x") for _ in range(calls)])
    assert set(trouble.by_kind) == {str(kind) for kind in KINDS}
    assert set(trouble.by_kind.values()) == {1}
