from __future__ import annotations

import contextlib

import pytest

from domain.edit.lines import EditRefusedError
from domain.reminder.share import MOST_BYTES, MOST_REMINDERS, PARTS, check_share, entries_of
from messages.base import Surface, Window

ROOM = 4 << 20
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
    check_share(data, MINE, lines(1)[0], ROOM)
    with pytest.raises(EditRefusedError, match=f"has {MOST_REMINDERS} reminders"):
        check_share(data, OTHERS, lines(1, OTHERS)[0], ROOM)


def test_one_more_than_may_be_is_refused_and_a_change_of_one_is_not() -> None:
    full = lines(MOST_REMINDERS)
    check_share(file(full[1:]), MINE, full[0], ROOM)
    check_share(file(full), MINE, full[0].replace('"x"', '"xy"'), ROOM, instead_of=full[0].encode())
    with pytest.raises(EditRefusedError):
        check_share(file(full), MINE, full[0].replace("rid_0", "rid_new"), ROOM)


def test_bytes_are_counted_as_they_stand_in_the_file_and_a_shorter_line_is_always_welcome() -> None:
    long = lines(50, msg="\U0001f600" * 330)
    data = file(long)
    assert len(data) > MOST_BYTES
    with pytest.raises(EditRefusedError, match="at most 65,536"):
        check_share(data, MINE, lines(1)[0], ROOM)
    check_share(data, MINE, lines(1)[0], ROOM, instead_of=long[0].encode())
    with pytest.raises(EditRefusedError):
        check_share(data, MINE, long[0].replace("rid_0", "rid_00"), ROOM, instead_of=long[0].encode())


def test_lines_of_people_are_not_bounded() -> None:
    check_share(file(lines(10 * MOST_REMINDERS, None)), None, lines(1, None)[0], ROOM)


def test_whoever_fills_the_file_from_many_windows_leaves_room_for_everybody_else() -> None:
    data, room = bytearray(), 16 * MOST_BYTES
    for number in range(60):
        greedy = Window(surface=Surface.DISCORD_THREAD, id=f"9{number:05}")
        for size in (MOST_BYTES * 9 // 10, 15_000, 7_000, 3_000):
            (line,) = lines(1, greedy, "x" * size)
            with contextlib.suppress(EditRefusedError):
                check_share(bytes(data), greedy, line, room)
                data += file([line])

    (fair,) = lines(1, msg="x" * 6_000)
    assert room // 2 < len(data) < room - len(fair)
    check_share(bytes(data), MINE, fair, room)


def test_what_is_beyond_its_share_while_the_file_is_full_may_be_made_shorter_and_no_longer() -> None:
    (line,) = lines(1, msg="x" * 4_000)
    data = file([line], ["x" * (ROOM - 100_000)])
    with pytest.raises(EditRefusedError, match="while the file is this full"):
        check_share(data, MINE, lines(1)[0], ROOM)
    with pytest.raises(EditRefusedError, match="while the file is this full"):
        check_share(data, MINE, line.replace("x", "xy", 1), ROOM, instead_of=line.encode())
    check_share(data, MINE, line.replace("xx", "x"), ROOM, instead_of=line.encode())
    check_share(data, OTHERS, lines(1, OTHERS)[0], ROOM)


def test_a_file_without_any_room_is_for_whoever_makes_the_edit_to_refuse() -> None:
    check_share(file(["x" * ROOM]), MINE, lines(1)[0], ROOM)
    check_share(file(["x" * (ROOM - PARTS)]), MINE, lines(1)[0], ROOM)
