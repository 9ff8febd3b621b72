from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from actors.kernel import ManualClock
from domain.text.running_text import CURSOR
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import MessageId
from messages.discord import DeliveryFailed, EndProgress, ShowProgress
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life
from tests.patience import eventually

SEND = r"POST /channels/\d+/messages$"
HISTORY = r"GET /channels/\d+/messages$"
Crash = Callable[[], Life]


class DiscordTime:
    """The playground's clock, which a test sets forward so that Discord forgets its nonces."""

    def __init__(self) -> None:
        self.passed_s = 0.0

    def __call__(self) -> float:
        return datetime.now(UTC).timestamp() + self.passed_s


@pytest.fixture
def time() -> DiscordTime:
    return DiscordTime()


@pytest.fixture(params=[True, False], ids=["nonces", "no-nonces"])
def playground(request: pytest.FixtureRequest, time: DiscordTime) -> Iterator[PlaygroundServer]:
    """Discord with nonces in its history, and Discord without."""
    with PlaygroundServer(PlaygroundConfig(clock=time, history_nonces=request.param)) as server:
        yield server


@pytest.fixture
def crash(start_life: StartLife, time: DiscordTime) -> Crash:
    """Gives a new life, in a time in which Discord knows no nonce of the last any more."""
    lives: list[Life] = []

    def begin() -> Life:
        if lives:
            lives.pop().stop()
            time.passed_s += 3_600
        lives.append(start_life())
        return lives[-1]

    return begin


def ask(life: Life, text: str = "question") -> str:
    return str(life.say(text))


def progress(life: Life, text: str, turn_id: str, answers: str = "") -> None:
    """Show how far a turn is, and return when that is seen."""
    life.tell(
        ShowProgress(window=GENERAL, turn_id=turn_id, text=text, status="", answers_message_id=MessageId(answers))
    )
    eventually(lambda: any(each.startswith(text) for each in life.shown()))


def buttons(life: Life) -> list[str]:
    """Custom ids of the buttons that stand below the bot's messages."""
    messages = life.playground.messages(defaults.GENERAL_ID)
    return [button["custom_id"] for m in messages for row in m["components"] for button in row["components"]]


def test_an_answer_is_found_however_much_was_said_since(crash: Crash) -> None:
    life = crash()
    question = ask(life)
    for number in range(130):
        life.say(f"before {number}")
    first = life.delivered("the answer", nonce="aaaaaaaa", answers_message_id=question)
    for number in range(260):
        life.say(f"after {number}")
    second = crash()
    again = second.delivered("the answer", nonce="aaaaaaaa", answers_message_id=question, look_first=True)
    assert again == first
    assert second.shown() == ["the answer"]


def test_a_notice_is_found_from_the_time_that_is_told(crash: Crash, time: DiscordTime) -> None:
    time.passed_s = -8_000
    life = crash()
    begin = datetime.now(UTC) - timedelta(seconds=8_000)
    first = life.delivered("notice", nonce="aaaaaaaa")
    for number in range(120):
        life.say(f"after {number}")
    second = crash()
    since = begin - timedelta(minutes=5)
    assert second.delivered("notice", nonce="aaaaaaaa", look_first=True, look_since=since) == first


@pytest.mark.parametrize(("hours", "later_hours"), [(-8, -8), (8, 8), (8, 0)])
def test_a_notice_is_found_by_discords_time_where_our_clock_is_wrong_or_was(
    start_life: StartLife, time: DiscordTime, hours: int, later_hours: int
) -> None:
    """From a simulated life: a reminder was said twice because it was looked for after its message."""
    clock = ManualClock(datetime.now(UTC) + timedelta(hours=hours))
    due: dict[str, Any] = {"nonce": "aaaaaaaa", "look_first": True, "look_since": clock.now() - timedelta(minutes=5)}
    life = start_life(clock=clock)
    first = life.delivered("tea", **due)
    life.stop()
    time.passed_s = 3_000
    second = start_life(clock=ManualClock(datetime.now(UTC) + timedelta(hours=later_hours, seconds=3_000)))
    assert second.delivered("tea", **due) == first
    assert second.shown() == ["tea"]


