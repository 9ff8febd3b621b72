from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.memory.excerpt import MARK, collapse
from domain.memory.injection import LEAST_CHARS, Budget, Memory, inject, pins_with_room, rendered_size, tokens

PATH = "logs/discord-channel/1234567890123456789/20260130T142355Z_0001.md"
FRAME = len(f'{{"path":"{PATH}","line":1,"excerpt":"","truncated":false}}')
EXCERPT_CHARS = Budget().item_tokens * 4 - FRAME
HOSTILE = st.text('ab \n\t"\\<>\x00\x7f\u2028\u202e\ufeff\ud800é中😀.', max_size=300)


def memory(text: str, line: int = 1) -> Memory:
    return Memory(PATH, line, text)


def parse_block(block: str) -> dict[str, Any]:
    prefix, _, document = block.partition("\n")
    assert prefix == "INJECTED_CONTEXT_RELEVANT_MEMORIES"
    others: dict[str, Any] = json.loads(document)
    return others


@pytest.mark.req("S0-80")
def test_four_characters_count_as_a_token_and_a_begun_one_counts(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int]] = [("", 0), ("abcd", 1), ("abcde", 2), ("ab😀d", 1)]
    for text, expected in cases:
        with subtests.test(text=text, expected=expected):
            assert tokens(text) == expected


@pytest.mark.req("S0-61", "S0-75", "S0-76", "S0-77")
def test_the_block_is_the_prefix_line_and_one_line_of_json_with_the_fields_of_the_specification() -> None:
    others = inject([memory("I am ill.", 7), memory("Größe?", 9)])

    assert others.block == (
        "INJECTED_CONTEXT_RELEVANT_MEMORIES\n"
        '{"budget_tokens_est":1000,"memories":['
        f'{{"path":"{PATH}","line":7,"excerpt":"I am ill.","truncated":false}},'
        f'{{"path":"{PATH}","line":9,"excerpt":"Größe?","truncated":false}}]}}'
    )
    assert [(item.index, item.excerpt, item.is_truncated) for item in others.items] == [
        (0, "I am ill.", False),
        (1, "Größe?", False),
    ]


@pytest.mark.req("X-12")
def test_when_there_is_nothing_to_inject_there_is_no_block() -> None:
    assert inject([]).block == ""
    assert inject([memory(" \n ")]).block == ""
    assert inject([memory("hello")], budget=Budget(total_tokens=20)).block == ""


@pytest.mark.req("X-09")
def test_the_named_budget_is_the_one_in_force() -> None:
    assert parse_block(inject([memory("a")], budget=Budget(total_tokens=123)).block)["budget_tokens_est"] == 123


def test_markup_hidden_text_and_half_characters_are_escaped_and_read_back_unchanged() -> None:
    text = "</memory> <!-- \u202e\u2028\ufeff\x7f \ud800 -->"

    block = inject([memory(text)]).block

    assert block.encode("utf-8")
    assert block.count("\n") == 1
    assert not set("<>\u202e\u2028\ufeff\x7f") & set(block)
    assert parse_block(block)["memories"][0]["excerpt"] == collapse(text)


@pytest.mark.req("S0-65")
def test_a_long_turn_is_shown_by_its_best_part_and_marked() -> None:
    text = "Nothing here at all. " * 30 + "The key is under the red stone. " + "Nothing again. " * 30

    [item] = inject([memory(text)], {"red", "stone", "key"}).items

    assert "The key is under the red stone." in item.excerpt
    assert item.is_truncated
    assert 80 < len(item.excerpt) <= EXCERPT_CHARS + 1, "`true` is shorter than `false`"


@pytest.mark.req("S0-65")
def test_no_more_memories_are_injected_than_allowed() -> None:
    many = [Memory("logs/a", line, f"x{line}") for line in range(1, 51)]
    assert len(inject(many).items) == 40
    assert len(inject(many, budget=Budget(most=3)).items) == 3


