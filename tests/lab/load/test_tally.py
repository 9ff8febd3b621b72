from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from domain.text.running_text import running_text
from lab.load.tally import LoadThread, Tally, out_of_order
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
        self.tally.take_question(channel, next(self._seconds))

    def answer_to(self, channel: int, turn: int = 1, *, having_seen: int | None = None) -> str:
        """The model's answer to a turn; with `having_seen`, another thread's message is in the request."""
        earlier = [question(self.threads[having_seen].secret, 1)] if having_seen else []
        texts = [*earlier, question(self.threads[channel].secret, turn)]
        body = {"messages": [{"role": "user", "content": text} for text in texts]}
        return answer(Received("/", {}, body, "\n".join(texts).encode())).text

    def post(self, channel: int, text: str, *, edited: int | None = None) -> bool:
        return self.tally.take_message(channel, edited or next(self._ids), text, next(self._seconds))


@pytest.fixture
def scene() -> Scene:
    new_scene = Scene()
    new_scene.ask(ALICE)
    new_scene.ask(BOB)
    return new_scene


def counts(tally: Tally) -> dict[str, int]:
    standing = tally.standing()
    figures = {
        "replied": tally.replied,
        "doubled": standing.doubled,
        "cross_talk": standing.cross_talk,
        "unexpected": standing.unexpected,
        "disordered": standing.disordered,
        "lost": len(standing.unanswered),
    }
    return {name: count for name, count in figures.items() if count}


@pytest.fixture
def answer_text(scene: Scene) -> Scene:
    """Alice's one message has its answer, which is message 77; Bob's has, too."""
    scene.post(ALICE, scene.answer_to(ALICE), edited=77)
    scene.post(BOB, scene.answer_to(BOB), edited=88)
    assert counts(scene.tally) == {"replied": 2}
    return scene


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
    assert scene.tally.standing().unanswered == {(BOB, 1)}


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
    assert scene.tally.standing().samples[0].startswith("I could not")


def test_an_answer_after_such_a_notice_counts_but_not_in_the_times(scene: Scene) -> None:
    scene.post(ALICE, "a notice")
    scene.ask(ALICE)
    assert not scene.post(ALICE, scene.answer_to(ALICE, 1))
    assert scene.post(ALICE, scene.answer_to(ALICE, 2))

    assert (ALICE, 1) not in scene.tally.standing().unanswered
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
    tally.take_question(ALICE, 10.0)

    assert tally.take_message(
        ALICE, 1, f"You said turn 1 of {threads[ALICE].secret}; I was shown {threads[ALICE].secret}.", 12.0
    )
    assert list(tally.reply_times_s) == [1.5]


def test_a_thread_whose_times_do_not_matter_is_counted_all_the_same(scene: Scene) -> None:
    scene.threads[ALICE].is_timed = False
    assert scene.post(ALICE, scene.answer_to(ALICE))

    assert list(scene.tally.reply_times_s) == []
    assert scene.tally.replied == 1


def test_an_answer_that_is_deleted_again_is_lost(answer_text: Scene) -> None:
    answer_text.tally.take_deletion(ALICE, [77])

    assert counts(answer_text.tally) == {"replied": 2, "lost": 1}
    assert answer_text.tally.standing().unanswered == {(ALICE, 1)}


def test_what_is_deleted_in_another_channel_or_is_nobodys_changes_nothing(answer_text: Scene) -> None:
    answer_text.tally.take_deletion(BOB, [77])
    answer_text.tally.take_deletion(ELSEWHERE, [77, 99])

    assert counts(answer_text.tally) == {"replied": 2}


def test_all_answers_of_a_channel_that_is_gone_are_lost(answer_text: Scene) -> None:
    answer_text.tally.take_closing(ALICE)
    answer_text.tally.take_closing(ELSEWHERE)

    assert counts(answer_text.tally) == {"replied": 2, "lost": 1}


def test_an_answer_that_is_changed_afterwards_is_lost_and_what_stands_there_is_unexpected(answer_text: Scene) -> None:
    assert not answer_text.post(ALICE, "garbage", edited=77)

    assert counts(answer_text.tally) == {"replied": 2, "lost": 1, "unexpected": 1}
    assert answer_text.tally.standing().samples == ("garbage",)


def test_a_change_of_an_old_answer_ends_nobodys_wait(answer_text: Scene) -> None:
    answer_text.ask(ALICE)
    assert not answer_text.post(ALICE, "garbage", edited=77)
    assert not answer_text.post(ALICE, "garbage again", edited=77)

    assert answer_text.post(ALICE, answer_text.answer_to(ALICE, 2))


