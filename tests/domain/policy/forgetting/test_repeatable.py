from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from domain.policy.forgetting.repeatable import is_repeatable, repetitions_since

OLD, NEW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 11, 29, tzinfo=UTC)
DAY, CLOCKS = timedelta(days=1), timedelta(minutes=10)


def test_a_text_is_repeatable_if_an_equal_one_is_hardly_an_accident() -> None:
    assert is_repeatable("my dog is called Rex")
    assert is_repeatable("zebra-4711-x")
    assert not is_repeatable("zebra-4711")
    assert not is_repeatable("here is a file")


@pytest.mark.parametrize(
    ("counted_at", "since"),
    [(NEW + DAY, NEW - CLOCKS), (NEW - DAY, NEW - DAY - CLOCKS), (datetime(1970, 1, 1, tzinfo=UTC), OLD - CLOCKS)],
)
def test_repetitions_may_begin_at_the_count_but_no_later_than_the_newest_message_and_not_before_the_oldest(
    counted_at: datetime, since: datetime
) -> None:
    assert repetitions_since(counted_at, [NEW, OLD]) == since


def test_repetitions_of_words_without_a_message_begin_at_the_count() -> None:
    assert repetitions_since(NEW, []) == NEW
