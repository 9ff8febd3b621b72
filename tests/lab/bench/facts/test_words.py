from __future__ import annotations

from lab.bench.facts.words import MARK, fact, facts_of, mark, message, question


def test_the_fact_of_a_message_is_what_a_model_takes_from_it() -> None:
    for number in range(50):
        assert facts_of(message("some", number)) == [fact("some", number)]
        assert MARK.findall(fact("some", number)) == [mark("some", number)]


def test_nothing_is_taken_from_questions_and_from_answers_that_repeat_a_mark() -> None:
    assert facts_of(question("some", 1)) == []
    assert facts_of(f"I have noted that, {mark('some', 1)}.") == []


def test_messages_differ_and_are_the_same_in_every_run() -> None:
    assert len({message("some", number) for number in range(1_000)}) == 1_000
    assert message("some", 7) == message("some", 7) != message("other", 7)
