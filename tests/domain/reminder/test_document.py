from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.edit.lines import BOM, EditRefusedError
from domain.reminder.document import (
    LONGEST_LINE_BYTES,
    add_ids,
    append,
    change_lines,
    failed_line,
    holds_without_id,
    open_line,
    remove,
    remove_line,
    replace,
    scan,
    windows_in,
    without_added_id,
)
from domain.reminder.file_lines import FileLines
from domain.reminder.line import form, parse

A = '- [ ] date=2026-01-31 time=09:05 recur=none msg="a" id=rid_A'
B = '- [ ] date=2026-01-31 time=09:05 recur=none msg="b" id=rid_B'
BARE = '- [ ] date=2026-01-31 time=09:05 recur=none msg="ö"'
INVALID = "- [x] date=2026-01-31 time=09:05 recur=none"

lines = st.one_of(
    st.sampled_from(
        [
            A.encode(),
            B.encode(),
            BARE.encode(),
            BARE.encode() + b" \t ",
            INVALID.encode(),
            b"",
            b"# Head",
            b"\xff\xfe",
            b"- [ ] \0",
        ]
    ),
    st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")),
)
documents = st.builds(
    lambda bom, parts, ends: bom + b"".join(itertools.chain(*zip(parts, ends, strict=False))),
    st.sampled_from([b"", BOM]),
    st.lists(lines, max_size=6),
    st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=5, max_size=6),
)


ADDED_ID = rb" id=rid_[A-Z2-7]{12}"


def give_ids(data: bytes, *, last_line_too: bool = True) -> bytes:
    """The file with ids, `new_1` for the first that was given and so on."""
    numbers = itertools.count(1)
    return re.sub(ADDED_ID, lambda _: f" id=new_{next(numbers)}".encode(), add_ids(data, last_line_too=last_line_too))


@given(documents)
def test_without_its_added_id_a_line_is_as_it_was(data: bytes) -> None:
    named = add_ids(data).split(b"\n")
    assert [without_added_id(line) for line in named] == data.split(b"\n")
    assert not any(re.search(ADDED_ID, line) for line in map(without_added_id, named))


@given(documents)
def test_any_bytes_can_be_read(data: bytes) -> None:
    for entry in scan(data).entries:
        assert parse(entry.line) == entry.reminder


@pytest.mark.req("S0-109", "S0-125", "S0-129")
@given(documents)
def test_ids_are_appended_and_every_other_byte_stays(data: bytes) -> None:
    given_ids = give_ids(data)
    assert re.sub(rb" id=new_[0-9]+", b"", given_ids) == data
    assert give_ids(given_ids) == given_ids
    without = [(e.reminder.message, e.reminder.day, e.reminder.at) for e in scan(data).entries]
    assert [(e.reminder.message, e.reminder.day, e.reminder.at) for e in scan(given_ids).entries] == without


@given(documents)
def test_what_was_appended_and_removed_again_leaves_the_reminders_that_were_there(data: bytes) -> None:
    line = A.replace("rid_A", "rid_fresh")
    longer = append(data, line)
    assert scan(longer).entries[-1].line == line
    assert append(longer, line) == longer
    number = scan(longer).entries[-1].number
    back = remove(longer, number)
    assert back.rstrip(b"\r\n") == data.rstrip(b"\r\n") or back == data


def test_a_line_that_is_removed_takes_its_line_end_with_it(subtests: pytest.Subtests) -> None:
    for data, number, expected in [
        (b"a\nb\nc\n", 1, b"b\nc\n"),
        (b"a\nb\nc\n", 2, b"a\nc\n"),
        (b"a\r\nb\r\nc", 2, b"a\r\nc"),
        (b"a\nb\nc", 3, b"a\nb\n"),
        (BOM + b"a\nb", 1, BOM + b"b"),
    ]:
        with subtests.test(data=data):
            assert remove(data, number) == expected


