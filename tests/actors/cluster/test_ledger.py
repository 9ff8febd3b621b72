from __future__ import annotations

from datetime import UTC, datetime

from actors.cluster.ledger import MOST_DEFERRED, UNLOGGED_S, Ledger, WindowMessage
from messages.base import Message, MessageId, Surface, UserId, Window
from messages.context import RestoreRedactions, RetractMessages, ReviseMessage, RuntimePosted, UserMessage
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


def edit(number: int, text: str, *, wants_answer: bool = False) -> ReviseMessage:
    message_id = MessageId(str(number))
    return ReviseMessage(window=WINDOW, message_id=message_id, text=text, files=0, wants_answer=wants_answer)


def deletion(number: int) -> RetractMessages:
    return RetractMessages(window=WINDOW, message_ids=(MessageId(str(number)),))


def posting(number: int) -> RuntimePosted:
    return RuntimePosted(window=WINDOW, by="reminder", text="tea", message_ids=(MessageId(str(number)),))


def ledger_after(*messages: Message, busy: tuple[str, ...] = (), unfinished: tuple[str, ...] = ()) -> Ledger:
    """Ledger of a host that has handled the messages, one after another, and reports the state of the window."""
    ledger = Ledger(Time())
    ledger.settle([], busy, [], unfinished)
    for number, message in enumerate(messages):
        ledger.tell(number, window_message(message))
        ledger.settle([number], [], [])
    return ledger


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


def test_the_newest_edit_of_each_message_is_owed_until_its_window_is_at_rest() -> None:
    ledger = ledger_after(edit(1, "a"), edit(2, "b"), edit(1, "c"), edit(3, "d"), deletion(3), busy=(KEY,))
    assert [each.message for each in ledger.owed()] == [edit(2, "b"), edit(1, "c"), deletion(3)]
    ledger.settle([], [], [KEY])
    assert list(ledger.owed()) == []


def test_an_edit_that_makes_a_message_a_question_does_so_though_the_message_is_edited_again() -> None:
    ledger = ledger_after(edit(1, "@bot a", wants_answer=True), edit(1, "@bot b"), edit(1, "@bot c"), busy=(KEY,))
    assert [each.message for each in ledger.owed()] == [edit(1, "@bot c", wants_answer=True)]


def test_what_an_unwritable_log_did_not_take_is_owed_until_its_window_is_at_rest() -> None:
    messages: list[Message] = [posting(9), edit(1, "a"), deletion(2)]
    ledger = ledger_after(*messages, unfinished=(KEY,))
    assert [each.message for each in ledger.owed()] == messages
    assert ledger.is_settled
    ledger.settle([], [KEY], [])
    assert [each.message for each in ledger.owed()] == messages, "a text on its way is work, too"
    ledger.settle([], [], [KEY])
    assert list(ledger.owed()) == []
    assert list(ledger_after(*messages).owed()) == []


def test_of_too_many_messages_that_windows_hold_the_newest_are_owed() -> None:
    ledger = ledger_after(*(posting(number) for number in range(MOST_DEFERRED + 1)), unfinished=(KEY,))
    assert next(each.message for each in ledger.owed()) == posting(1)
