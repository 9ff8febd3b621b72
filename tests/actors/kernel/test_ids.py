from __future__ import annotations

import re

from actors.kernel import counted_ids, random_ids


def test_ids_are_eight_characters_and_do_not_come_twice() -> None:
    new_id = random_ids()
    ids = [new_id() for _ in range(100_000)]

    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[a-z2-7]{8}", text) for text in ids[:1000])


def test_two_processes_do_not_give_the_same_ids() -> None:
    first, second = random_ids(), random_ids()

    assert {first() for _ in range(1000)} & {second() for _ in range(1000)} == set()


def test_counted_ids_can_be_foretold() -> None:
    new_id = counted_ids()

    assert [new_id() for _ in range(3)] == ["aaaaaaab", "aaaaaaac", "aaaaaaad"]