def test_a_notice_with_another_reason_is_found_by_its_mark_at_the_same_question(crash: Crash) -> None:
    life = crash()
    questions = [ask(life, "one?"), ask(life, "two?")]
    life.messages.wait(2)
    owed: list[dict[str, Any]] = [
        {"nonce": f"x{question}", "answers_message_id": question, "mark": "I cannot:"} for question in questions
    ]
    first = life.delivered("I cannot: 12 of 310 bytes", **owed[0])
    second = crash()
    assert second.delivered("I cannot: 20 of 400 bytes", **owed[1]) != first
    assert second.delivered("I cannot: no space is left", **owed[0]) == first
    assert second.shown() == ["I cannot: 12 of 310 bytes", "I cannot: 20 of 400 bytes"]


def test_what_is_new_is_looked_for_no_further_than_needed(crash: Crash) -> None:
    life = crash()
    question = ask(life)
    for number in range(120):
        life.say(f"before {number}")
    first = life.delivered("the answer", nonce="aaaaaaaa", answers_message_id=question)
    second = crash()
    calls = len(life.playground.requests("GET", "/messages"))
    assert second.delivered("the answer", nonce="aaaaaaaa", answers_message_id=question, look_first=True) == first
    assert len(life.playground.requests("GET", "/messages")) == calls + 1


def test_parts_that_were_shown_are_not_shown_again(crash: Crash) -> None:
    text = "first half " * 150 + "\n\n" + "second half " * 150 + "\n\n" + "third part " * 150
    life = crash()
    question = ask(life)
    life.playground.inject("delay", SEND, times=2)
    life.playground.inject("503", SEND, times=4)
    assert isinstance(life.not_delivered(text, nonce="aaaaaaaa", answers_message_id=question), DeliveryFailed)
    second = crash()
    second.delivered(text, nonce="aaaaaaaa", answers_message_id=question, look_first=True)
    assert [part[:5] for part in second.shown()] == ["first", "secon", "third"]


def test_like_parts_of_one_text_are_told_apart(crash: Crash) -> None:
    page = "```\n" + "same line\n" * 190 + "```"
    text = "\n\n".join([page, page, page])
    life = crash()
    question = ask(life)
    life.playground.inject("delay", SEND, times=1)
    life.playground.inject("503", SEND, times=4)
    assert isinstance(life.not_delivered(text, nonce="aaaaaaaa", answers_message_id=question), DeliveryFailed)
    assert len(life.shown()) == 1
    second = crash()
    message_ids = second.delivered(text, nonce="aaaaaaaa", answers_message_id=question, look_first=True)
    assert len(message_ids) == len(set(message_ids)) == len(second.shown()) == 3


@pytest.mark.parametrize("sent", [0, 1, 2])
def test_two_like_texts_that_are_owed_at_the_same_time_are_both_shown_once(crash: Crash, sent: int) -> None:
    life = crash()
    questions = [ask(life, "one?"), ask(life, "two?")]
    life.messages.wait(2)
    owed = [("aaaaaaaa", questions[0]), ("bbbbbbbb", questions[1])]
    for nonce, question in owed[:sent]:
        life.delivered("yes", nonce=nonce, answers_message_id=question)
    second = crash()
    messages = [
        second.delivered("yes", nonce=nonce, answers_message_id=question, look_first=True) for nonce, question in owed
    ]
    assert second.shown() == ["yes", "yes"]
    assert len({message_id for (message_id,) in messages}) == 2


def answered_without_a_word_of_it(life: Life) -> tuple[str, str, tuple[str, ...]]:
    """Two questions, and the answer to the first, which stands below both and doesn't say what it answers."""
    first = ask(life, "one?")
    life.messages.wait(1)
    life.playground.zombie()  # So the bot doesn't know of the second question when it answers the first.
    second = ask(life, "two?")
    answer = life.delivered("yes", nonce="aaaaaaaa", answers_message_id=first)
    (message,) = [m for m in life.playground.messages(defaults.GENERAL_ID) if m["id"] == answer[0]]
    assert "message_reference" not in message
    return first, second, answer


