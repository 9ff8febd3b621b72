from __future__ import annotations

import pytest

from domain.text.markdown.code_fences import CodeFences
from tests.pace import paced_s


def blocks(text: str, *, behind_bullets: bool = False) -> list[tuple[int, int]]:
    return [*CodeFences(text.split("\n"), behind_bullets=behind_bullets).blocks()]


def test_a_block_is_what_a_fence_opens_and_another_closes(subtests: pytest.Subtests) -> None:
    for text, expected in [
        ("a\n```sh\nb\n```\nc", [(1, 3)]),
        ("~~~\n```\n~~~\n```\na\n```", [(0, 2), (3, 5)]),
        ("````\n```\n````", [(0, 2)]),
        ("```\n````", [(0, 1)]),
        ("``` a`b\n```\n```", [(1, 2)]),
        ("~~~ a~b\n~~~", [(0, 1)]),
        ("```\na", []),
        ("```\n``` a", []),
        ("  ```\n\t```", [(0, 1)]),
        ("``\n``", []),
    ]:
        with subtests.test(text=text):
            assert blocks(text) == blocks(text.replace("\n", "\r\n")) == blocks(text, behind_bullets=True) == expected


def test_behind_a_bullet_a_block_is_opened_where_that_is_asked_for_and_never_closed() -> None:
    text = "- ```\n1. ```\n  ```"

    assert blocks(text, behind_bullets=True) == [(0, 2)]
    assert blocks(text) == []


def test_a_line_within_a_block_may_be_asked_about_by_itself() -> None:
    fences = CodeFences(["```", "~~~", "```", "~~~"])

    assert [fences.last_of(number) for number in range(5)] == [2, 3, None, None, None]


def test_lines_that_were_written_to_cost_time_cost_little() -> None:
    lines = [f"{'~' * (653 - number)}x" for number in range(650)] + ["~~~x"] * 9_000

    def read() -> None:
        assert [*CodeFences(lines).blocks()] == []

    assert paced_s(read) < 1.0
