from __future__ import annotations

import random

from domain.policy.audience import view_of
from domain.policy.known_readers import KnownReaders
from messages.base import Surface, Window
from messages.discord import Grant, Readers, WindowReaders

WINDOWS = [Window(surface=Surface.DISCORD_THREAD, id=str(900 + number)) for number in range(8)]


def readers(channel: int, *, private: bool) -> Readers:
    grant = Grant(is_default=not private)
    return Readers(guild_id="1", channel_id=str(channel), sees=grant, reads=(grant,), is_private=private)


def test_whatever_is_learned_in_whatever_order_each_channel_is_known_as_its_windows_say() -> None:
    chance = random.Random(20261126)
    for _ in range(300):
        known, announced = KnownReaders(), dict[str, Readers]()
        for _ in range(12):
            news = {
                window: chance.choice([None, readers(chance.randrange(3), private=chance.random() < 0.3)])
                for window in chance.sample(WINDOWS, chance.randrange(1, 4))
            }
            is_all = chance.random() < 0.1
            before = dict(announced)
            announced = {} if is_all else announced
            for window, each in news.items():
                key = window.address.key
                if each is None:
                    announced.pop(key, None)
                else:
                    announced[key] = each
            changed = known.learn(
                [WindowReaders(window=window, readers=each) for window, each in news.items()], is_all=is_all
            )

            assert set(changed) == {key for key in before | announced if before.get(key) != announced.get(key)}
            assert {view_of(each) for each in known.channels} == {view_of(each) for each in announced.values()}
            for each in announced.values():
                assert known.of_view(view_of(each)) in announced.values()
            assert all(known.of(key) == each for key, each in announced.items())


def test_a_channel_is_shown_the_windows_that_all_its_readers_may_read() -> None:
    known = KnownReaders()
    here, beside, private = readers(1, private=False), readers(2, private=False), readers(3, private=True)
    known.learn(
        [
            WindowReaders(window=window, readers=each)
            for window, each in zip(WINDOWS, (here, beside, private), strict=False)
        ]
    )

    assert known.admitted_to(here) == {WINDOWS[0].address.key, WINDOWS[1].address.key}
    assert known.windows == {window.address.key for window in WINDOWS[:3]}
