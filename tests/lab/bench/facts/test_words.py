from __future__ import annotations

from lab.bench.facts.words import MARK, fact, facts_of, mark, message, question


def test_the_fact_of_a_message_is_what_a_model_takes_from_it() -> None:
    for number in range(50):
        assert facts_of(message("some", number)) == [fact("some", number)]
        assert MARK.findall(fact("some", number)) == [mark("some", number)]
    assert facts_of(question("some", 1)) == facts_of(f"I have noted that, {mark('some', 1)}.") == []
    assert len({message("some", number) for number in range(1_000)}) == 1_000
