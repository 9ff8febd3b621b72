"""Readings of channels, against a dict of the same."""

from __future__ import annotations

import random
import tracemalloc

from domain.log.reading import Reading
from domain.log.readings import Readings
from domain.log.watermark import ENDLESS, Gap, Watermark
from messages.base import Surface

SURFACES = tuple(Surface)
IDS = range(40)


def said(reading: Reading | None) -> object:
    """All that is known of a channel."""
    if reading is None:
        return None
    known = (
        reading.surface,
        reading.first,
        reading.reached,
        reading.gaps,
        reading.session,
        reading.joins,
        reading.confirmed,
    )
    return known, reading.watermark()


def changed(chance: random.Random, reading: Reading) -> None:
    """Have something happen in a channel."""
    message_id = chance.choice([chance.randrange(1000), ENDLESS - 1, ENDLESS, ENDLESS + 5, 1 << 70])
    what = chance.choice(["join", "leave", "notice", "pass_by", "settle", "fill", "page"])
    match what:
        case "join":
            reading.join(chance.randrange(3), chance.choice([message_id, ENDLESS]))
        case "leave":
            reading.leave()
        case "notice":
            reading.notice(message_id, chance.randrange(3))
        case "pass_by":
            reading.pass_by(message_id, chance.randrange(3))
        case "settle":
            reading.settle(message_id)
        case "page":
            after = chance.choice([chance.randrange(1000), reading.confirmed])
            reading.fill_page(after, message_id, joins=chance.randrange(3), reached=reading.reached, is_last=True)
        case _:
            reading.fill(chance.randrange(1000), message_id)


def require_same(kept: Readings, known: dict[int, Reading], logged: set[int], written: dict[int, Watermark]) -> None:
    assert len(kept) == len(known)
    assert {number for number in IDS if number in kept} == known.keys()
    assert [said(kept.get(number)) for number in IDS] == [said(known.get(number)) for number in IDS]
    assert kept.newest() == max((min(each.reached, ENDLESS) for each in known.values()), default=0)
    assert kept.met() == min((each.first for each in known.values() if each.first), default=0)
    assert {number for number in IDS if kept.has_logs(number)} == logged & known.keys()
    assert sorted((number, surface) for _, number, surface in kept.logged()) == sorted(
        (number, known[number].surface) for number in logged & known.keys()
    )
    at_rest = {
        (each.reached, number) for number, each in known.items() if each.may_be_forgotten and each.reached <= ENDLESS
    }
    assert {*kept.resting()} == at_rest
    for surface in SURFACES:
        of_surface = {number for number, each in known.items() if each.surface is surface}
        assert {*kept.of_surface(surface)} == of_surface
    assert kept.all_written() == written
    assert kept._unmet.isdisjoint(known)
    assert [kept.written(number) for number in IDS] == [written.get(number) for number in IDS]


def test_whatever_happens_each_channel_is_known_as_an_object_of_its_own_would_know_it() -> None:
    chance = random.Random(20261127)
    for _ in range(20):
        kept, known, logged, written = Readings(), dict[int, Reading](), set[int](), dict[int, Watermark]()
        for _ in range(400):
            number, upto = chance.choice(IDS), chance.choice([0, chance.randrange(1000), ENDLESS, 1 << 70])
            match chance.choice(["meet", "change", "change", "change", "drop", "log", "write"]):
                case "meet" if number not in known:
                    first = chance.choice([0, 0, 0, 7])
                    mark = Watermark(surface=chance.choice(SURFACES), first=first, upto=upto)
                    known[number] = Reading(mark)
                    kept.keep(number, Reading(mark))
                case "change" if number in known:
                    seed, reading = chance.random(), kept.get(number)
                    assert reading is not None
                    for each in (known[number], reading):
                        changed(random.Random(seed), each)
                    kept.keep(number, reading)
                case "drop":
                    known.pop(number, None)
                    written.pop(number, None)
                    kept.drop(number)
                case "log":
                    logged.add(number)
                    kept.note_logs(number)
                case "write":
                    gaps = chance.choice([(), (), (Gap(1, 2),)])
                    surface = known[number].surface if number in known else SURFACES[0]
                    mark = Watermark(surface=surface, first=chance.choice([0, 0, 3]), upto=upto, gaps=gaps)
                    kept.note_written(number, mark)
                    if number in known:
                        written[number] = mark
                case _:
                    continue
            require_same(kept, known, logged, written)


def test_a_channel_at_rest_takes_few_bytes() -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = Readings()
        for number in range(10**18, 10**18 + 20_000):
            mark = Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=number + 9)
            kept.keep(number, Reading(mark))
            kept.note_written(number, mark)
            kept.note_logs(number)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(kept) == 20_000
    assert (held - before) / 20_000 < 70