def test_a_like_text_that_is_known_to_be_anothers_does_not_count(crash: Crash) -> None:
    _, question, known = answered_without_a_word_of_it(crash())
    second = crash()
    second.delivered("yes", nonce="bbbbbbbb", answers_message_id=question, look_first=True, others=known)
    assert second.shown() == ["yes", "yes"]


def test_a_message_that_one_text_has_found_counts_for_no_other(crash: Crash) -> None:
    first, second, answer = answered_without_a_word_of_it(crash())
    life = crash()
    assert life.delivered("yes", nonce="aaaaaaaa", answers_message_id=first, look_first=True) == answer
    assert life.delivered("yes", nonce="bbbbbbbb", answers_message_id=second, look_first=True) != answer
    assert life.shown() == ["yes", "yes"]


def test_a_like_text_that_was_sent_for_another_event_does_not_count(crash: Crash, playground: PlaygroundServer) -> None:
    _, question, _ = answered_without_a_word_of_it(crash())
    second = crash()
    second.delivered("yes", nonce="bbbbbbbb", answers_message_id=question, look_first=True)
    # Without nonces nobody could tell, but for the log, which names the other.
    assert second.shown() == ["yes"] * (1 + playground.hub.config.history_nonces)


def test_a_running_message_is_not_taken_for_a_text_with_the_same_words(crash: Crash) -> None:
    life = crash()
    question = ask(life)
    progress(life, "half", "aaaaaaaa", question)
    second = crash()
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question, "turn_id": "aaaaaaaa"}
    second.delivered(f"half {CURSOR}", look_first=True, **owed)
    assert (second.shown(), buttons(second)) == ([f"half {CURSOR}"], [])


def test_a_reminder_of_like_words_is_told_by_its_mark(crash: Crash) -> None:
    life = crash()
    since = datetime.now(UTC) - timedelta(minutes=5)
    due: dict[str, Any] = {"look_first": True, "look_since": since}
    life.delivered("stand-up!\n-# r1 · Mon 09:00", nonce="k1", mark="stand-up!\n-# r1 · Mon 09:00", **due)
    second = crash()
    second.delivered("late: stand-up!\n-# r1 · Mon 09:00", nonce="k1", mark="stand-up!\n-# r1 · Mon 09:00", **due)
    second.delivered("stand-up!\n-# r2 · Mon 09:00", nonce="k2", mark="stand-up!\n-# r2 · Mon 09:00", **due)
    assert second.shown() == ["stand-up!\n-# r1 · Mon 09:00", "stand-up!\n-# r2 · Mon 09:00"]


def test_an_edited_running_message_is_known_as_the_answer_that_it_became(crash: Crash) -> None:
    life = crash()
    question = ask(life)
    progress(life, "so far", "aaaaaaaa", question)
    first = life.delivered("done", nonce="bbbbbbbb", answers_message_id=question, turn_id="aaaaaaaa")
    second = crash()
    owed: dict[str, Any] = {"nonce": "bbbbbbbb", "answers_message_id": question, "turn_id": "aaaaaaaa"}
    assert second.delivered("done", look_first=True, **owed) == first
    assert second.shown() == ["done"]


@pytest.mark.parametrize("is_whole", [True, False])
def test_messages_in_the_place_of_a_refused_file_are_found_where_files_are_allowed_again(
    crash: Crash, is_whole: bool
) -> None:
    text = "\n".join(f"line {number} of a very long answer" for number in range(500))
    life = crash()
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": ask(life)}
    life.playground.inject("refused", SEND, status=403)
    if is_whole:
        life.delivered(text, **owed)
    else:
        life.playground.inject("delay", SEND, times=2)
        life.playground.inject("503", SEND, times=4)
        assert isinstance(life.not_delivered(text, **owed), DeliveryFailed)
    second = crash()
    second.delivered(text, look_first=True, **owed)
    assert "\n".join(second.shown()).split() == text.split()


# running messages


