"""Measurement of one system after the other, each on stores of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.bench.facts.crowd import crowd
from lab.bench.facts.kills import killed
from lab.bench.facts.quiet import first_texts, quiet, shown_share
from lab.bench.facts.stage import Gateway, Seen, Upstream, upstream
from lab.bench.facts.store import fill
from lab.bench.facts.systems import System
from lab.bench.facts.words import mark, question
from lab.bench.measure import Figures, percentile
from lab.bench.process import MeasurementError

Say = Callable[[str], object]
SHARED = "global"
"""Conversation that is searched from every other one: what is there before the start."""
KEPT = "kept"
"""Series of its words."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    quiet: int
    streams: int
    each: int
    """Requests of each of sixteen clients."""
    few: int
    """Facts of the store that is started again."""
    turns: int
    """That are measured there."""
    many: int
    """Facts of the store that is searched; 0 for none."""
    searches: int


WHOLE = Sizes(quiet=100, streams=40, each=25, few=1_000, turns=20, many=10_000, searches=40)
PEERS = Sizes(quiet=12, streams=8, each=3, few=1_000, turns=4, many=10_000, searches=10)
"""Of a system that takes a second for a turn."""
QUICK = Sizes(quiet=3, streams=3, each=2, few=30, turns=3, many=0, searches=0)
PEERS_KILLS = 3
SHOWN = 20
"""Most questions whose fact is looked for among what the model is shown."""


def measure(say: Say, warn: Say, systems: Sequence[tuple[System, Sizes]], kills: int, seed: str) -> dict[str, Figures]:
    """Figures of each system, by its name.

    Args:
        say: Is told what is being done now.
        warn: Is told what is wrong with a peer, whose figures end there.
        systems: What is measured, and how much of it; the first is ours.
        kills: How often ours is killed; a peer, which takes seconds for a start, a few times at most.
        seed: Decides when.

    Raises:
        MeasurementError: ours did not start, or did not answer.
    """
    figures: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="agent-facts-") as whole:
        for place, (system, sizes) in enumerate(systems):
            folder = Path(whole) / system.name
            folder.mkdir()
            figures[system.name] = {}
            its_kills = min(kills, PEERS_KILLS) if place else kills
            try:
                for part in _parts(say, system, sizes, folder, (its_kills, seed)):
                    figures[system.name] |= part
            except MeasurementError as error:
                if not place:
                    raise
                warn(f"{system.name}: {error}")
    return figures


def _parts(say: Say, system: System, sizes: Sizes, folder: Path, kills: tuple[int, str]) -> Iterator[Figures]:
    with upstream(folder) as its_upstream:
        yield from _measured(say, system, sizes, folder, its_upstream)
    count, seed = kills
    if count:
        yield killed(system, folder, count, seed, partial(_say_kill, say, system, count))


def _say_kill(say: Say, system: System, kills: int, number: int) -> None:
    say(f"{system.name}: {number} of {kills} kills")


def _measured(say: Say, system: System, sizes: Sizes, folder: Path, its_upstream: Upstream) -> Iterator[Figures]:
    say(f"{system.name}: an empty store")
    yield _empty(say, system, sizes, _place(folder, "empty"), its_upstream)
    say(f"{system.name}: {sizes.few:,} facts, first start")
    yield _few(say, system, sizes, _place(folder, "few"), its_upstream)
    if sizes.many:
        say(f"{system.name}: {sizes.many:,} facts, first start")
        yield _many(say, system, sizes, _place(folder, "many"), its_upstream)


def _place(folder: Path, name: str) -> Path:
    place = folder / name
    place.mkdir()
    return place


def _empty(say: Say, system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    with Gateway(system, place, its_upstream) as gateway:
        figures = {"start_empty_s": gateway.wait()}
        gateway.settle()
        figures["rss_start_mb"] = gateway.costs().rss_mb
        say(f"{system.name}: quiet requests")
        figures |= quiet(gateway, "quiet", sizes.quiet)
        streams = first_texts(gateway, sizes.streams, "quiet")
        figures["first_text_p50_ms"] = 1000 * percentile(streams, 0.5)
        figures["first_text_p95_ms"] = 1000 * percentile(streams, 0.95)
        say(f"{system.name}: 16 at once")
        figures |= crowd(gateway, sizes.each)
        figures["stop_s"] = gateway.stop()
    return figures


def _few(say: Say, system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    fill(system.store(place), SHARED, KEPT, sizes.few)
    figures = _filled(system, place, its_upstream, sizes.few)
    say(f"{system.name}: {sizes.few:,} facts, second start")
    before = its_upstream.seen()
    with Gateway(system, place, its_upstream) as gateway:
        figures["start_s"] = gateway.wait()
        with gateway.client() as client:
            client.ask("first", question(KEPT, sizes.few // 2))
        figures["start_answered_s"] = gateway.age_s()
        figures["start_shown"] = mark(KEPT, sizes.few // 2) in its_upstream.seen().shown[-1]["marks"]
        after = gateway.settle(1.0)
        figures["start_texts"] = max(0, _embedded(before, after) - _of_a_turn(its_upstream, gateway))
        figures |= {f"few_{name}": value for name, value in quiet(gateway, "quiet", sizes.turns, "few").items()}
        figures["few_shown"] = shown_share(gateway, min(sizes.turns, SHOWN), KEPT, sizes.few)
        gateway.stop()
    return figures


def _many(say: Say, system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    fill(system.store(place), SHARED, KEPT, sizes.many)
    with Gateway(system, place, its_upstream) as gateway:
        gateway.wait()
        gateway.settle(1.5)
        figures = {"many_filled_s": gateway.age_s() - 1.5}
        say(f"{system.name}: searches in {sizes.many:,} facts")
        added = first_texts(gateway, sizes.searches, KEPT)
        figures["search_p50_ms"] = 1000 * percentile(added, 0.5)
        figures["search_p95_ms"] = 1000 * percentile(added, 0.95)
        figures |= {
            f"many_{name}": value for name, value in quiet(gateway, "quiet", sizes.searches // 2, "many").items()
        }
        figures["many_shown"] = shown_share(gateway, min(sizes.searches, SHOWN), KEPT, sizes.many)
        figures["many_rss_mb"] = gateway.costs().rss_mb
    return figures


def _filled(system: System, place: Path, its_upstream: Upstream, facts: int) -> Figures:
    """First start on facts that nobody has embedded yet."""
    before = its_upstream.seen()
    with Gateway(system, place, its_upstream) as gateway:
        healthy_s = gateway.wait()
        after = gateway.settle(1.5)
        figures = {
            "first_start_s": healthy_s,
            "first_filled_s": gateway.age_s() - 1.5,
            "first_calls": after.calls.get("embed", 0) - before.calls.get("embed", 0),
            "first_embeddings": _embedded(before, after) / facts,
        }
        gateway.stop()
    return figures


def _embedded(before: Seen, after: Seen) -> int:
    return after.texts - before.texts


def _of_a_turn(its_upstream: Upstream, gateway: Gateway) -> int:
    """Texts that a turn like the first one has embedded when all else is done."""
    before = its_upstream.seen()
    with gateway.client() as client:
        client.ask("second", question(KEPT, 1))
    return _embedded(before, gateway.settle(0.5))
