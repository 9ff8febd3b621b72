from __future__ import annotations

import itertools
import random

import pytest

from domain.policy.audience import NO_VIEW, Audience, Reach, in_view, may_show, view_key
from messages.base import Surface, Window


def window(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(number))


def test_a_label_names_its_audience() -> None:
    for reach in Reach:
        audience = Audience("10", "20", reach)
        assert Audience.parse(str(audience)) == audience


def test_an_empty_label_is_an_unknown_audience() -> None:
    assert Audience.parse("") is None


@pytest.mark.parametrize("label", ["1", "1:2", "1:2:all", "a:2:private", "1::private", "1:2:private:3", " 1:2:private"])
def test_any_other_label_is_refused_by_name(label: str) -> None:
    with pytest.raises(ValueError, match="audience"):
        Audience.parse(label)


def test_a_window_may_always_see_itself() -> None:
    assert may_show(window(1), None, window(1), None)


def test_what_is_not_known_is_shown_nowhere_else() -> None:
    known = Audience("1", "2", Reach.EVERYONE)
    assert not may_show(window(1), None, window(2), known)
    assert not may_show(window(1), known, window(2), None)


class Guild:
    """A server with real readers, against which the labels are judged."""

    def __init__(self, dice: random.Random) -> None:
        members = range(dice.randint(1, 6))
        self.readers: dict[Window, frozenset[int]] = {}
        self.audiences: dict[Window, Audience] = {}
        for channel in range(1, dice.randint(2, 5)):
            is_open = dice.random() < 0.4
            may_read = frozenset(members if is_open else (m for m in members if dice.random() < 0.5))
            reach = Reach.EVERYONE if is_open else Reach.CHANNEL
            self._add(channel * 10, may_read, Audience("1", str(channel), reach))
            self._add(channel * 10 + 1, may_read, Audience("1", str(channel), reach))
            invited = frozenset(m for m in may_read if dice.random() < 0.5)
            self._add(channel * 10 + 2, invited, Audience("1", str(channel), Reach.PRIVATE))

    def _add(self, number: int, readers: frozenset[int], audience: Audience) -> None:
        self.readers[window(number)] = readers
        self.audiences[window(number)] = audience


def test_nothing_is_ever_shown_to_somebody_who_could_not_read_it_anyway() -> None:
    shown = 0
    for seed in range(2_000):
        guild = Guild(random.Random(seed))
        for source, target in itertools.product(guild.readers, repeat=2):
            if may_show(source, guild.audiences[source], target, guild.audiences[target]):
                shown += source != target
                assert guild.readers[target] <= guild.readers[source], (seed, source, target)
    assert shown > 10_000


def test_a_channel_and_its_public_threads_share_everything() -> None:
    channel = Audience("1", "5", Reach.CHANNEL)
    assert may_show(window(1), channel, window(2), channel)


def test_another_server_sees_nothing() -> None:
    assert not may_show(window(1), Audience("1", "5", Reach.EVERYONE), window(2), Audience("2", "5", Reach.EVERYONE))


def test_windows_in_which_the_same_may_be_read_share_a_view() -> None:
    for reach in Reach:
        assert view_key(window(1), str(Audience("1", "5", reach))) == "1-5"
    assert view_key(window(1), "") == NO_VIEW


def test_a_key_is_one_plain_name_of_a_folder() -> None:
    for label in ("", "1:2:private", "0:9:everyone"):
        key = view_key(window(1), label)
        assert key
        assert not set(key) & set("/.")


def test_a_view_holds_exactly_what_may_be_shown_there() -> None:
    audiences = [None, *(Audience(g, c, reach) for g in "12" for c in "56" for reach in Reach)]
    for source, target in itertools.product(audiences, repeat=2):
        key = view_key(window(2), str(target or ""))
        assert in_view(source, key) == may_show(window(1), source, window(2), target), (source, target)
