"""Judgement of the ledger on doctored records: every loss, double and change is counted."""

from __future__ import annotations

from dataclasses import replace

from actors.scheduler.due_scan import MAY_BE_LATE
from lab.chaos.kills.ledger import (
    NOT_STORED,
    WRONG,
    BotMessage,
    Logged,
    SentMessage,
    Tally,
    find_unsettled,
    judge,
    judge_reminders,
)
from lab.chaos.kills.texts import LONG, PLAIN, answer

CHANNEL, OTHER = 11, 12
TOKENS = ("q-00000000000a", "q-00000000000b")
SENT = [
    SentMessage(channel_id=CHANNEL, message_id=number, token=token, text=f"{token} wants=plain words")
    for number, token in enumerate(TOKENS, 1)
]
LOGGED = [Logged(channel_id=each.channel_id, message_id=each.message_id, text=each.text) for each in SENT]
ANSWERS = [
    BotMessage(
        channel_id=CHANNEL, message_id=100 + each.message_id, text=answer(each.token, PLAIN), replies_to=each.message_id
    )
    for each in SENT
]
NOTICE = BotMessage(channel_id=CHANNEL, message_id=200, text="I was interrupted twice.", replies_to=1)
NONE_WRONG = dict.fromkeys(WRONG, 0)


def long_answer() -> list[BotMessage]:
    """The answer to the first message, in three messages."""
    lines = answer(TOKENS[0], LONG).split("\n")
    parts = (lines[:20], lines[20:40], lines[40:])
    return [replace(ANSWERS[0], message_id=101 + n, text="\n".join(part)) for n, part in enumerate(parts)]


def test_what_was_logged_and_answered_once_is_sound() -> None:
    tally = judge(SENT, ANSWERS, LOGGED)
    assert (tally.said, tally.answered, tally.wrong()) == (2, 2, NONE_WRONG)
    assert tally.is_sound


def test_reports_of_a_full_disk_or_a_slow_machine_answer_no_message() -> None:
    reports = [f"{NOT_STORED}: No space left on device", f"the file: a look takes more than 5 s, so {MAY_BE_LATE}"]
    answers = [replace(NOTICE, message_id=300 + n, replies_to=n, text=text) for n, text in enumerate(reports)]
    assert judge(SENT, [*ANSWERS, *answers], LOGGED).is_sound
    assert find_unsettled(SENT, [replace(each, replies_to=SENT[0].message_id) for each in answers]) == {
        each.message_id for each in SENT
    }


def test_each_kind_of_harm_is_counted() -> None:
    harms: list[tuple[list[BotMessage], list[Logged], dict[str, int]]] = [
        (ANSWERS, LOGGED[1:], {"not_logged": 1}),
        (ANSWERS, [*LOGGED, LOGGED[0]], {"logged_twice": 1}),
        (ANSWERS, [*LOGGED, LOGGED[0], LOGGED[0]], {"logged_twice": 2}),
        (ANSWERS, [replace(LOGGED[0], text=LOGGED[0].text + " "), LOGGED[1]], {"logged_altered": 1}),
        (ANSWERS, [replace(LOGGED[0], channel_id=OTHER), LOGGED[1]], {"misplaced": 1}),
        (ANSWERS, [*LOGGED, replace(LOGGED[0], message_id=99)], {"unexpected": 1}),
        (ANSWERS[1:], LOGGED, {"not_answered": 1}),
        ([], LOGGED, {"not_answered": 2}),
        ([*ANSWERS, replace(ANSWERS[0], message_id=300)], LOGGED, {"answered_twice": 1}),
        ([*ANSWERS, NOTICE], LOGGED, {"answered_twice": 1}),
        ([NOTICE, replace(NOTICE, message_id=201), ANSWERS[1]], LOGGED, {"answered_twice": 1}),
        ([replace(ANSWERS[0], text=f"answer to {TOKENS[0]}:"), ANSWERS[1]], LOGGED, {"answered_altered": 1}),
        ([replace(ANSWERS[0], channel_id=OTHER), ANSWERS[1]], LOGGED, {"misplaced": 1}),
        ([*ANSWERS, replace(NOTICE, replies_to=0)], LOGGED, {"unexpected": 1}),
        ([*ANSWERS, replace(ANSWERS[0], text=answer("q-ffffffffffff", PLAIN))], LOGGED, {"unexpected": 1}),
        ([*ANSWERS, replace(ANSWERS[0], message_id=300, is_running=True)], LOGGED, {"left_running": 1}),
    ]
    for answers, logged, wrong in harms:
        tally = judge(SENT, answers, logged)
        assert tally.wrong() == {**NONE_WRONG, **wrong}
        assert not tally.is_sound
        assert tally.details


def test_an_answer_in_parts_is_one_answer() -> None:
    tally = judge(SENT, [*long_answer(), ANSWERS[1]], LOGGED)
    assert (tally.answered, tally.is_sound) == (2, True)


def test_a_part_of_an_answer_that_is_missing_or_comes_twice_makes_it_another_one() -> None:
    parts = long_answer()
    for lost in range(3):
        rest = [part for number, part in enumerate(parts) if number != lost]
        assert judge(SENT, [*rest, ANSWERS[1]], LOGGED).answered_altered == 1, lost
    tally = judge(SENT, [*parts, replace(parts[1], message_id=300), ANSWERS[1]], LOGGED)
    assert (tally.answered_altered, tally.answered) == (1, 1)


