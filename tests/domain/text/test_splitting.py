from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.characters import units
from domain.text.splitting import LIMIT, Piece, pieces, sendable, split

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAG = "\U0001f1eb\U0001f1f7"
PROSE = st.text(alphabet="ab .\n\t\u00e9\u0301\U0001f600", max_size=40)
WIDE = st.text(max_size=20)
LONG = st.lists(
    st.one_of(
        PROSE, WIDE, st.sampled_from(["```\n", "\n```\n", "````", "x" * 150, "\n\n", " " * 90, FAMILY, FLAG * 9])
    ),
    max_size=20,
).map("".join)
INVISIBLE = re.compile(r"[\s`]+")


def visible(text: str) -> str:
    """Text without blanks and block marks."""
    return INVISIBLE.sub("", text)


@given(LONG, st.integers(200, 400))
def test_no_message_is_blank_or_longer_than_the_limit(text: str, limit: int) -> None:
    for part in split(text, limit):
        assert part.strip()
        assert units(part) <= limit


@given(LONG)
def test_the_sources_of_all_messages_are_the_text(text: str) -> None:
    split_pieces = pieces(text, 200)
    assert not split_pieces or "".join(piece.source for piece in split_pieces) == text


@given(LONG)
def test_everything_visible_is_shown_once_and_in_order(text: str) -> None:
    assert "".join(visible(part) for part in split(text, 200)) == visible(text)


@given(LONG)
def test_each_message_shows_what_its_source_says(text: str) -> None:
    for piece in pieces(text, 200):
        assert visible(piece.text) == visible(piece.source)


@given(LONG)
def test_every_block_of_a_cut_text_is_closed_in_its_own_message(text: str) -> None:
    parts = split(text, 200)
    for part in parts if len(parts) > 1 else ():
        assert len(re.findall("`{3,}", part)) % 2 == 0


