from __future__ import annotations

import pytest

from domain.reminder.document import EditRefusedError
from domain.reminder.share import MOST_BYTES, MOST_REMINDERS, check_share, entries_of
from messages.base import Surface, Window

MINE = Window(surface=Surface.DISCORD_THREAD, id="12")
OTHERS = Window(surface=Surface.DISCORD_THREAD, id="123")


def lines(count: int, window: Window | None = MINE, msg: str = "x") -> list[str]:
    where = f" in={window.address.key}" if window is not None else ""
    return [f'- [ ] date=2030-01-01 time=09:00 recur=none msg="{msg}" id=rid_{n}{where}' for n in range(count)]


def file(*groups: list[str]) -> bytes:
    return "".join(f"{line}\n" for group in groups for line in group).encode()


def test_only_a_windows_own_lines_count() -> None:
    claims = lines(MOST_REMINDERS, None, "in=discord-thread/12") + lines(MOST_REMINDERS, OTHERS, "in=discord-thread/12")
    data = file(claims, ["- [ ] broken in=discord-thread/12", "prose in=discord-thread/12"], lines(3))
    assert [entry.reminder.id for entry in entries_of(data, MINE)] == ["rid_0", "rid_1", "rid_2"]
    check_share(data, MINE, lines(1)[0])
    with pytest.raises(EditRefusedError, match=f"has {MOST_REMINDERS} reminders"):
        check_share(data, OTHERS, lines(1, OTHERS)[0])


def test_one_more_than_may_be_is_refused_and_a_change_of_one_is_not() -> None:
    full = lines(MOST_REMINDERS)
    check_share(file(full[1:]), MINE, full[0])
    check_share(file(full), MINE, full[0].replace('"x"', '"xy"'), full[0].encode())
    with pytest.raises(EditRefusedError):
        check_share(file(full), MINE, full[0].replace("rid_0", "rid_new"))


def test_bytes_are_counted_as_they_stand_in_the_file_and_a_shorter_line_is_always_welcome() -> None:
    long = lines(50, msg="\U0001f600" * 330)
    data = file(long)
    assert len(data) > MOST_BYTES
    with pytest.raises(EditRefusedError, match="at most 65,536"):
        check_share(data, MINE, lines(1)[0])
    check_share(data, MINE, lines(1)[0], long[0].encode())
    with pytest.raises(EditRefusedError):
        check_share(data, MINE, long[0].replace("rid_0", "rid_00"), long[0].encode())


def test_lines_of_people_are_not_bounded() -> None:
    check_share(file(lines(10 * MOST_REMINDERS, None)), None, lines(1, None)[0])