def test_another_turns_running_message_is_neither_overwritten_nor_deleted(crash: Crash) -> None:
    life = crash()
    question, next_question = ask(life, "one?"), ask(life, "two?")
    progress(life, "of the first", "aaaaaaaa", question)
    life.playground.inject("503", r"PATCH /channels/\d+/messages/\d+$", times=4)
    first: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question, "turn_id": "aaaaaaaa"}
    assert isinstance(life.not_delivered("answer one", **first), DeliveryFailed)
    progress(life, "of the second", "bbbbbbbb", next_question)
    life.delivered("answer one", look_first=True, **first)
    life.delivered("answer two", nonce="dddddddd", answers_message_id=next_question, turn_id="bbbbbbbb")
    assert life.shown() == ["answer one", "answer two"]
    assert buttons(life) == []


@pytest.mark.parametrize("parts", [1, 3])
def test_what_another_turn_left_stays_when_an_answer_was_sent_beside_it(crash: Crash, parts: int) -> None:
    text = "\n\n".join(["long line " * 150] * parts)
    life = crash()
    question = ask(life)
    life.delivered(text, nonce="cccccccc", answers_message_id=question, turn_id="aaaaaaaa")
    progress(life, "of the second", "bbbbbbbb")
    second = crash()
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question, "turn_id": "aaaaaaaa"}
    second.delivered(text, look_first=True, **owed)
    assert len(second.shown()) == parts + 1
    assert buttons(second) == ["stop:bbbbbbbb"]


def test_an_answer_that_ends_like_a_running_message_is_none(crash: Crash) -> None:
    life = crash()
    questions = [ask(life, "one?"), ask(life, "two?")]
    life.delivered("a block: ▌", nonce="cccccccc", answers_message_id=questions[0], turn_id="aaaaaaaa")
    second = crash()
    owed: dict[str, Any] = {"nonce": "dddddddd", "answers_message_id": questions[1], "turn_id": "bbbbbbbb"}
    second.delivered("answer to the second", look_first=True, **owed)
    assert second.shown() == ["a block: ▌", "answer to the second"]


def test_a_running_message_that_was_left_becomes_its_own_turns_answer_however_much_was_said_since(
    crash: Crash,
) -> None:
    life = crash()
    question = ask(life)
    progress(life, "half", "aaaaaaaa", question)
    progress(life, "other", "bbbbbbbb")
    for number in range(150):
        life.say(f"after {number}")
    left, _ = [
        m["id"] for m in life.playground.messages(defaults.GENERAL_ID) if m["author"]["id"] == str(defaults.BOT_ID)
    ]
    second = crash()
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question, "turn_id": "aaaaaaaa"}
    assert second.delivered("whole", look_first=True, **owed) == (left,)
    assert buttons(second) == ["stop:bbbbbbbb"]


def test_a_running_message_is_taken_away_where_the_answer_was_sent_already(crash: Crash) -> None:
    life = crash()
    question = ask(life)
    life.delivered("done", nonce="cccccccc", answers_message_id=question)
    progress(life, "half", "aaaaaaaa", question)
    second = crash()
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question, "turn_id": "aaaaaaaa"}
    second.delivered("done", look_first=True, **owed)
    assert second.shown() == ["done"]


def test_a_part_whose_post_had_no_answer_is_found_below_a_part_that_replaced_a_running_message(
    crash: Crash, time: DiscordTime
) -> None:
    life = crash()
    question = ask(life)
    progress(life, "half", "aaaaaaaa", question)
    second = crash()
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question, "turn_id": "aaaaaaaa"}
    text = "first half " * 150 + "\n\n" + "second half " * 150
    second.playground.inject("abort-after", SEND, times=4)
    assert isinstance(second.not_delivered(text, look_first=True, **owed), DeliveryFailed)
    time.passed_s += 3_600
    message_ids = second.delivered(text, look_first=True, **owed)
    assert [part[:5] for part in second.shown()] == ["first", "secon"]
    assert len(set(message_ids)) == 2


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_running_message_whose_post_had_no_answer_becomes_the_answer(
    crash: Crash, time: DiscordTime, goes_on: bool
) -> None:
    life = crash()
    question = ask(life)
    life.playground.inject("abort-after", SEND, times=4)
    progress(life, "half", "aaaaaaaa", question)
    eventually(lambda: len(life.playground.requests("POST", "/messages")) == 4)
    time.passed_s += 3_600
    if goes_on:
        progress(life, "more than half", "aaaaaaaa", question)
    life.delivered("done", nonce="cccccccc", answers_message_id=question, turn_id="aaaaaaaa")
    assert (life.shown(), buttons(life)) == (["done"], [])


