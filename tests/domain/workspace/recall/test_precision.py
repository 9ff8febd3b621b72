from __future__ import annotations

from collections import Counter

import pytest

from domain.workspace.recall.entries import Source, entries
from domain.workspace.recall.search import RecallIndex
from tests.domain.workspace.recall.messages import Asked, Foreign, Messages, Set, read
from tests.domain.workspace.recall.precision import block_of, precision


def index_of(text: str) -> RecallIndex:
    return RecallIndex(entries(text, Source.MEMORY, "MEMORY.md"))


def tiny() -> Set:
    kiln = index_of("## Decisions\n- The celadon is fired at cone 6\n## Constraints\n- No barium near celadon\n")
    garden = index_of("## Decisions\n- The hedge is cut in June\n")
    asked = (
        Asked(workspace="kiln", text="celadon cone?", section="Decisions"),
        Asked(workspace="kiln", text="barium?", section="Decisions"),
        Asked(workspace="garden", text="hedge?", section="Decisions", tuned=True),
    )
    foreign = (Foreign(text="how are volcanoes made?"), Foreign(text="barium meals?", tuned=True))
    messages = Messages(everyday=("thanks", "celadon"), go_on=("continue",), asked=asked, foreign=foreign)
    return Set(messages, {"kiln": kiln, "garden": garden})


def test_the_figures_count_what_is_shown_and_what_is_not() -> None:
    found = precision(tiny())
    assert (found["everyday"], found["everyday_not_silent"]) == (4, 0.25)
    assert found["everyday_chars"] == len(block_of("celadon", tiny().indexes["kiln"])) / 4
    assert (found["go_on"], found["go_on_silent"], found["go_on_chars"]) == (2, 1.0, 0)
    assert found["mixed_not_silent"] == pytest.approx(0.25 * 27 / 40)
    assert found["mixed_chars"] == pytest.approx(found["everyday_chars"] * 27 / 40)
    assert (found["held_asked"], found["held_wrong"], found["held_first"]) == (2, 0.5, 0.5)
    assert (found["tuned_asked"], found["tuned_wrong"], found["tuned_first"]) == (1, 0.0, 1.0)
    assert (found["held_foreign"], found["held_noise"]) == (2, 0.0)
    assert (found["tuned_foreign"], found["tuned_noise"]) == (2, 0.5)
    assert found["held_silent_elsewhere"] == 1.0
    assert found["held_chars"] > 100


def test_a_section_that_is_shown_but_not_first_is_told_apart() -> None:
    its = tiny()
    late = Asked(workspace="kiln", text="celadon cone?", section="Constraints")
    asked = (late, *its.messages.asked)
    messages = Messages(everyday=("a",), go_on=("weiter",), asked=asked, foreign=its.messages.foreign)
    found = precision(Set(messages, its.indexes))
    assert found["held_wrong"] == pytest.approx(1 / 3)
    assert found["held_first"] == pytest.approx(1 / 3)


def test_the_messages_are_many_and_name_sections_that_are_there() -> None:
    its = read()
    assert len(its.messages.everyday) >= 40
    assert len(its.messages.go_on) == 13
    assert len(its.indexes) == 5
    for asked in its.messages.asked:
        assert asked.section in {entry.section for entry in its.indexes[asked.workspace].entries}, asked.text
    counts = Counter(asked.tuned for asked in its.messages.asked)
    assert min(counts.values()) >= 40
    told = [*(each.text for each in its.messages.asked), *(each.text for each in its.messages.foreign)]
    texts = [*its.messages.everyday, *its.messages.go_on, *told]
    assert len(texts) == len(set(texts))


@pytest.mark.req("S4-72", "S4-75")
def test_recall_keeps_still_and_finds_what_it_promises() -> None:
    found = precision(read())
    assert found["everyday_not_silent"] <= 0.15
    assert found["everyday_chars"] <= 200
    assert found["go_on_silent"] <= 0.05
    assert found["mixed_chars"] <= 200
    assert found["held_wrong"] <= 0.10
    assert found["held_noise"] <= 0.05