@given(st.text(max_size=LIMIT // 2))
def test_a_short_text_is_one_message_without_its_blank_edges(text: str) -> None:
    assert split(text) == ((text.strip(),) if text.strip() else ())


def test_a_blank_text_is_no_message() -> None:
    assert split(" \n\t" * 5000) == ()


def test_a_paragraph_is_preferred_to_a_line_and_a_line_to_a_word() -> None:
    first, second = "one two\n" * 100, "three four\n" * 150
    assert split(first + "\n" + second, 1500)[0] == first.strip()
    assert split("five six\n" * 300, 1000)[0].endswith("six")
    assert split("seven eight " * 300, 1000)[0].split(" ")[-1] in {"seven", "eight"}


def test_a_pause_that_comes_too_early_is_not_used() -> None:
    assert len(split("short\n\n" + "x" * 3000)) == 2


def test_a_cut_code_block_keeps_its_language() -> None:
    code = "\n".join(f"line_{i} = {i}" for i in range(300))
    parts = split(f"Here:\n```python\n{code}\n```\nDone.")
    assert len(parts) > 2
    assert all(part.startswith("```python\n") for part in parts[1:])
    assert all(part.endswith("\n```") for part in parts[:-1])
    assert parts[-1].endswith("```\nDone.")
    lines = [line for part in parts for line in part.splitlines() if line.startswith("line_")]
    assert "\n".join(lines) == code


def test_indentation_inside_a_cut_block_survives() -> None:
    body = "".join(f"if x{i}:\n    y = {i}\n" for i in range(200))
    visible_text = "".join(
        line + "\n"
        for part in split(f"```python\n{body}```")
        for line in part.splitlines()
        if not line.startswith("```")
    )
    assert visible_text == body


def test_a_late_block_goes_into_the_next_message_whole() -> None:
    prose, block = "word " * 300, "```sh\n" + "echo hello\n" * 60 + "```"
    first, second = split(prose + "\n" + block)
    assert first == prose.strip()
    assert second == block


def test_no_message_is_an_empty_block() -> None:
    for pad in range(1900, 2000):
        parts = split("a" * pad + "\n```py\n" + "b" * 500 + "\n```")
        assert all(visible(part.replace("```py", "```")) for part in parts)


def test_a_block_that_ends_at_the_cut_leaves_no_empty_block_behind() -> None:
    for size in range(1970, 2000):
        parts = split("```\n" + "c" * size + "\n```\nafter")
        assert parts[-1].endswith("after")
        assert "```\n\n```" not in "".join(parts)


def test_no_character_is_cut_in_two(subtests: pytest.Subtests) -> None:
    for cluster in [FAMILY, FLAG, "e\u0301", "\U0001f44d\U0001f3fd", "\u1112\u1161\u11ab", "\r\n", "\ud83d\ude00"]:
        with subtests.test(cluster=cluster):
            for shift in range(12):
                for part in split("a" * shift + cluster * 900, 200):
                    rest = part.strip("a") if cluster != "\r\n" else ""
                    assert rest.count(cluster) * len(cluster) == len(rest)


def test_a_pile_of_marks_larger_than_a_message_is_still_cut() -> None:
    parts = split("e" + "\u0301" * 5000)
    assert all(units(part) <= LIMIT for part in parts)
    assert sum(len(part) for part in parts) == 5001


def test_characters_outside_the_basic_plane_count_twice() -> None:
    assert units("a\U0001f600") == 3
    assert len(split("\U0001f600" * 1001)) == 2


def test_a_limit_without_room_for_block_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="199"):
        split("x", 199)


def test_a_sendable_text_encodes() -> None:
    assert sendable("a\ud83d\ude00b\ud83dc") == "a\U0001f600b\ufffdc"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_an_ordinary_text_is_sendable_as_it_is(text: str) -> None:
    assert sendable(text) == text


def rows(count: int, width: int = 30) -> str:
    """A table's rows."""
    return "".join(f"| {number} | {'x' * width} |\n" for number in range(count))


TABLE_HEAD = "| number | what |\n| --- | :-: |\n"


def test_a_table_that_fits_a_message_is_not_cut() -> None:
    table = TABLE_HEAD + rows(30)
    for words in range(150, 400, 10):
        parts = split("word " * words + "\n\n" + table + "\nAnd more.\n" + "tail " * 200)
        assert sum(table.strip() in part for part in parts) == 1


def test_a_list_that_fits_a_message_is_not_cut_even_if_its_items_are_far_apart() -> None:
    items = "".join(f"{number}. first line of it\n   and a second one\n\n- nested {number}\n" for number in range(25))
    for words in range(150, 400, 10):
        parts = split("word " * words + "\n" + items + "\n\nAnd more.\n" + "tail " * 200)
        assert sum(items.strip() in part for part in parts) == 1


@pytest.mark.req("X-208")
def test_a_longer_table_is_cut_between_rows_and_each_part_has_the_head() -> None:
    for pad in range(1700, 1990, 7):
        parts = split("a" * pad + "\n" + TABLE_HEAD + rows(150))
        assert all(line.count("|") in (0, 3) for part in parts for line in part.splitlines())
        assert all(part.count(TABLE_HEAD) == ("| x" in part) for part in parts)


def test_a_longer_list_is_cut_between_items() -> None:
    items = [f"- item {number}: " + "some words " * (number % 12) + "\n  with a second line\n" for number in range(80)]
    parts = split("".join(items))
    assert len(parts) > 2
    assert all(part.startswith("- item ") for part in parts)
    assert all(part.endswith("with a second line") for part in parts)


def test_an_item_longer_than_a_message_is_cut_all_the_same() -> None:
    parts = split("- short\n- " + "word " * 900 + "\n- end")
    assert len(parts) == 3
    assert all(units(part) <= LIMIT for part in parts)


def test_what_looks_like_a_list_in_a_code_block_is_code() -> None:
    code = "".join(f"- line {number}\n" for number in range(400))
    parts = split(f"```yaml\n{code}```")
    assert all(part.startswith("```yaml\n") and part.endswith("\n```") for part in parts)
    assert "".join(part[8:-3] for part in parts) == code


# many texts

BLOCKS = (
    lambda r: " ".join(words(r, 60)) + "\n",
    lambda r: "#" * r.randint(1, 4) + " " + " ".join(words(r, 6)) + "\n",
    lambda r: "".join(
        f"{r.choice(['-', '*', '  -', '1.', '22)'])} {' '.join(words(r, 14))}\n" for _ in range(r.randint(1, 9))
    ),
    lambda r: "".join(f"- {' '.join(words(r, 9))}\n\n  {' '.join(words(r, 9))}\n" for _ in range(r.randint(1, 5))),
    lambda r: "| a | b |\n|---|---|\n" + "".join(f"| {' '.join(words(r, 3))} | x |\n" for _ in range(r.randint(0, 12))),
    lambda r: (
        f"```{r.choice(['', 'py', 'c++', 'sh'])}\n"
        + "".join(f"{' ' * r.randint(0, 6)}{' '.join(words(r, 5))}\n" for _ in range(r.randint(0, 14)))
        + r.choice(["```\n", "```", "````\n", ""])
    ),
    lambda r: "> " + " ".join(words(r, 30)) + "\n",
    lambda r: "".join(words(r, 25)) + r.choice(["", " ", "\r\n", "\n\n\n", " \n \n"]),
    lambda r: "`" * r.randint(1, 7) + r.choice(["", "x"]) + "`" * r.randint(0, 4),
)
WORDS = (
    "a",
    "the",
    "splitting",
    "**bold**",
    "`code`",
    FAMILY,
    FLAG,
    "\u4e2d\u6587\u5b57",
    "e\u0301",
    "\U0001f600" * 3,
    "x" * 40,
    "|",
    "-",
)


def words(r: random.Random, most: int) -> list[str]:
    return r.choices(WORDS, k=r.randint(1, most))


def markdown(r: random.Random) -> str:
    """A random text."""
    return "".join(r.choice(BLOCKS)(r) + r.choice(["", "\n", "\n"]) for _ in range(r.randint(1, 7)))


REPAIRS = frozenset("`*_~|>#-+….)0123456789")


def without_source(piece: Piece) -> str | None:
    """Letters of a piece besides its source's; None if letters of the source are missing or in another order."""
    rest, wanted = "", iter(visible(edges(piece.source))[::-1])
    character = next(wanted, None)
    for one in visible(piece.text)[::-1]:
        if one == character:
            character = next(wanted, None)
        elif one not in REPAIRS:
            rest = one + rest
    return rest if character is None else None


def edges(source: str) -> str:
    """A source without the languages of blocks, which may be empty there or named again."""
    return re.sub(r"`{3,}[\w+.#-]*", "", source)


@pytest.mark.slow
def test_10_000_random_markdown_texts_are_split_and_restored_without_a_difference() -> None:
    r = random.Random(20261122)
    cut = 0
    for number in range(10_000):
        text, limit = markdown(r), r.choice((200, 220))
        split_pieces = pieces(text, limit)
        cut += len(split_pieces) > 1
        if not split_pieces:
            assert not visible(edges(text)), number
            continue
        assert "".join(piece.source for piece in split_pieces) == text, number
        letters = "".join(c for c in visible(text) if c not in REPAIRS)
        for piece in split_pieces if len(split_pieces) > 1 else ():
            assert units(piece.text) <= limit, (number, piece)
            rest = without_source(Piece(piece.source, edges(piece.text)))
            assert rest is not None, (number, piece)
            assert rest in letters, (number, piece)
    assert cut > 5_000
