from __future__ import annotations

from lab.bench.measure import Finish, percentile


def test_a_percentile_is_one_of_the_values() -> None:
    assert [percentile([5, 1, 4, 2, 3], share) for share in (0.0, 0.5, 0.99)] == [1, 3, 5]


def test_a_finish_comes_with_the_last_party_and_not_before() -> None:
    over: list[str] = []
    finish = Finish(2, lambda: over.append("over"))
    finish.arrive()
    assert over == []
    finish.arrive()
    finish.arrive()

    assert over == ["over"]
