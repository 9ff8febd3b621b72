"""Numbers of turns: which turns a block may show together."""

from __future__ import annotations

import json

import pytest

from domain.memory.injection import Budget, Memory, inject, tokens
from domain.memory.passage import GAP, LEFT_OUT, NEXT, Neighbour, number_turns

HOUR_MS = 3_600_000
PATH = "logs/discord-channel/1234567890123456789/20260130T142355Z_0001.md"
TIGHT = Budget(total_tokens=130)


def test_turns_of_one_talk_are_numbered_by_their_distance_and_others_are_far_apart() -> None:
    """Rows are no places: a row that comes late may stand early."""
    chain = [3, 9, 4, 8, 7]
    cases: dict[str, tuple[list[int], int, list[tuple[int, int, int | None]]]] = {
        "neighbours": ([3, 9], 60_000, [(3, 9, 1)]),
        "one between is not there": ([3, 4], 60_000, [(3, 4, 2)]),
        "two between are not there": ([3, 8], 60_000, [(3, 8, None)]),
        "all": (chain, 60_000, [(3, 9, 1), (9, 4, 1), (3, 7, 4)]),
        "an hour is no silence": ([3, 9], HOUR_MS, [(3, 9, 1)]),
        "more than an hour is": ([3, 9, 4], HOUR_MS + 1, [(3, 9, None), (9, 4, None)]),
    }
    failures = []
    for name, (rows, step_ms, wanted) in cases.items():
        turns = [
            Neighbour(row, chain[place - 1] if place else 0, chain[place - 2] if place > 1 else 0, place * step_ms)
            for place, row in enumerate(chain)
            if row in rows
        ]
        numbers = number_turns(reversed(turns))
        for first, then, steps in wanted:
            distance = numbers[then] - numbers[first]
            if distance != steps if steps else abs(distance) <= GAP:
                failures.append((name, first, then, distance))
    assert not failures


def entries(memories: list[Memory], budget: Budget = TIGHT, pins: int = 0) -> list[tuple[int, str, bool]]:
    block = inject(memories, budget=budget, pins=pins).block
    assert tokens(block) <= budget.total_tokens
    listed = json.loads(block.partition("\n")[2])["memories"]
    sizes = [tokens(json.dumps(each, ensure_ascii=False, separators=(",", ":"))) for each in listed]
    assert max(sizes) <= budget.passage_tokens
    return [(each["line"], each["excerpt"], each["truncated"]) for each in listed]


@pytest.mark.req("X-230")
def test_results_near_one_another_share_an_entry_where_not_all_have_room() -> None:
    """A path and a line take more room than a short turn."""

    def make(number: int | None, line: int, path: str = PATH) -> Memory:
        return Memory(path, line, f"said on {line}", number)

    far = [make(100 * number, 1000 * number) for number in range(2, 9)]
    cases = {
        "the next": ([make(5, 50), make(6, 60), *far], (50, f"said on 50{NEXT}said on 60", False)),
        "the previous": ([make(6, 60), make(5, 50), *far], (50, f"said on 50{NEXT}said on 60", False)),
        "the one after the next": ([make(5, 50), make(7, 70), *far], (50, f"said on 50{LEFT_OUT}said on 70", True)),
        "a third in the middle": (
            [make(5, 50), make(7, 70), make(6, 60), *far],
            (50, f"said on 50{NEXT}said on 60{NEXT}said on 70", False),
        ),
        "three steps away": ([make(5, 50), make(8, 80), *far], (50, "said on 50", False)),
        "in another log": ([make(5, 50), make(6, 60, PATH.replace("0001", "0002")), *far], (50, "said on 50", False)),
        "without a number": ([make(None, 50), make(None, 60), *far], (50, "said on 50", False)),
        "with room for all": ([make(5, 50), make(6, 60)], (50, "said on 50", False)),
    }
    failures = [
        (name, result) for name, (memories, first) in cases.items() if (result := entries(memories))[0] != first
    ]
    assert not failures


@pytest.mark.req("X-230")
def test_pins_share_no_entry_and_no_entry_takes_more_than_its_bound() -> None:
    texts = [f"{number:03} {'word ' * 70}" for number in range(40)]
    memories = [Memory(PATH, number + 1, text, number) for number, text in enumerate(texts)]
    pinned = entries(memories, Budget(), pins=2)
    assert [line for line, _, _ in pinned[:2]] == [1, 2]
    assert NEXT not in pinned[0][1] + pinned[1][1]
    assert any(NEXT in excerpt for _, excerpt, _ in pinned[2:])
    assert any(NEXT in excerpt for _, excerpt, _ in entries(memories, Budget(item_tokens=60)))
    assert (Budget().passage_tokens, Budget(item_tokens=200).passage_tokens) == (240, 250)
    assert Budget(item_tokens=300).passage_tokens == 300


def test_more_results_have_room_when_they_share_entries_and_each_is_counted() -> None:
    memories = [Memory(PATH, 7 * number + 1, f"{number} is here", number) for number in range(60)]
    alone = inject([Memory(each.path, each.line, each.text) for each in memories])
    together = inject(memories)
    assert len(alone.items) < 35 < len(together.items) == Budget().most
    assert {item.index for item in alone.items} <= {item.index for item in together.items}
    assert [item.index for item in together.items] == sorted(item.index for item in together.items)
