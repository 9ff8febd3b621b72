"""Long answers cut into messages, each of which shows its part of the answer as the whole would."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.text.characters import units
from domain.text.splitting import split
from tests.domain.text.discord.rendering import ShownCharacter, render

CONTINUED = "…"
HEAD = "Ħ"
"""Stands in the heads of tables only, which are shown again."""

WORDS = (
    "alpha", "beta,", "gamma.", "2 * 3", "a|b", "#5", "--", "1.", "-", ">", "don't", "c++", "日本語",
    "👩\u200d👩\u200d👧", "e\u0301t\u0301", "\\*", "\\|\\|", "<@123456789>", "<:wave:42>", "<t:1700000000:R>",
    "https://example.com/a_b?c=d&e=f", "<https://example.com/x>", "`code || **`", "``a ` b``",
    "[words](https://example.com/page_(1))", "[two words](<https://example.com/b>)",
)  # fmt: skip
FORMATS = ("**", "__", "~~", "||", "*", "_")


def sentence(r: random.Random, most: int, used: tuple[str, ...] = ()) -> str:
    """Words that make no block of a line, and that end none of the used formats."""
    words = [word for word in WORDS if not used or not ({"*", "_", "|"} & {*word} - {"\\"})]
    return " ".join(["Word", *r.choices(words, k=r.randint(0, most)), "end"])


def inline(r: random.Random, most: int, used: tuple[str, ...] = ()) -> str:
    """Sentences, some in nested formats."""
    parts = []
    for _ in range(r.randint(1, 3)):
        mark = r.choice(FORMATS)
        if r.random() < 0.5 or mark in used or (mark in "*_" and any(sign in used for sign in "*_")):
            parts.append(sentence(r, most, used))
        else:
            parts.append(f"{mark}{inline(r, most, (*used, mark))}{mark}")
    return " ".join(parts)


def items(r: random.Random, depth: int = 0, used: tuple[str, ...] = ()) -> str:
    """A list with lists in it."""
    lines = ""
    for number in range(r.randint(1, 6)):
        bullet = r.choice(["-", "*", f"{number + 1}."])
        lines += f"{'   ' * depth}{bullet} {inline(r, 8, used)}\n"
        if depth < 2 and r.random() < 0.4:
            lines += items(r, depth + 1, used)
    return lines


def table(r: random.Random) -> str:
    row = "| {} | {} |\n"
    body = "".join(row.format(sentence(r, 1).replace("|", "/").replace("\\", ""), "x") for _ in range(r.randint(1, 15)))
    return row.format(HEAD, HEAD) + "| --- | :-: |\n" + body


def quote(r: random.Random) -> str:
    code = f"> ```py\n{''.join(f'> x = {number}' + chr(10) for number in range(r.randint(1, 30)))}> ```\n"
    return "".join(f"> {inline(r, 10)}\n" for _ in range(r.randint(1, 4))) + r.choice(["", code])


def fence(r: random.Random) -> str:
    return f"```{r.choice(['', 'py', 'c++'])}\n{''.join(f'  ** || line {n}' + chr(10) for n in range(r.randint(1, 30)))}```\n"


BLOCKS = (
    lambda r: inline(r, 25) + "\n",
    lambda r: inline(r, 60) + "\n",
    lambda r: "#" * r.randint(1, 3) + f" {inline(r, 12)}\n",
    lambda r: f"-# {inline(r, 12)}\n",
    items,
    table,
    quote,
    fence,
    lambda r: r.choice(["**", "||", "__"]).join(["", "\n\n".join(sentence(r, 20, ("x",)) for _ in "abc"), "\n"]),
    lambda r: f"||{sentence(r, 3, ('||',))}\n{items(r, used=('||',))}end||\n",
)


def answer(r: random.Random) -> str:
    """A text as models write them, in well-formed markdown."""
    text = "\n".join(r.choice(BLOCKS)(r) for _ in range(r.randint(1, 6)))
    return text + (f"\n>>> {inline(r, 40)}\n\n{inline(r, 40)}" if r.random() < 0.15 else "")


def shown_once(characters: list[ShownCharacter]) -> list[ShownCharacter]:
    """Characters without items that are begun again, heads of tables, and their lines."""
    return [one for one in characters if one.character not in {CONTINUED, HEAD, "|", "-", ":", "•"}]


@pytest.mark.req("X-208")
@given(st.integers(0, 2**32), st.integers(200, 500))
@settings(max_examples=300)
def test_the_messages_show_what_the_whole_would(seed: int, limit: int) -> None:
    text = answer(random.Random(seed))
    parts = split(text, limit)
    assert all(units(part) <= limit for part in parts)
    together = [one for part in parts for one in shown_once(render(part))]
    assert together == shown_once(render(text))