def test_a_running_message_whose_post_had_no_answer_ends_with_its_turn(crash: Crash, time: DiscordTime) -> None:
    life = crash()
    question = ask(life)
    life.playground.inject("abort-after", SEND, times=4)
    progress(life, "half", "aaaaaaaa", question)
    eventually(lambda: len(life.playground.requests("POST", "/messages")) == 4)
    life.tell(EndProgress(window=GENERAL, turn_id="aaaaaaaa", note="stopped by Alice"))
    eventually(lambda: buttons(life) == [])
    assert "stopped by Alice" in life.shown()[0]


def test_a_running_message_that_cannot_be_edited_is_taken_away(crash: Crash) -> None:
    life = crash()
    progress(life, "half", "aaaaaaaa")
    life.playground.inject("refused", "PATCH ", status=400)
    life.delivered("done", nonce="cccccccc", turn_id="aaaaaaaa")
    assert life.shown() == ["done"]


# what cannot be read


def test_a_message_that_cannot_be_read_is_not_ours(crash: Crash) -> None:
    life = crash()
    question = ask(life)
    life.playground.garble(life.say("weird"))
    first = life.delivered("done", nonce="cccccccc", answers_message_id=question)
    life.playground.garble(life.say("weird too"))
    second = crash()
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question}
    assert second.delivered("done", look_first=True, **owed) == first


@pytest.mark.parametrize("fault", ["unreadable", "truncated", "html"])
def test_a_page_of_history_that_is_none_is_asked_for_again(crash: Crash, fault: str) -> None:
    life = crash()
    question = ask(life)
    first = life.delivered("done", nonce="cccccccc", answers_message_id=question)
    second = crash()
    life.playground.inject(fault, HISTORY, times=2)
    owed: dict[str, Any] = {"nonce": "cccccccc", "answers_message_id": question}
    assert second.delivered("done", look_first=True, **owed) == first


@pytest.mark.parametrize("fault", ["unreadable", "truncated"])
def test_answers_that_cannot_be_read_hold_up_neither_texts_nor_running_messages(crash: Crash, fault: str) -> None:
    life = crash()
    life.playground.inject(fault, "(POST|PATCH) /channels/.*/messages", times=3)
    progress(life, "one", "aaaaaaaa")
    progress(life, "two", "aaaaaaaa")
    progress(life, "three", "aaaaaaaa")
    (only,) = [m["id"] for m in life.playground.messages(defaults.GENERAL_ID)]
    life.playground.inject(fault, "(POST|PATCH) /channels/.*/messages", times=3)
    assert life.delivered("done", turn_id="aaaaaaaa") == (only,)
    life.delivered("another")
    assert life.shown() == ["done", "another"]
    assert buttons(life) == []


@pytest.mark.parametrize("is_answered", [True, False], ids=["answered", "stopped"])
def test_a_turn_that_goes_on_after_this_actor_alone_was_made_anew_leaves_nothing_running(
    crash: Crash, is_answered: bool
) -> None:
    """Its window lives on, and shows more of the answer when Discord knows the nonce of the running message no more."""
    life = crash()
    question = ask(life)
    progress(life, "half", "aaaaaaaa", question)
    second = crash()
    progress(second, "half an ans", "aaaaaaaa", question)
    if is_answered:
        second.delivered("the whole answer", nonce="bbbbbbbb", answers_message_id=question, turn_id="aaaaaaaa")
    else:
        second.tell(EndProgress(window=GENERAL, turn_id="aaaaaaaa", note="stopped"))
    words = "the whole answer" if is_answered else "half an ans\n-# stopped"
    eventually(lambda: (second.shown(), buttons(second)) == ([words], []))
