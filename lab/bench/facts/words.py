"""Messages of people, each with a unique mark, and the fact that a model takes from a message."""

from __future__ import annotations

import random
import re

MARK = re.compile(r"mark-[0-9a-z]+-\d+")
_PARTS = "ka ren to mil sa vor ne lin do gra pe tos ul wen bri cha no fer mi stal"
_THINGS = (
    *("bicycle", "tent", "piano", "recipe book", "spare key", "passport", "sewing machine", "telescope"),
    *("violin", "ladder", "camera", "old letters", "stamp album", "toolbox", "kayak", "chess set"),
)
_SMALL_TALK = "What do you think of that? Please answer in one or two sentences."


def mark(series: str, number: int) -> str:
    """Mark of a message; `series` has letters and digits."""
    return f"mark-{series}-{number}"


def fact(series: str, number: int) -> str:
    """Fact to remember of a message, in the third person."""
    thing, street, house = _place(series, number)
    return f"The user keeps a {thing} at {street} Street {house}, locker {mark(series, number)}."


def message(series: str, number: int) -> str:
    """Words of a person with a fact in the first sentence."""
    thing, street, house = _place(series, number)
    fact_sentence = f"I keep a {thing} at {street} Street {house}, locker {mark(series, number)}."
    return f"{fact_sentence} {_SMALL_TALK}"


def question(series: str, number: int) -> str:
    """Words related to a fact, without anything to remember."""
    thing, street, house = _place(series, number)
    return f"Where was the {thing} again, at {street} Street {house}?"


def facts_of(words: str) -> list[str]:
    """Facts that a good model takes from a message: each sentence with a mark, and no other sentence."""
    sentences = (sentence for sentence in re.split(r"(?<=[.?!])\s+", words) if MARK.search(sentence))
    return [re.sub(r"\bI keep\b", "The user keeps", sentence) for sentence in sentences if "I keep" in sentence]


def _place(series: str, number: int) -> tuple[str, str, int]:
    chance = random.Random(f"{series}/{number}")
    street = "".join(chance.choices(_PARTS.split(), k=3)).capitalize()
    return chance.choice(_THINGS), street, chance.randint(1, 99)
