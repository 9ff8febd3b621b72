"""Which messages a window's logs hold words of."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from domain.log.event import Event, Kind, event
from domain.log.kept import FORGOTTEN_WORDS, OWED_WORDS, digest, list_kept
from domain.log.metadata import MetaValue
from domain.log.off_record import MESSAGE_KEY, OFF_RECORD, OVER, SAID
from domain.log.redaction import Tombstone, tombstone_meta
from messages.base import EventId

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def message_event(message_id: int, text: str = "hello", minute: int = 0, **meta: MetaValue) -> Event:
    at = NOON + timedelta(minutes=minute)
    return event(f"e{message_id}", at, Kind.USER, text, {"message_id": str(message_id), **meta})


def taken_back(event_id: str, *, is_quote: bool = False, why: str = "deleted") -> Event:
    gone = Tombstone(event_id=EventId(event_id), path="logs/x", line=1, message_id="1", is_quote=is_quote)
    return event(f"t-{event_id}", NOON, Kind.TOMBSTONE, "", tombstone_meta(gone, why))


def ids(*logs: list[Event], most: int = 10, after: int = 0) -> list[str]:
    return [message.message_id for message in list_kept(logs, most, after)]


def test_what_was_said_shown_quoted_and_pinned_is_held_the_newest_first() -> None:
    log = [
        message_event(5, quote={"message_id": "3", "text": "what"}),
        event("a", NOON, Kind.AGENT, "hi", {"turn": "e5"}),
        event("d", NOON, Kind.DELIVERY, "", {"event": "a", "message_ids": ["7", "6"]}),
        event("p", NOON, Kind.PIN, "what", {"source": "4"}),
    ]

    assert ids(log) == ["7", "6", "5", "4", "3"]


def test_only_what_was_typed_is_compared() -> None:
    log = [
        message_event(1, "look\n\nwords of a file", typed=4, attachments=[{"filename": "a"}]),
        message_event(2, "look"),
    ]

    newest, oldest = list_kept([log], 10)
    assert (newest.words, newest.files) == (digest("look"), 0)
    assert (oldest.words, oldest.files) == (digest("look"), 1)


def test_a_command_that_counts_as_a_message_is_in_no_history_and_a_file_without_words_is() -> None:
    assert ids([message_event(1, typed=0), message_event(2, "file", typed=0, attachments=[{"filename": "a"}])]) == ["2"]


def test_what_was_taken_back_is_held_no_more_also_if_a_later_log_says_so() -> None:
    older = [message_event(1), message_event(2), message_event(3, quote={"message_id": "9", "text": "what"})]

    assert ids([taken_back("e1"), taken_back("e3", is_quote=True)], older) == ["3", "2"]
    assert ids([*older, taken_back("e2")]) == ["9", "3", "1"]


def test_of_many_the_newest_are_given_and_no_older_log_is_read() -> None:
    def logs() -> Iterator[list[Event]]:
        yield [message_event(number) for number in range(20, 30)]
        raise AssertionError("it is not needed")

    assert [message.message_id for message in list_kept(logs(), 3)] == ["29", "28", "27"]


def test_a_message_that_is_also_quoted_has_its_typed_words() -> None:
    log = [message_event(1, "words"), message_event(2, minute=5, quote={"message_id": "1", "text": "words"})]

    assert list_kept([log], 10)[1].words == digest("words")


def test_a_quotation_from_before_a_thread_stands_in_another_channel() -> None:
    log = [
        message_event(100),
        message_event(101, quote={"message_id": "99", "text": "what"}),
        message_event(102, quote={"message_id": "98"}),
    ]

    assert ids(log, after=100) == ["102", "101", "100"]


def test_ids_of_no_snowflake_are_left_out() -> None:
    log = [
        event("e", NOON, Kind.USER, "hi", {"message_id": "cli-1"}),
        event("f", NOON, Kind.USER, "hi", {"message_id": "9" * 30}),
    ]

    assert ids(log) == []


def test_an_edit_whose_new_words_no_log_has_is_held_as_owed_until_it_says_them_or_is_deleted() -> None:
    old, edited = message_event(1), taken_back("e1", why="edited")
    new = event("e1-again", NOON, Kind.USER, "hi", {"message_id": "1", "edited": True})

    assert [message.words for message in list_kept([[old, edited]], 10)] == [OWED_WORDS]
    assert [message.words for message in list_kept([[edited], [old]], 10)] == [OWED_WORDS]
    assert [message.words for message in list_kept([[old, edited, new]], 10)] == [digest("hi")]
    assert [message.words for message in list_kept([[edited, new], [old]], 10)] == [digest("hi")]
    assert list_kept([[old, edited, new, taken_back("e1-again")]], 10) == []
    assert list_kept([[new, taken_back("e1-again")], [old, edited]], 10) == []


def test_a_message_off_the_record_is_held_and_never_compared() -> None:
    """The next life would take the message for unlogged, and open a thread for a second answer."""
    log = [
        event("e7", NOON, Kind.SYSTEM, "", {"what": OFF_RECORD, MESSAGE_KEY: "7", "over": False, "open": 1}),
        event("a", NOON, Kind.SYSTEM, "", {"what": SAID, "turn": "e7", "open": 1}),
        event("o", NOON, Kind.SYSTEM, "", {"what": OVER, "turn": "e7", "open": 0}),
        event("e8", NOON, Kind.SYSTEM, "", {"what": OFF_RECORD, MESSAGE_KEY: "cli-8", "over": True, "open": 0}),
        message_event(9),
    ]

    assert [(each.message_id, each.words) for each in list_kept([log], 10)] == [
        ("9", digest("hello")),
        ("7", FORGOTTEN_WORDS),
    ]