def test_a_new_line_goes_last_in_the_files_own_line_ends(subtests: pytest.Subtests) -> None:
    for data, expected in [
        (b"", f"{A}\n"),
        (BOM, f"\ufeff{A}\n"),
        (b"# H\n", f"# H\n{A}\n"),
        (b"# H", f"# H\n{A}"),
        (b"# H\r\nx\r\n", f"# H\r\nx\r\n{A}\r\n"),
        (b"# H\r\nx", f"# H\r\nx\r\n{A}"),
        (b"a\r\nb\nc\n", f"a\r\nb\nc\n{A}\n"),
    ]:
        with subtests.test(data=data):
            assert append(data, A) == expected.encode()


def test_a_line_is_replaced_in_its_place_with_its_own_end() -> None:
    data = BOM + f"{A}\r\n{B}\r\nend".encode()
    assert replace(data, 2, b"new") == BOM + f"{A}\r\nnew\r\nend".encode()
    assert replace(data, 3, b"new") == BOM + f"{A}\r\n{B}\r\nnew".encode()


def test_a_removed_line_takes_its_own_end_and_nothing_else(subtests: pytest.Subtests) -> None:
    for data, left in [
        (f"x\n{A}\ny\n", "x\ny\n"),
        (f"{A}\n", ""),
        (A, ""),
        (f"x\n{A}", "x\n"),
        (f"\ufeff{A}\r\ny", "\ufeffy"),
    ]:
        with subtests.test(data=data):
            raw = A.encode() + (b"\r" if "\r" in data else b"")
            assert remove_line(data.encode(), raw) == left.encode()


def test_only_the_exact_line_is_removed_and_only_once() -> None:
    data = f"{A} \n{A}\n{A}\n".encode()
    assert remove_line(data, A.encode()) == f"{A} \n{A}\n".encode()
    assert remove_line(data, B.encode()) == data


@pytest.mark.req("S0-126")
def test_invalid_lines_are_named_with_number_and_reason_and_never_changed() -> None:
    data = f"# H\n{INVALID}\n* [ ] x\n{BARE}".encode()
    entries = scan(data)
    assert [(fault.number, fault.text) for fault in entries.faults] == [(2, INVALID), (3, "* [ ] x")]
    assert "ticked" in entries.faults[0].reason
    assert give_ids(data) == data + b" id=new_1"


@pytest.mark.req("X-32")
def test_an_id_on_two_lines_addresses_neither_and_is_told() -> None:
    twice = scan(f"{A}\n{B}\n{B.replace('rid_B', 'rid_A')}\n".encode())
    assert [(fault.number, "another line" in fault.reason) for fault in twice.repeated] == [(3, True)]
    with pytest.raises(EditRefusedError, match="ambiguous: it stands on 2 lines"):
        twice.by_id("rid_A")
    assert twice.by_id("rid_B").number == 2


def test_an_unknown_id_is_refused() -> None:
    with pytest.raises(EditRefusedError, match="no reminder has the id 'x'"):
        scan(A.encode()).by_id("x")


@pytest.mark.req("S0-128")
def test_an_id_that_stands_in_the_file_is_not_given_again() -> None:
    given_id = add_ids(f"{BARE}\n".encode()).strip()
    other = A.replace("rid_A", given_id.rpartition(b"=")[2].decode()).encode()
    again = add_ids(other + b"\n" + BARE.encode())
    assert again.startswith(other + b"\n" + BARE.encode() + b" id=rid_")
    assert not again.endswith(given_id[-12:])


def test_a_last_line_that_may_still_be_written_gets_no_id_yet() -> None:
    data = f"{BARE}\n{BARE}".encode()
    assert give_ids(data, last_line_too=False) == f"{BARE} id=new_1\n{BARE}".encode()


@pytest.mark.parametrize("bad", [b"\xff", b"\0", b"x" * (LONGEST_LINE_BYTES + 1)])
def test_a_line_that_nobody_can_read_is_named_and_the_others_are_used(bad: bytes) -> None:
    line = b'- [ ] date=2026-01-31 time=09:05 recur=none msg="' + bad + b'"'
    entries = scan(line + b"\n" + A.encode())
    assert [fault.number for fault in entries.faults] == [1]
    assert [entry.line for entry in entries.entries] == [A]
    assert len(entries.faults[0].text) <= 200


