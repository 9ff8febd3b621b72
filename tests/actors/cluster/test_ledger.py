from __future__ import annotations

from datetime import UTC, datetime

from actors.cluster.ledger import UNLOGGED_S, Ledger, WindowMessage
from messages.base import Message, MessageId, Surface, UserId, Window
from messages.context import RestoreRedactions, UserMessage
from messages.discord import DISCORD, UserMessageLogged

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="12")
KEY = WINDOW.address.key


def user_message(number: int) -> UserMessage:
    return UserMessage(
        window=WINDOW,
        message_id=MessageId(str(number)),
        author_id=UserId("7"),
        author_name="Anne",
        text="hello",
        sent_at=datetime(2026, 1, 1, tzinfo=UTC),
        reply_to=DISCORD,
    )


def log_report(number: int) -> UserMessageLogged:
    return UserMessageLogged(window=WINDOW, message_id=MessageId(str(number)))


def window_message(message: Message) -> WindowMessage:
    return WindowMessage(KEY, message, b"")


class Time:
    at = 0.0

    def __call__(self) -> float:
        return self.at


def test_what_was_not_handled_is_owed_in_its_order() -> None:
    ledger = Ledger(Time())
    messages: list[Message] = [user_message(1), RestoreRedactions(window=WINDOW), user_message(2)]
    for number, message in enumerate(messages):
        ledger.tell(number, window_message(message))
    ledger.settle([1], [], [])

    assert [each.message for each in ledger.owed()] == [user_message(1), user_message(2)]
    assert not ledger.is_settled


def test_a_message_that_is_handled_and_logged_is_owed_no_more_whichever_is_heard_first() -> None:
    ledger = Ledger(Time())
    ledger.tell(0, window_message(user_message(1)))
    ledger.tell(1, window_message(user_message(2)))
    ledger.hear(log_report(1))
    ledger.settle([0, 1], [], [])
    assert [each.message for each in ledger.owed()] == [user_message(2)], "handled, but perhaps in no log"
    ledger.hear(log_report(2))

    assert list(ledger.owed()) == []
    assert ledger.is_settled


def test_a_message_that_was_refused_is_owed_for_a_while_only() -> None:
    time = Time()
    ledger = Ledger(time)
    ledger.tell(0, window_message(user_message(1)))
    ledger.settle([0], [], [])
    time.at = UNLOGGED_S
    ledger.tell(1, window_message(user_message(2)))
    ledger.settle([1], [], [])

    assert [each.message for each in ledger.owed()] == [user_message(2)]


def test_who_is_busy_is_known_until_it_is_quiet() -> None:
    ledger = Ledger(Time())
    ledger.settle([], [KEY, "discord-thread/13"], [])
    ledger.settle([], [], [KEY])

    assert ledger.busy == {"discord-thread/13"}
    assert not ledger.is_settled


def test_a_window_is_busy_or_unfinished_or_quiet() -> None:
    ledger = Ledger(Time())
    ledger.settle([], ["a", "b"], [])
    ledger.settle([], [], ["b"], ["a", "c"])
    assert ledger.is_settled
    assert ledger.unfinished == {"a", "c"}
    ledger.settle([], ["a"], ["c"])
    assert (ledger.busy, ledger.unfinished) == ({"a"}, set())
