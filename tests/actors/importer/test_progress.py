"""Places are read newest first, once, and what is left is estimated by their time."""

from __future__ import annotations

from actors.importer.progress import NEWEST, Reading, begin, estimate_left, newest_first
from messages.base import Surface, Window
from messages.past import PastPlace

BORN = 1_000_000


def window(number: int = 0) -> Window:
    return Window(surface=Surface.DISCORD_CHANNEL, id=str(BORN + number))


def test_a_place_is_read_from_its_newest_message_and_again_only_from_where_it_was_read_to() -> None:
    place = PastPlace(window=window(), newest=BORN + 100)
    first = begin(place, None)
    assert (first.after, first.before) == (0, BORN + 101)
    cut_off = first.take(BORN + 50, BORN + 100, 10, 10, is_last=False)
    assert begin(place, cut_off) == cut_off
    done = cut_off.take(BORN, BORN + 49, 10, 9, is_last=True)
    assert begin(place, done) == done
    later = begin(PastPlace(window=window(), newest=BORN + 200), done)
    assert (later.after, later.before, later.stored) == (BORN + 100, BORN + 201, 19)


def test_the_newest_message_is_learned_where_discord_did_not_name_it() -> None:
    reading = begin(PastPlace(window=window(), newest=0), None)
    assert reading.before == NEWEST
    assert reading.take(BORN + 5, BORN + 9, 2, 2, is_last=False).top == BORN + 9


def test_what_is_left_is_as_busy_as_what_was_read() -> None:
    half = Reading(window=window(), top=BORN + 100, after=0, before=BORN + 50, read=500)
    assert estimate_left([half]) == 500
    assert estimate_left([half, begin(PastPlace(window=window(1), newest=BORN + 9), None)]) == 1_500
    assert estimate_left([]) == 0


def test_too_little_of_a_places_time_says_nothing_of_the_rest() -> None:
    hardly = Reading(window=window(), top=BORN + 1_000, after=0, before=BORN + 991, read=100)
    assert estimate_left([hardly]) == 0
    half = Reading(window=window(1), top=BORN + 101, after=0, before=BORN + 51, read=500)
    assert estimate_left([hardly, half]) == 500 + 1_000


def test_places_with_the_newest_unread_messages_go_first() -> None:
    readings = {
        window(number): Reading(window=window(number), top=BORN + 100, after=0, before=before, is_done=before == 7)
        for number, before in enumerate((5, 9, 7, 8))
    }
    assert newest_first(readings) == [window(1), window(3), window(0)]
