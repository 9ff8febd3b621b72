from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.objects.diff import LONGEST, unified_diff
from tests.pace import paced_s

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "dd\n", "e\r\n", "a"]), max_size=14).map("".join)
PLENTY = 10**6
BOUND_S = 0.5


def diff_of(old: str, new: str) -> str:
    return unified_diff(old, new, "a.txt 1", "a.txt 2", PLENTY)


def apply_diff(old: str, diff: str) -> str:
    """`old` with a diff applied."""
    source = re.findall(r"[^\n]*\n|[^\n]+", old)
    result: list[str] = []
    at, last = 0, ""
    for line in diff.split("\n")[2:]:
        if head := re.fullmatch(r"@@ -(\d+)(,0)?.* @@", line):
            start = int(head[1]) - (0 if head[2] else 1)
            result += source[at:start]
            at = start
        elif line.startswith("\\"):
            result[-1:] = [each.removesuffix("\n") if last != "-" else each for each in result[-1:]]
        else:
            last = line[0]
            if last != "+":
                assert source[at].removesuffix("\n") == line[1:]
                at += 1
            if last != "-":
                result.append(line[1:] + "\n")
    return "".join(result + source[at:])


def test_a_diff_shows_what_changed_between_what_stayed() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 21))

    assert diff_of(old, old.replace("line 10\n", "line ten\nand more\n")).split("\n") == [
        "--- a.txt 1",
        "+++ a.txt 2",
        "@@ -7,7 +7,8 @@",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+line ten",
        "+and more",
        " line 11",
        " line 12",
        " line 13",
    ]


def test_equal_texts_have_no_diff() -> None:
    assert diff_of("a\n", "a\n") == diff_of("", "") == ""


def test_a_missing_line_feed_at_the_end_is_said() -> None:
    assert diff_of("a\nb", "a\nb\n").split("\n")[2:] == [
        "@@ -1,2 +1,2 @@",
        " a",
        "-b",
        "\\ No newline at end of file",
        "+b",
    ]


@pytest.mark.parametrize(("old", "new", "head"), [("", "a\n", "@@ -0,0 +1 @@"), ("a\nb\n", "", "@@ -1,2 +0,0 @@")])
def test_a_text_from_nothing_and_one_that_is_emptied(old: str, new: str, head: str) -> None:
    assert diff_of(old, new).split("\n")[2] == head


@given(TEXTS, TEXTS)
def test_the_new_text_comes_out_of_the_old_one_and_the_diff(old: str, new: str) -> None:
    assert apply_diff(old, diff_of(old, new)) == new


def test_two_edits_far_apart_in_a_long_text_are_all_that_is_shown() -> None:
    """Though most of its lines stand in it more than once, and difflib would compare all that lies between."""
    lines = [f"    line {n // 3}\n" for n in range(12_000)]
    edited = [*lines]
    edited[5], edited[-5] = "edited\n", "edited too\n"

    diff = diff_of("".join(lines), "".join(edited))
    assert diff.count("\n-") == 1 + 1
    assert diff.count("\n+") == 1 + 2


def numbers(rng: random.Random, lines: int, kinds: int) -> str:
    return "".join(f"{rng.randrange(kinds)}\n" for _ in range(lines))


UNIQUE = tuple(f"line {n}\n" for n in range(25_000))
BLOCKS = tuple(f"{n}\n" for n in range(800)) * 2
HOSTILE: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "two kinds of lines": lambda rng: (numbers(rng, 140_000, 2), numbers(rng, 140_000, 2)),
    "a hundred": lambda rng: (numbers(rng, 90_000, 100), numbers(rng, 90_000, 100)),
    "ten thousand": lambda rng: (numbers(rng, 90_000, 10_000), numbers(rng, 60_000, 10_000)),
    "blank lines": lambda _: ("\n" * LONGEST, "\n" * (LONGEST - 2) + "a\n"),
    "every other line": lambda _: ("".join(UNIQUE), "".join(x if n % 2 else f"x{x}" for n, x in enumerate(UNIQUE))),
    "another order": lambda rng: ("".join(UNIQUE), "".join(rng.sample(UNIQUE, len(UNIQUE)))),
    "backwards": lambda _: ("".join(UNIQUE), "".join(UNIQUE[::-1])),
    "every line twice": lambda _: ("".join(BLOCKS), "".join(x if n % 2 else "-\n" for n, x in enumerate(BLOCKS))),
    "one line": lambda _: ("a" * LONGEST, "b" * LONGEST),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_longest_texts_are_compared_in_bounded_time(name: str) -> None:
    old, new = (text[:LONGEST] for text in HOSTILE[name](random.Random(1)))

    assert paced_s(lambda: unified_diff(old, new, "a", "b", PLENTY), tries=3, enough_s=BOUND_S) < BOUND_S
    assert apply_diff(old, unified_diff(old, new, "a", "b", PLENTY)) == new


def test_a_text_that_is_too_long_is_not_compared_which_is_said() -> None:
    assert diff_of("a" * (LONGEST + 1), "b") == (
        "(not compared: 262145 and 1 characters; 262144 are the most that can be)"
    )


@given(TEXTS, TEXTS, st.integers(0, 60))
def test_a_long_diff_is_cut_which_is_said(old: str, new: str, most: int) -> None:
    whole, cut = diff_of(old, new), unified_diff(old, new, "a.txt 1", "a.txt 2", most)

    if len(whole) <= most:
        assert cut == whole
    else:
        head, _, note = cut.rpartition("\n")
        assert note == f"(the rest of the diff is left out: it has more than {most} characters)"
        assert head == whole[:most]
