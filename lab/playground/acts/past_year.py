"""Made-up year of a small group that shares a house and a garden: the same words for the same day, always."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

DAYS = 365
PEOPLE = (("Mira", 910000000000000041), ("Tom", 910000000000000042), ("Ada", 910000000000000043))
"""Names and ids of the authors."""
_MOST_A_DAY = 3
_NOTABLE = {
    (1, 20): "The boiler is repaired: the plumber was Mr Okafor, and he fitted a new pressure valve for 140 pounds.",
    (2, 11): "The seed order is placed: two bags of early potatoes, leeks, and the purple carrots that Ada liked.",
    (3, 9): "The key of the garden gate hangs behind the blue pot now, because the old hook broke.",
    (4, 14): "Rhubarb cake, for whoever asks again: 300 g of rhubarb, three eggs, cardamom, 40 minutes at 180 degrees.",
    (5, 6): "The beehive inspection went well, the queen has the yellow mark, and the next look is in ten days.",
    (6, 18): "We walked from Alfriston to the Seven Sisters, eleven miles, and the bus back was the number 12.",
    (7, 22): "The roof leaks above the landing; the loose tile is the third from the chimney.",
    (8, 15): "The library book about mosses is due on the 29th and lies on the piano.",
    (9, 3): "The new router's sticker is inside the cupboard door, and the old one goes to the repair cafe.",
    (10, 12): "The apple press is borrowed from the allotment society until Sunday; we made 34 litres.",
    (11, 8): "The chimney was swept, and the sweep wants the stove door left open next time.",
    (12, 17): "The train to Leeds leaves at 10:33 from platform 9, and the seats are in coach C.",
}
"""Month and day -> a sentence for questions."""
_OPENINGS = ("Good morning.", "By the way:", "Quick note:", "For later:", "Reminder to myself:", "Just now:")
_THINGS = (
    "the compost is full and somebody has to turn it",
    "I bought bread, milk and two lemons",
    "the cat from next door slept in the greenhouse again",
    "the parcel for Tom is at number 14",
    "I water the tomatoes tonight",
    "the bicycle pump is back in the shed",
    "dinner is at seven, there is soup",
    "the washing machine beeps for no reason",
    "the meeting of the street moved to Thursday",
    "I found the missing chess piece under the sofa",
    "the heating was off all night, so I lit the stove",
    "the choir sings in the church hall on Saturday",
)


@dataclass(frozen=True, slots=True)
class PastWords:
    """Message of the past."""

    at: datetime
    author_id: int
    text: str


def past_year(until: date) -> Iterator[PastWords]:
    """Messages of the days before `until`, oldest first."""
    for days in range(DAYS, 0, -1):
        yield from _words_of(until - timedelta(days=days))


def _words_of(day: date) -> Iterator[PastWords]:
    chance = random.Random(day.toordinal())
    texts = [f"{chance.choice(_OPENINGS)} {chance.choice(_THINGS)}" for _ in range(chance.randint(0, _MOST_A_DAY))]
    if notable := _NOTABLE.get((day.month, day.day)):
        texts.append(notable)
    began = datetime.combine(day, time(8), UTC)
    for place, text in enumerate(texts):
        at = began + timedelta(hours=3 * place, seconds=chance.randrange(3_600))
        yield PastWords(at, chance.choice(PEOPLE)[1], text)
