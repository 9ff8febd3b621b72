from __future__ import annotations

from actors.observer.views import MOST_CHARS, MOST_ENTRIES, log_view
from tests.domain.log.logs import log_of, message_event


def test_a_logs_entries_have_the_hashes_that_stand_in_it() -> None:
    data = log_of([message_event(1, "first"), message_event(2, "x" * 2 * MOST_CHARS)])

    shown = log_view("logs/a.md", data)

    assert [each["text"] for each in shown["entries"]] == ["first", "x" * MOST_CHARS]
    for each in shown["entries"]:
        assert f"hash={each['hash']} -->".encode() in data
    assert shown["entries"][-1]["hash"] == shown["head"]
    assert (shown["events"], shown["damage"], shown["bytes"]) == (2, [], len(data))


def test_of_a_long_log_the_newest_entries_are_shown() -> None:
    shown = log_view("logs/a.md", log_of([message_event(n, f"n{n}") for n in range(MOST_ENTRIES + 5)]))

    assert [each["text"] for each in shown["entries"]] == [f"n{n}" for n in range(5, MOST_ENTRIES + 5)]
    assert shown["events"] == MOST_ENTRIES + 5


def test_what_somebody_changed_is_named_with_its_line() -> None:
    data = log_of([message_event(1, "first"), message_event(2, "second")]).replace(b"first", b"other")

    (damage,) = log_view("logs/a.md", data)["damage"]
    assert damage["line"] > 1