def test_an_answer_that_is_cut_off_afterwards_is_lost(answer_text: Scene) -> None:
    answer_text.post(ALICE, answer_text.answer_to(ALICE)[:40], edited=77)

    assert counts(answer_text.tally) == {"replied": 2, "lost": 1, "unexpected": 1}


def test_an_answer_that_becomes_that_of_another_turn_is_lost_and_doubles_the_other(answer_text: Scene) -> None:
    answer_text.ask(ALICE)
    answer_text.post(ALICE, answer_text.answer_to(ALICE, 2))
    answer_text.post(ALICE, answer_text.answer_to(ALICE, 2), edited=77)

    assert counts(answer_text.tally) == {"replied": 3, "lost": 1, "doubled": 1}


def test_an_answer_that_becomes_another_threads_is_cross_talk_at_once_and_lost(answer_text: Scene) -> None:
    answer_text.post(ALICE, answer_text.answer_to(BOB), edited=77)

    assert counts(answer_text.tally) == {"replied": 2, "lost": 1, "cross_talk": 1}


@pytest.mark.parametrize("is_deleted", [True, False])
def test_another_threads_secret_counts_once_however_soon_it_is_gone(answer_text: Scene, is_deleted: bool) -> None:
    foreign = f"something of {answer_text.threads[BOB].secret}"
    answer_text.post(ALICE, foreign, edited=79)
    answer_text.post(ALICE, f"{foreign} again", edited=79)
    if is_deleted:
        answer_text.tally.take_deletion(ALICE, [79])

    assert counts(answer_text.tally) == {"replied": 2, "cross_talk": 1}


def test_a_running_message_with_another_threads_secret_is_cross_talk_at_once(scene: Scene) -> None:
    scene.post(ALICE, running_text(scene.threads[BOB].secret, "thinking"), edited=77)
    assert scene.tally.standing().cross_talk == 1

    scene.post(ALICE, scene.answer_to(ALICE), edited=77)
    scene.post(BOB, scene.answer_to(BOB))

    assert counts(scene.tally) == {"replied": 2, "cross_talk": 1}


@pytest.mark.parametrize("left", ["You said turn 1 of ", "running", "", "a notice"])
def test_whatever_else_is_left_beside_the_answer_is_unexpected(answer_text: Scene, left: str) -> None:
    text = running_text("", "thinking") if left == "running" else left
    answer_text.post(ALICE, text, edited=78)
    assert counts(answer_text.tally) == {"replied": 2, "unexpected": 1}

    answer_text.tally.take_deletion(ALICE, [78])

    assert counts(answer_text.tally) == {"replied": 2}


def test_a_message_that_holds_no_secret_in_a_channel_that_is_no_thread_of_ours_is_unexpected(
    answer_text: Scene,
) -> None:
    answer_text.post(ELSEWHERE, "hello")

    assert counts(answer_text.tally) == {"replied": 2, "unexpected": 1}


def test_a_notice_that_becomes_the_answer_is_no_loss(scene: Scene) -> None:
    scene.post(BOB, scene.answer_to(BOB))
    assert scene.post(ALICE, "trying again", edited=77)
    assert not scene.post(ALICE, scene.answer_to(ALICE), edited=77)

    assert counts(scene.tally) == {"replied": 2}


def test_a_running_message_that_becomes_a_notice_ends_its_turn(scene: Scene) -> None:
    assert not scene.post(ALICE, running_text("", "thinking"), edited=77)
    assert scene.post(ALICE, "it failed", edited=77)


def test_a_second_answer_that_is_gone_in_the_end_doubles_nothing(answer_text: Scene) -> None:
    answer_text.post(ALICE, answer_text.answer_to(ALICE), edited=79)
    assert counts(answer_text.tally) == {"replied": 2, "doubled": 1}

    answer_text.tally.take_deletion(ALICE, [79])

    assert counts(answer_text.tally) == {"replied": 2}


def test_answers_stand_in_the_order_of_the_turns_wherever_they_were_written_first(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[int, int, int], int]] = [((10, 11, 12), 0), ((12, 11, 10), 2), ((10, 12, 11), 1)]
    for ids, disordered in cases:
        with subtests.test(ids=ids, disordered=disordered):
            scene = Scene()
            for _ in ids:
                scene.ask(BOB)
            for turn, message_id in enumerate(ids, 1):
                scene.post(BOB, scene.answer_to(BOB, turn), edited=message_id)

            expected = {"replied": 3, "disordered": disordered} if disordered else {"replied": 3}
            assert counts(scene.tally) == expected


def test_of_turns_that_come_again_only_the_first_time_has_an_order() -> None:
    assert out_of_order([1, 2, 1, 3]) == 0
    assert out_of_order([3, 1, 2, 4]) == 2
