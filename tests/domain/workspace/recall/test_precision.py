from __future__ import annotations

from collections import Counter

import pytest

from domain.workspace.recall.entries import Source, entries
from domain.workspace.recall.search import RecallIndex
from tests.domain.workspace.recall.messages import Foreign, Messages, Question, Set, read
from tests.domain.workspace.recall.precision import block_of, precision


def index_of(text: str) -> RecallIndex:
    return RecallIndex(entries(text, Source.MEMORY, "MEMORY.md"))


def tiny() -> Set:
    kiln = index_of("## Decisions\n- The celadon is fired at cone 6\n## Constraints\n- No barium near celadon\n")
    garden = index_of("## Decisions\n- The hedge is cut in June\n")
    questions = (
        Question(workspace="kiln", text="celadon cone?", section="Decisions"),
        Question(workspace="kiln", text="barium?", section="Decisions"),
        Question(workspace="garden", text="hedge?", section="Decisions", tuned=True),
    )
    foreign = (Foreign(text="how are volcanoes made?"), Foreign(text="barium meals?", tuned=True))
    messages = Messages(everyday=("thanks", "celadon"), go_on=("continue",), asked=questions, foreign=foreign)
    return Set(messages, {"kiln": kiln, "garden": garden})


def test_the_figures_count_what_is_shown_and_what_is_not() -> None:
    figures = precision(tiny())
    assert (figures["everyday"], figures["everyday_not_silent"]) == (4, 0.25)
    assert figures["everyday_chars"] == len(block_of("celadon", tiny().indexes["kiln"])) / 4
    assert (figures["go_on"], figures["go_on_silent"], figures["go_on_chars"]) == (2, 1.0, 0)
    assert figures["mixed_not_silent"] == pytest.approx(0.25 * 27 / 40)
    assert figures["mixed_chars"] == pytest.approx(figures["everyday_chars"] * 27 / 40)
    assert (figures["held_asked"], figures["held_wrong"], figures["held_first"]) == (2, 0.5, 0.5)
    assert (figures["tuned_asked"], figures["tuned_wrong"], figures["tuned_first"]) == (1, 0.0, 1.0)
    assert (figures["held_foreign"], figures["held_noise"]) == (2, 0.0)
    assert (figures["tuned_foreign"], figures["tuned_noise"]) == (2, 0.5)
    assert figures["held_silent_elsewhere"] == 1.0
    assert figures["held_chars"] > 100


def test_a_section_that_is_shown_but_not_first_is_told_apart() -> None:
    its = tiny()
    late = Question(workspace="kiln", text="celadon cone?", section="Constraints")
    questions = (late, *its.messages.asked)
    messages = Messages(everyday=("a",), go_on=("weiter",), asked=questions, foreign=its.messages.foreign)
    figures = precision(Set(messages, its.indexes))
    assert figures["held_wrong"] == pytest.approx(1 / 3)
    assert figures["held_first"] == pytest.approx(1 / 3)


def test_the_messages_are_many_and_name_sections_that_are_there() -> None:
    its = read()
    assert len(its.messages.everyday) >= 40
    assert len(its.messages.go_on) == 13
    assert len(its.indexes) == 5
    for questions in its.messages.asked:
        assert questions.section in {entry.section for entry in its.indexes[questions.workspace].entries}, (
            questions.text
        )
    counts = Counter(questions.tuned for questions in its.messages.asked)
    assert min(counts.values()) >= 40
    all_texts = [*(each.text for each in its.messages.asked), *(each.text for each in its.messages.foreign)]
    texts = [*its.messages.everyday, *its.messages.go_on, *all_texts]
    assert len(texts) == len(set(texts))


@pytest.mark.req("S4-72", "S4-75")
def test_recall_keeps_still_and_finds_what_it_promises() -> None:
    figures = precision(read())
    assert figures["everyday_not_silent"] <= 0.15
    assert figures["everyday_chars"] <= 200
    assert figures["go_on_silent"] <= 0.05
    assert figures["mixed_chars"] <= 200
    assert figures["held_wrong"] <= 0.10
    assert figures["held_noise"] <= 0.05
