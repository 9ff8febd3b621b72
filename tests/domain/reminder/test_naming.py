"""Ids that nobody wrote: the posting of a line without one and what its line is given later agree, in every life."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reminder.document import add_ids, scan
from domain.reminder.due import Firing, Stretch

LONDON = ZoneInfo("Europe/London")
NOW = datetime(2026, 3, 28, 12, 0, tzinfo=UTC)
EARLIER = datetime(2026, 3, 27, 12, 0, tzinfo=UTC)
LINES = [
    '- [ ] date=2026-03-28 time=09:00 recur=none msg="tea"',
    '- [ ] date=2026-03-28 time=09:00 recur=none msg="tea" ',
    '- [ ] msg="tea" date=2026-03-28 recur=none time=09:00',
    '- [!] date=2026-03-28 time=09:00 recur=none msg="tea"',
    '- [!] date=2026-03-28 time=09:00 recur=none msg="tea" in=discord-thread/7',
    '- [ ] date=2026-03-28 time=09:00 recur=none msg="tea" in=discord-thread/7',
    '- [ ] date=2026-03-28 time=09:00 recur=daily msg="tea"',
    '- [ ] date=2030-03-28 time=09:00 recur=none msg="tea"',
    '- [ ] date=2026-03-28 time=09:01 recur=none msg="tea" id=rid_AAAAAAAAAAAA',
    "prose",
]


def firings(data: bytes) -> list[Firing]:
    return list(Stretch(EARLIER, NOW, LONDON).find(data).firings)


@pytest.mark.req("S0-130")
@given(st.lists(st.sampled_from(LINES)))
def test_a_line_is_said_under_the_name_that_it_is_given_later(lines: list[str]) -> None:
    bare = "\n".join(lines).encode()
    before, after = firings(bare), firings(add_ids(bare))
    assert [firing.key for firing in before] == [firing.key for firing in after]
    assert [firing.reminder for firing in before] == [firing.reminder for firing in after]
    assert all(firing.is_named for firing in after)
    assert [firing.raw for firing in before if not firing.is_named] == [
        entry.raw for firing in before for entry in scan(firing.raw).entries if not entry.reminder.id
    ]


@pytest.mark.parametrize(("line", "count"), [(LINES[0], 5), (LINES[6], 3)])
def test_lines_that_say_the_same_have_names_of_their_own(line: str, count: int) -> None:
    data = "\n".join([line] * count).encode()
    assert len({firing.key for firing in firings(data)}) == count
    assert len({entry.reminder.id for entry in scan(add_ids(data)).entries}) == count


def test_what_was_said_and_is_gone_gives_its_name_to_no_other() -> None:
    (first,) = firings(LINES[0].encode())
    spent = {first.reminder.id}
    (second,) = Stretch(EARLIER, NOW, LONDON).find(LINES[0].encode(), spent).firings
    assert second.key != first.key
    assert scan(add_ids(LINES[0].encode(), spent)).entries[0].reminder.id == second.reminder.id