@pytest.mark.req("X-07")
def test_the_last_memory_is_cut_short_if_enough_of_it_is_left_and_else_left_out() -> None:
    text = "y" * EXCERPT_CHARS
    frame = rendered_size(memory(text)) - EXCERPT_CHARS
    empty = len(inject([memory("z")]).block) - (frame - 1) - 1

    def show(room: int) -> list[tuple[int, bool]]:
        chars = empty + frame - 1 + frame + EXCERPT_CHARS + room
        chars += -chars % 4
        return [
            (len(item.excerpt), item.is_truncated)
            for item in inject([memory(text[1:] + mark) for mark in "abc"], budget=Budget(chars // 4)).items
        ]

    assert show(EXCERPT_CHARS) == [(EXCERPT_CHARS, False)] * 2
    cut = show(LEAST_CHARS)
    assert cut[0] == (EXCERPT_CHARS, False)
    assert LEAST_CHARS <= cut[1][0] < EXCERPT_CHARS
    assert cut[1][1]
    assert show(LEAST_CHARS - 5) == [(EXCERPT_CHARS, False)]


def test_nothing_later_is_tried_after_one_that_does_not_fit() -> None:
    memories = [memory("z"), memory("y" * 300), memory("x")]
    room = len(inject(memories[:1]).block) + rendered_size(memories[2]) + 8
    assert [item.index for item in inject(memories, budget=Budget(-(-room // 4))).items] == [0]
    assert [item.index for item in inject([memories[0], memories[2]], budget=Budget(-(-room // 4))).items] == [0, 1]


@pytest.mark.req("X-212")
def test_no_words_are_shown_twice_unless_they_are_pinned() -> None:
    """Neither those of the question nor those of a memory that stands before."""
    texts = ["Where is the key?", "Under the stone.", "under  the STONE.", "Where is the key? Here.", "Under the stone"]
    memories = [memory(text, line) for line, text in enumerate(texts, 1)]
    assert [item.index for item in inject(memories, question="where is the  key?").items] == [1, 3, 4]
    assert [item.index for item in inject(memories, question="where is the  key?", pins=3).items] == [0, 1, 2, 3, 4]
    assert pins_with_room(memories) == len(memories)


def test_a_memory_without_text_takes_no_place() -> None:
    assert [item.index for item in inject([memory("a"), memory("\n"), memory("b")]).items] == [0, 2]


@pytest.mark.req("S0-81")
@pytest.mark.parametrize(("path", "line"), [("", 1), (PATH, 0), (PATH, -3)])
def test_a_memory_must_say_where_it_stands(path: str, line: int) -> None:
    with pytest.raises(ValueError, match="must have a path and a line"):
        Memory(path, line, "text")


@pytest.mark.req("S0-78")
@settings(max_examples=60)
@given(st.lists(HOSTILE, max_size=30), st.integers(30, 1500), st.integers(40, 300))
def test_whatever_was_said_the_block_and_each_memory_keep_their_budgets(
    texts: list[str], total_tokens: int, item_tokens: int
) -> None:
    memories = [memory(text, line) for line, text in enumerate(texts, 1)]
    budget = Budget(total_tokens, item_tokens)

    others = inject(memories, {"a", "b"}, budget)

    assert tokens(others.block) <= total_tokens
    if not others.block:
        return
    document = parse_block(others.block)
    assert list(document) == ["budget_tokens_est", "memories"]
    assert len(document["memories"]) == len(others.items) <= budget.most
    for entry, item in zip(document["memories"], others.items, strict=True):
        assert list(entry) == ["path", "line", "excerpt", "truncated"]
        assert (entry["path"], entry["line"]) == (PATH, item.index + 1)
        assert (entry["excerpt"], entry["truncated"]) == (item.excerpt, item.is_truncated)
        assert entry["truncated"] == (entry["excerpt"] != collapse(texts[item.index]))
        assert entry["excerpt"].endswith(MARK) or not entry["truncated"]
        assert rendered_size(item.memory, {"a", "b"}, budget) - 1 <= item_tokens * 4


PATHS = st.text('ab/\\"é中\u202e', min_size=1, max_size=120)


@pytest.mark.req("S0-79")
@settings(max_examples=150)
@given(st.lists(st.tuples(PATHS, st.integers(1, 10**9), HOSTILE), max_size=8), st.integers(1, 120))
def test_no_memory_takes_more_than_its_budget_whatever_its_path_line_and_text(
    given_memories: list[tuple[str, int, str]], item_tokens: int
) -> None:
    memories = [Memory(path, line, text) for path, line, text in given_memories]

    injection = inject(memories, {"a", "b"}, Budget(100_000, item_tokens))

    _, _, document = injection.block.partition("\n")
    listed = document[document.index("[") + 1 : -2] if document else ""
    for item in injection.items:
        alone = inject([item.memory], {"a", "b"}, Budget(100_000, item_tokens)).block
        rendered = alone[alone.index("[") + 1 : -2]
        assert rendered in listed
        assert tokens(rendered) <= item_tokens
    frames = [len(json.dumps(["", memory.path], ensure_ascii=False)) + 200 for memory in memories]
    showable = [memory for memory, frame in zip(memories, frames, strict=True) if frame <= item_tokens * 4]
    assert all(
        any(collapse(item.memory.text).casefold() == collapse(memory.text).casefold() for item in injection.items)
        for memory in showable
        if collapse(memory.text)
    ), "one that has no room keeps no other out"


def test_a_turn_is_shown_whole_if_it_fits_into_an_items_budget_and_else_in_what_a_part_may_take() -> None:
    """So that one long turn does not keep several others out, and no turn is cut for a few words."""
    failures = []
    for word in ("word ", "天气。", '"\\'):
        for item_tokens, part_tokens in ((40, 40), (54, 54), (250, 54), (250, 120), (1000, 250), (50, 1000)):
            budget = Budget(10_000, item_tokens, part_tokens)
            fitting = collapse((word * 5000)[: (item_tokens * 4 - FRAME) // (2 if word[0] == '"' else 1)])
            for text, is_whole in ((fitting, True), (f"{fitting} and more", False), (word * 5000, False)):
                [item] = inject([memory(text)], budget=budget).items
                size, most = (
                    tokens("x" * (rendered_size(item.memory, budget=budget) - 1)),
                    min(item_tokens, part_tokens),
                )
                fits = size <= item_tokens if is_whole else most - 4 <= size <= most
                if item.is_truncated is is_whole or not fits:
                    failures.append((word, budget, len(text), size))
    assert not failures


@pytest.mark.req("X-212")
def test_the_first_results_have_more_room_than_the_later_ones_and_pins_have_the_most() -> None:
    """So that more turns fit, and those that are most likely asked for can be read."""
    budget = Budget(total_tokens=100_000, item_tokens=120, part_tokens=54, first=3, most=40)
    texts = [f"{number:04} {'word ' * (49 if number % 2 == 0 else 500)}" for number in range(20)]

    items = inject([memory(text) for text in texts], budget=budget, pins=2).items

    sizes = [rendered_size(item.memory, budget=budget, place=item.index - 2) - 1 for item in items]
    assert [item.is_truncated for item in items] == [False, True, False, True, False, *[True] * 15]
    assert len(items[2].excerpt) == len(items[0].excerpt) == 249
    later = budget.at(3)
    assert (later.item_tokens, later.part_tokens) == (40, 33)
    assert all(size <= 4 * later.part_tokens for size in sizes[5:])
    assert all(size > 4 * later.part_tokens for size in sizes[:5])
    assert Budget(item_tokens=45, part_tokens=45).at(30).item_tokens == 40


def test_a_path_that_is_too_long_for_the_budget_keeps_no_other_memory_out() -> None:
    injection = inject([Memory("logs/" + "x" * 500, 1, "hidden"), memory("shown")])

    assert [item.index for item in injection.items] == [1]


@given(HOSTILE)
def test_a_memory_takes_as_much_room_as_its_size_says(text: str) -> None:
    one, two = inject([memory("first"), memory(text)]), inject([memory("first")])
    assert len(one.block) - len(two.block) == (rendered_size(memory(text)) if collapse(text) else 0)


@pytest.mark.req("S0-68", "X-06")
def test_pins_leave_a_quarter_of_the_block_to_what_is_found() -> None:
    pins = [memory(f"pin {number} " + "word " * 60, number) for number in range(1, 40)]
    others = [memory(f"found {number} " + "word " * 60, number) for number in range(50, 80)]

    items = inject([*pins, *others], pins=len(pins)).items

    of_pins = [item for item in items if item.index < len(pins)]
    assert [item.index for item in items] == [*range(len(of_pins)), *range(39, 39 + len(items) - len(of_pins))]
    sizes = [rendered_size(item.memory) for item in items]
    assert sum(sizes[len(of_pins) :]) >= 0.8 * Budget().total_tokens
    assert len(of_pins) == pins_with_room(pins) < len(pins)


@pytest.mark.req("X-06")
def test_what_is_found_may_have_more_than_its_quarter_and_pins_what_is_left_of_it() -> None:
    pins = [memory(f"pin {number}", number) for number in range(1, 40)]
    others = [memory(f"found {number}", number) for number in range(50, 90)]

    def show(some_pins: int, some_found: int) -> tuple[int, int]:
        injected = inject([*pins[:some_pins], *others[:some_found]], pins=some_pins)
        number = sum(item.index < some_pins for item in injected.items)
        return number, len(injected.items) - number

    all_found, all_pins = show(0, 40)[1], show(39, 0)[0]
    assert show(2, 40) == (2, all_found - 2)
    assert show(39, 0) == (all_pins, 0)
    assert show(39, 1) == (all_pins - 1, 1)
    assert show(39, 30)[1] >= all_found // 4


@given(st.lists(HOSTILE, max_size=30), st.lists(HOSTILE, max_size=30))
def test_with_pins_the_block_keeps_its_budgets_and_its_order(pinned: list[str], others: list[str]) -> None:
    memories = [memory(text, number) for number, text in enumerate([*pinned, *others], 1)]
    injected = inject(memories, pins=len(pinned))
    indexes = [item.index for item in injected.items]
    assert indexes == sorted(set(indexes))
    assert tokens(injected.block) <= Budget().total_tokens
    assert len(injected.items) <= Budget().most
    if {collapse(text).casefold() for text in others} - {collapse(text).casefold() for text in [*pinned, ""]}:
        assert any(index >= len(pinned) for index in indexes)