def test_one_notice_instead_of_an_answer_is_told_apart() -> None:
    tally = judge(SENT, [NOTICE, ANSWERS[1]], LOGGED)
    assert (tally.given_up, tally.answered, tally.is_sound) == (1, 1, True)


def test_what_could_not_be_stored_is_not_answered_by_saying_so() -> None:
    tally = judge(SENT, [replace(NOTICE, text=f"{NOT_STORED} now"), ANSWERS[1]], LOGGED)
    assert (tally.given_up, tally.not_answered) == (0, 1)


def test_people_may_take_a_question_back_but_its_log_stays_and_two_answers_are_two() -> None:
    back = [replace(LOGGED[0], is_taken_back=True), LOGGED[1]]
    assert judge(SENT, ANSWERS[1:], back).taken_back == 1
    assert judge(SENT, ANSWERS[1:], back).is_sound
    assert judge(SENT, [*ANSWERS, replace(ANSWERS[0], message_id=300)], back).answered_twice == 1


def test_what_cannot_be_read_may_be_missing_and_may_not_come_twice() -> None:
    odd = [replace(SENT[0], is_excused=True), SENT[1]]
    assert judge(odd, ANSWERS[1:], LOGGED[1:]).wrong() == NONE_WRONG
    assert judge(odd, ANSWERS[1:], [LOGGED[0], LOGGED[0], LOGGED[1]]).logged_twice == 1


def test_reminders_are_said_exactly_once() -> None:
    once, twice, never = (f"rem-{number:012x}" for number in range(3))
    answers = [replace(ANSWERS[0], text=f"⏰ {each}") for each in (once, twice, twice)]
    tally = Tally()
    judge_reminders(tally, [once, twice, never], answers)
    assert (tally.reminders, tally.reminders_lost, tally.reminders_twice) == (3, 1, 1)


def test_unsettled_is_what_has_neither_an_end_nor_a_notice() -> None:
    assert find_unsettled(SENT, []) == {1, 2}
    assert find_unsettled(SENT, [NOTICE]) == {2}
    assert find_unsettled(SENT, [replace(NOTICE, replies_to=0)]) == {1}  # the newest of the channel then
    assert find_unsettled(SENT, [NOTICE, ANSWERS[1]]) == set()
    assert find_unsettled(SENT, [replace(ANSWERS[0], is_running=True), ANSWERS[1]]) == {1}


def test_tallies_add_up() -> None:
    total = Tally()
    total.note("faults", "a")
    other = Tally(said=3, answered=2)
    other.note("faults", "b", 2)
    total.add(other)
    assert (total.said, total.answered, total.faults, total.details) == (3, 2, 3, ["faults: a", "faults: b"])


def test_a_deleted_message_may_have_an_answer_or_none_and_its_words_are_withdrawn() -> None:
    gone = replace(SENT[0], is_deleted=True)
    withdrawn = replace(LOGGED[0], is_withdrawn=True)
    for answers, logged in (
        (ANSWERS, [withdrawn, LOGGED[1]]),
        (ANSWERS[1:], [LOGGED[1]]),
        (ANSWERS[1:], [withdrawn, LOGGED[1]]),
    ):
        tally = judge([gone, SENT[1]], answers, logged)
        assert (tally.deleted, tally.answered, tally.wrong()) == (1, 1, NONE_WRONG)
    assert judge([gone, SENT[1]], ANSWERS, LOGGED).not_withdrawn == 1
    assert (
        judge([gone, SENT[1]], [*ANSWERS, replace(ANSWERS[0], message_id=300)], [withdrawn, LOGGED[1]]).answered_twice
        == 1
    )


def test_an_edited_message_is_logged_with_its_newest_words_once() -> None:
    edited = replace(SENT[0], text="new words", earlier=(SENT[0].text,))
    old, new = replace(LOGGED[0], is_withdrawn=True), replace(LOGGED[0], text="new words")
    sound = judge([edited, SENT[1]], ANSWERS, [old, new, LOGGED[1]])
    assert (sound.edited, sound.answered, sound.wrong()) == (1, 2, NONE_WRONG)
    assert judge([edited, SENT[1]], ANSWERS, [new, LOGGED[1]]).is_sound  # read after the edit
    assert judge([edited, SENT[1]], ANSWERS, [LOGGED[0], LOGGED[1]]).logged_altered == 1
    assert judge([edited, SENT[1]], ANSWERS, [LOGGED[0], new, LOGGED[1]]).logged_twice == 1
    odd = replace(LOGGED[0], text="never said", is_withdrawn=True)
    assert judge([edited, SENT[1]], ANSWERS, [odd, new, LOGGED[1]]).logged_altered == 1


def test_an_attached_file_is_kept_as_it_was_or_the_log_says_why_not() -> None:
    sent = [replace(SENT[0], file=b"file"), SENT[1]]
    tally = judge(sent, ANSWERS, [replace(LOGGED[0], file=b"file"), LOGGED[1]])
    assert (tally.files, tally.wrong()) == (1, NONE_WRONG)
    assert judge(sent, ANSWERS, LOGGED).is_sound
    assert judge(sent, ANSWERS, [replace(LOGGED[0], file=b"other"), LOGGED[1]]).files_altered == 1
    assert judge(sent, ANSWERS, [replace(LOGGED[0], is_file_lost=True), LOGGED[1]]).files_altered == 1
