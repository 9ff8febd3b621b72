from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from domain.text.running_text import running_text
from lab.load.tally import LoadThread, Tally
from lab.load.wording import answer, question, secret_of
from lab.loopback_model.answers import Received

ALICE, BOB = 101, 202
ELSEWHERE = 303


class Scene:
    """Two threads, in which things are said and heard one second after the other."""

    def __init__(self) -> None:
        self.threads = {ALICE: LoadThread(secret_of("s", 1)), BOB: LoadThread(secret_of("s", 2))}
        self.tally = Tally(self.threads)
        self._seconds = itertools.count(100.0)
        self._ids: Iterator[int] = itertools.count(1)

    def ask(self, channel: int) -> None:
        self.threads[channel].turns += 1
        self.tally.said(channel, next(self._seconds))

    def answer_to(self, channel: int, turn: int = 1, *, having_seen: int | None = None) -> str:
        """What the model says to that turn, with another thread's message in its request if given."""
        earlier = [question(self.threads[having_seen].secret, 1)] if having_seen else []
        texts = [*earlier, question(self.threads[channel].secret, turn)]
        body = {"messages": [{"role": "user", "content": text} for text in texts]}
        return answer(Received("/", {}, body, "\n".join(texts).encode())).text

    def post(self, channel: int, text: str, *, edited: int | None = None) -> bool:
        return self.tally.heard(channel, edited or next(self._ids), text, next(self._seconds))


@pytest.fixture
def scene() -> Scene:
    made = Scene()
    made.ask(ALICE)
    made.ask(BOB)
    return made


def counts(tally: Tally) -> dict[str, int]:
    names = ("replied", "doubled", "cross_talk", "unexpected")
    return {name: getattr(tally, name) for name in names if getattr(tally, name)} | (
        {"lost": len(tally.unanswered())} if tally.unanswered() else {}
    )


@pytest.mark.req("C-40")
def test_every_message_answered_once_in_its_thread_is_all_well(scene: Scene) -> None:
    assert scene.post(ALICE, scene.answer_to(ALICE))
    assert scene.post(BOB, scene.answer_to(BOB))
    scene.ask(ALICE)
    assert scene.post(ALICE, scene.answer_to(ALICE, 2))

    assert counts(scene.tally) == {"replied": 3}
    assert list(scene.tally.reply_times_s) == [2.0, 2.0, 1.0]


def test_an_answer_that_never_comes_is_lost(scene: Scene) -> None:
    scene.post(ALICE, scene.answer_to(ALICE))

    assert counts(scene.tally) == {"replied": 1, "lost": 1}
    assert scene.tally.unanswered() == {(BOB, 1)}


def test_an_answer_that_comes_twice_is_doubled_and_does_not_end_the_next_turn(scene: Scene) -> None:
    scene.post(ALICE, scene.answer_to(ALICE))
    scene.post(BOB, scene.answer_to(BOB))
    scene.ask(ALICE)
    assert not scene.post(ALICE, scene.answer_to(ALICE, 1))
    scene.post(ALICE, scene.answer_to(ALICE, 2))

    assert counts(scene.tally) == {"replied": 3, "doubled": 1}


def test_an_answer_in_the_wrong_thread_is_cross_talk_and_answers_nobody(scene: Scene) -> None:
    assert not scene.post(ALICE, scene.answer_to(BOB))
    scene.post(ALICE, scene.answer_to(ALICE))

    assert counts(scene.tally) == {"replied": 1, "cross_talk": 1, "lost": 1}


def test_an_answer_whose_request_held_another_threads_secret_is_cross_talk(scene: Scene) -> None:
    assert scene.post(ALICE, scene.answer_to(ALICE, having_seen=BOB))
    scene.post(BOB, scene.answer_to(BOB))

    assert counts(scene.tally) == {"replied": 2, "cross_talk": 1}


def test_a_secret_said_in_a_channel_that_is_no_thread_of_ours_is_cross_talk(scene: Scene) -> None:
    assert not scene.post(ELSEWHERE, scene.answer_to(ALICE))

    assert counts(scene.tally) == {"cross_talk": 1, "lost": 2}


def test_a_notice_that_something_failed_ends_its_turn_which_is_lost(scene: Scene) -> None:
    assert scene.post(ALICE, "I could not get an answer from the model: it is on fire")
    assert not scene.post(ALICE, "and once more")
    scene.post(BOB, scene.answer_to(BOB))

    assert counts(scene.tally) == {"replied": 1, "unexpected": 2, "lost": 1}
    assert scene.tally.samples[0].startswith("I could not")


def test_an_answer_after_such_a_notice_counts_but_not_in_the_times(scene: Scene) -> None:
    scene.post(ALICE, "a notice")
    scene.ask(ALICE)
    assert not scene.post(ALICE, scene.answer_to(ALICE, 1))
    assert scene.post(ALICE, scene.answer_to(ALICE, 2))

    assert (ALICE, 1) not in scene.tally.unanswered()
    assert list(scene.tally.reply_times_s) == [2.0]


def test_an_answer_that_is_written_by_edits_counts_once_when_it_is_whole(scene: Scene) -> None:
    whole = scene.answer_to(ALICE)
    assert not scene.post(ALICE, whole[:30], edited=77)
    assert not scene.post(ALICE, whole[:40], edited=77)
    assert scene.post(ALICE, whole, edited=77)
    assert not scene.post(ALICE, whole, edited=77)

    assert counts(scene.tally) == {"replied": 1, "lost": 1}


def test_a_message_that_shows_what_a_turn_does_is_no_answer_and_ends_nothing(scene: Scene) -> None:
    secret = scene.threads[ALICE].secret
    assert not scene.post(ALICE, running_text("", f"running `echo {secret}`"), edited=77)
    assert scene.post(ALICE, scene.answer_to(ALICE), edited=77)

    assert counts(scene.tally) == {"replied": 1, "lost": 1}


def test_an_answer_to_a_turn_that_was_never_asked_answers_nothing(scene: Scene) -> None:
    assert not scene.post(ALICE, scene.answer_to(ALICE, 5))

    assert counts(scene.tally) == {"unexpected": 1, "lost": 2}


def test_each_of_several_messages_that_wait_at_once_has_its_own_time(scene: Scene) -> None:
    scene.ask(ALICE)  # at 102, as BOB's first was at 101 and hers at 100
    assert scene.post(ALICE, scene.answer_to(ALICE, 1))
    assert scene.post(ALICE, scene.answer_to(ALICE, 2))

    assert list(scene.tally.reply_times_s) == [3.0, 2.0]


def test_a_turn_with_a_command_is_not_charged_for_the_models_second_call() -> None:
    threads = {ALICE: LoadThread(secret_of("s", 1), turns=1, commands={1})}
    tally = Tally(threads, second_call_s=0.5)
    tally.said(ALICE, 10.0)

    assert tally.heard(
        ALICE, 1, f"You said turn 1 of {threads[ALICE].secret}; I was shown {threads[ALICE].secret}.", 12.0
    )
    assert list(tally.reply_times_s) == [1.5]


def test_a_thread_whose_times_do_not_matter_is_counted_all_the_same(scene: Scene) -> None:
    scene.threads[ALICE].is_timed = False
    assert scene.post(ALICE, scene.answer_to(ALICE))

    assert list(scene.tally.reply_times_s) == []
    assert scene.tally.replied == 1