def test_a_hundred_thousand_lines_of_prose_are_only_glanced_at() -> None:
    data = b"word " * 40 + b"\n"
    assert scan(data * 100_000 + A.encode()).entries[0].number == 100_001


@pytest.mark.req("S0-125")
def test_a_carriage_return_and_blanks_survive_an_id() -> None:
    assert give_ids(f"{BARE}\r\n{BARE} \r\n".encode()) == f"{BARE} id=new_1\r\n{BARE} id=new_2 \r\n".encode()


def test_what_is_written_is_found_again() -> None:
    entry = scan(A.encode()).entries[0]
    assert form(entry.reminder) == entry.line


@example(b"~~~\n" + A.encode() + b"\n", [A.encode()])
@given(documents, st.lists(st.sampled_from([A.encode(), B.encode(), b"", b"# Head"]), max_size=4))
def test_lines_that_go_at_once_leave_what_is_left_when_they_go_one_after_the_other(
    data: bytes, gone: list[bytes]
) -> None:
    one_by_one = data
    for raw in sorted(gone):
        file = FileLines(one_by_one)
        same = (index + 1 for index, line in enumerate(file.lines) if line == raw and file.is_text(index))
        number = next(same, 0)
        one_by_one = remove(one_by_one, number) if number else one_by_one
    at_once = change_lines(data, {raw: (None,) * gone.count(raw) for raw in gone})
    assert [line for line in _bare(at_once) if line] == [line for line in _bare(one_by_one) if line]


def _bare(data: bytes) -> list[bytes]:
    return data.removeprefix(BOM).split(b"\n")


@pytest.mark.req("X-34")
def test_a_line_that_failed_is_kept_in_its_place_and_can_be_opened_again() -> None:
    failed = change_lines(f"x\n{A}\r\n{A}\ny".encode(), {A.encode(): (failed_line(A.encode()),)})
    assert failed == f"x\n{A}\r\n{A.replace('[ ]', '[!]')}\ny".encode()
    (first, second) = scan(failed).entries
    assert (first.reminder.failed, second.reminder.failed, second.reminder.id) == (False, True, "rid_A")
    assert open_line(second.raw) == A.encode()


def test_an_id_that_stands_in_two_windows_is_ambiguous_only_for_who_sees_both() -> None:
    here, there = (f"{A} in=discord-thread/{number}" for number in (1, 2))
    both = scan(f"{here}\n{there}\n".encode())
    second = both.seen_by(lambda window: window is not None and window.id == "2")
    assert (second.by_id("rid_A").line, second.repeated) == (there, ())
    with pytest.raises(EditRefusedError, match="ambiguous"):
        both.seen_by(lambda _window: True).by_id("rid_A")


@given(documents)
def test_every_window_of_a_reminder_is_found_without_reading_the_lines(data: bytes) -> None:
    placed = data.replace(b"id=rid_B", b"in=discord-dm/77 id=rid_B").replace(b"[x]", b"[ ] in=discord-channel/5")
    assert {entry.reminder.window for entry in scan(placed).entries} <= windows_in(placed)


def test_a_reminder_without_its_id_is_told_from_another_with_the_same_words() -> None:
    bare = f"{BARE}\n".encode()
    (reminder,) = (entry.reminder for entry in scan(add_ids(bare)).entries)
    assert holds_without_id(bare, reminder)
    assert holds_without_id(f"{A}\r\n{BARE} \r\n".encode(), reminder)
    assert not holds_without_id(add_ids(bare), reminder)
    assert not holds_without_id(add_ids(bare) + bare, reminder)
    assert not holds_without_id(bare, reminder, [reminder.id])
    assert not holds_without_id(f"{A}\n".encode(), reminder)
