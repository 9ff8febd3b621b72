from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from domain.reminder.due import Firing, Stretch
from domain.reminder.undelivered import find_lines, find_other_words, index_lines

NINE = datetime.fromisoformat("2026-02-01T09:00Z")
OLD = '- [ ] date=2026-02-01 time=09:00 recur=none msg="milk" id=a1'
NEW = OLD.replace("milk", "bread")


def due(*lines: str) -> dict[str, Firing]:
    findings = Stretch(NINE, NINE, ZoneInfo("UTC")).find("\n".join(lines).encode())
    return {firing.key: firing for firing in findings.firings}


def in_file(*lines: str) -> list[bytes]:
    return [line.encode() for line in lines]


def test_a_line_is_found_with_other_blanks_and_marked_as_failed() -> None:
    (firing,) = find_lines(due(OLD), index_lines(in_file(OLD + "  \r"))).values()
    assert (firing.raw, firing.reminder.failed) == (OLD.encode() + b"  \r", False)
    (firing,) = find_lines(due(OLD), index_lines(in_file(OLD.replace("- [ ]", "- [!]")))).values()
    assert firing.reminder.failed
    assert find_lines(due(OLD), index_lines(in_file(NEW))) == {}


def test_other_words_of_the_same_reminder_are_found_and_another_time_is_another_reminder() -> None:
    ((firing, is_only),) = find_other_words(due(OLD), in_file(NEW), ()).values()
    assert (firing.reminder.message, is_only) == ("bread", True)
    assert find_other_words(due(OLD), in_file(NEW.replace("09:00", "10:00")), ()) == {}


def test_of_lines_with_one_id_each_is_used_once_and_none_that_is_a_firing_of_its_own() -> None:
    other, third = OLD.replace("milk", "eggs"), OLD.replace("milk", "tea")
    others = find_other_words(due(OLD, other), in_file(NEW, third), ())
    assert sorted(firing.reminder.message for firing, _ in others.values()) == ["bread", "tea"]
    assert [is_only for _, is_only in others.values()] == [False, False]
    own_keys = due(NEW).keys()
    assert find_other_words(due(OLD), in_file(NEW), own_keys) == {}
    assert len(own_keys) == 1
