"""A line per sentence, so that a change to a page can be read line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.prose import faults, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_line_of_prose_is_one_sentence(page: Path) -> None:
    assert [f"{page.name}:{line}: {fault}" for line, fault in faults(page.read_text("utf-8"))] == []


def test_what_is_a_line_per_sentence_is_left_alone(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "One sentence.\nAnother; its second half, e.g. `a. B`, stands with it.",
        "**What.** One sentence behind a label.",
        "- An item.\n  Its second sentence.\n- Another item.",
        "1. *Bot*: see [the page](https://example.org/a.%20B).\n   Then go on.",
        "| a cell. With two | sentences. Or three |",
        "```sh\necho one. Two\n```",
        "````\n```\nOne. Two\n```\n````",
        "# A heading. And more",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert list(faults(text)) == []


def test_what_is_not_is_named_with_its_line(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int]] = [
        ("First.\nSecond. Third.", 2),
        ("Is it? numpy knows.", 1),
        ("(In brackets.) Then not.", 1),
        ("He says “so.” Then goes.", 1),
        ("- An item. Its second sentence.", 1),
        ("See `a.py`. `b.py` has more.", 1),
        ("```\ncode\n```\nOne. Two.", 4),
        ("One that goes\non.", 1),
    ]
    for text, line in cases:
        with subtests.test(text=text, line=line):
            assert [number for number, _ in faults(text)] == [line]
