"""Script of a run: the people's acts and the faults, with their seconds; drawn whole before the run begins."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from lab.simulation.chance import Chance

HORIZON_S = 400.0
"""Seconds within which everything on a script happens."""


class Act(StrEnum):
    """Kind of event."""

    SAY = "say"
    STOP_WORD = "stop word"
    OPEN_THREAD = "open thread"
    NEW_WINDOW = "new window"
    REMIND = "remind"
    KILL = "kill"
    RESTART = "restart"
    CRASH = "crash"
    DROP = "drop"
    REST_DOWN = "rest down"
    REST_SHAKY = "rest shaky"
    REST_WELL = "rest well"
    GATEWAY_DOWN = "gateway down"
    GATEWAY_UP = "gateway up"
    DISK_FAULT = "disk fault"
    DISK_WELL = "disk well"
    MODEL_SHAKY = "model shaky"
    MODEL_WELL = "model well"
    CLOCK_JUMP = "clock jump"
    EVENTS_SHAKY = "events shaky"
    EVENTS_WELL = "events well"
    CHAT = "chat"
    NOTE_FACT = "note fact"
    FLUSH_FACTS = "flush facts"
    KILL_HOST = "kill host"
    CUT_HOST = "cut host"
    JOIN_HOST = "join host"
    DISK_SLOW = "disk slow"
    DISK_QUICK = "disk quick"
    FILES_STALE = "files stale"
    SUSPEND = "suspend"


class Death(StrEnum):
    """Place of a process's death."""

    CALL = "call"
    """At a call of the disk; a write is done in part."""
    EFFECT = "effect"
    """Right after an effect is visible to the world."""
    STEP = "step"
    """Between two messages."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One event."""

    at: float
    """Seconds of the run."""
    act: Act
    place: int = 0
    """Number of a channel, thread or conversation, in order of creation."""
    person: int = 0
    number: int = 0
    """Of a question, or of calls, effects or steps until a death."""
    detail: str = ""
    """Kind of death, crashing actor, or answer of a disk."""
    seconds: float = 0.0
    """Time down, or how far a clock jumps."""
    with_power: bool = False
    """True if a death loses unsynced data."""

    def __str__(self) -> str:
        parts = [f"{self.at:7.1f} s  {self.act}"]
        if self.act in (Act.SAY, Act.STOP_WORD, Act.OPEN_THREAD, Act.NEW_WINDOW, Act.REMIND):
            parts.append(f"in place {self.place} by person {self.person}")
        parts += [f"q{self.number}" if self.act in (Act.SAY, Act.CHAT) else str(self.number)] * bool(self.number)
        parts += [self.detail] * bool(self.detail)
        parts += [f"{self.seconds:.1f} s"] * bool(self.seconds)
        parts += ["with the power"] * (self.act is Act.KILL and self.with_power)
        parts += ["resumable"] * (self.act is Act.DROP and self.with_power)
        return " ".join(parts)


CRASHING = ("context", "context", "scheduler", "memory", "discord")
CRASHING_OF = MappingProxyType(
    {
        "workspace": ("workspace",),
        "curated": ("curated",),
        "objects": ("objects", "object-store"),
        "facts": ("facts", "fact-recall", "fact-index", "gateway"),
    }
)
FIRST_CHAT = 1000
"""Number of the first question to the gateway."""
FAULTS = ("full", "broken", "read-only")
LATE = "late "
"""Prefix of a fault at a sync or close only."""


def draw_script(chance: Chance) -> list[Scene]:
    """A script, in order."""
    questions = chance.one_of((6, 10, 16, 24))
    scenes = [
        Scene(at=1.0, act=Act.SAY, place=0, number=1),
        *(_saying(chance, number) for number in range(2, 2 + questions)),
        *_wishes(chance),
        *(_death(chance) for _ in range(chance.below(5))),
        *(Scene(_time(chance), Act.DROP, with_power=chance.happens(0.5)) for _ in range(chance.below(3))),
        *_spell(chance, 0.3, Act.REST_DOWN, Act.REST_WELL, 120.0),
        *_spell(chance, 0.3, Act.REST_SHAKY, Act.REST_WELL, 300.0),
        *_spell(chance, 0.3, Act.GATEWAY_DOWN, Act.GATEWAY_UP, 200.0),
        *_spell(chance, 0.15, Act.DISK_FAULT, Act.DISK_WELL, 100.0, chance.one_of(FAULTS)),
        *_spell(chance, 0.3, Act.MODEL_SHAKY, Act.MODEL_WELL, 300.0),
    ]
    if chance.happens(0.2):
        scenes.append(Scene(_time(chance), Act.RESTART, seconds=chance.draw_skewed(1.0, 300.0)))
    if chance.happens(0.3):
        scenes.append(Scene(_time(chance), Act.CRASH, detail=chance.one_of(CRASHING)))
    if chance.happens(0.15):
        scenes.append(Scene(_time(chance), Act.CLOCK_JUMP, seconds=chance.one_of((-7200.0, -60.0, 90.0, 3600.0))))
    says = [scene for scene in scenes if scene.act is Act.SAY]
    # Said at any time, "stop" would seldom find anything to stop.
    scenes += [
        Scene(scene.at + chance.draw_skewed(0.2, 20.0), Act.STOP_WORD, place=scene.place)
        for scene in [chance.one_of(says) for _ in range(chance.below(4))]
    ]
    scenes += _spell(chance, 0.4, Act.EVENTS_SHAKY, Act.EVENTS_WELL, 300.0)  # drawn last: all else of a seed stays
    scenes.sort(key=lambda scene: scene.at)
    return scenes


def draw_layer_script(chance: Chance, layers: Collection[str]) -> list[Scene]:
    """Scenes of the enabled layers."""
    scenes: list[Scene] = []
    if "facts" in layers:
        for number in range(FIRST_CHAT, FIRST_CHAT + chance.one_of((4, 12))):
            form = chance.one_of(("stream", "document"))
            scenes.append(Scene(_time(chance), Act.CHAT, place=chance.below(2), number=number, detail=form))
    if "curated" in layers:
        scenes += [Scene(_time(chance), Act.NOTE_FACT, number=number) for number in range(1, chance.one_of((3, 7)))]
        scenes += [Scene(_time(chance), Act.FLUSH_FACTS) for _ in range(chance.below(3))]
    if "hosts" in layers:
        scenes += [Scene(_time(chance), Act.KILL_HOST, place=chance.below(2)) for _ in range(chance.below(3))]
        for _ in range(chance.below(3)):
            at, place = _time(chance), chance.below(2)
            scenes.append(Scene(at, Act.CUT_HOST, place=place))
            scenes.append(Scene(at + chance.draw_skewed(1.0, 60.0), Act.JOIN_HOST, place=place))
    kinds = [kind for layer in layers for kind in CRASHING_OF.get(layer, ())]
    if kinds and chance.happens(0.4):
        scenes.append(Scene(_time(chance), Act.CRASH, detail=chance.one_of(kinds)))
    if layers:
        scenes += _spell(chance, 0.15, Act.DISK_FAULT, Act.DISK_WELL, 100.0, "quota")
    return scenes


def draw_weather(chance: Chance) -> list[Scene]:
    """Scenes of file systems behind a network, and of machines that sleep; in a third of the seeds."""
    if not chance.happens(0.35):
        return []
    late = LATE + chance.one_of(("full", "quota", "broken"))
    scenes = [
        *_spell(chance, 0.5, Act.DISK_SLOW, Act.DISK_QUICK, 120.0),
        *_spell(chance, 0.5, Act.DISK_FAULT, Act.DISK_WELL, 60.0, late),
        *(Scene(_time(chance), Act.FILES_STALE) for _ in range(chance.below(3))),
    ]
    sleeps_s = [chance.one_of((20.0, 600.0, 3600.0, 28800.0)) for _ in range(chance.below(3))]
    return scenes + [Scene(_time(chance), Act.SUSPEND, seconds=seconds) for seconds in sleeps_s]


def _wishes(chance: Chance) -> Iterator[Scene]:
    """Requests of people besides questions."""
    for act, most in ((Act.NEW_WINDOW, 2), (Act.OPEN_THREAD, 3), (Act.REMIND, 2)):
        for _ in range(chance.below(most + 1)):
            yield Scene(_time(chance), act, place=chance.below(4), person=chance.below(3))


def _time(chance: Chance) -> float:
    return chance.between(5.0, HORIZON_S)


def _saying(chance: Chance, number: int) -> Scene:
    return Scene(_time(chance), Act.SAY, place=chance.below(4), person=chance.below(3), number=number)


def _death(chance: Chance) -> Scene:
    how = chance.one_of((Death.CALL, Death.CALL, Death.EFFECT, Death.STEP))
    return Scene(
        at=_time(chance),
        act=Act.KILL,
        number=1 + chance.below({Death.CALL: 20, Death.EFFECT: 4, Death.STEP: 60}[how]),
        detail=how,
        seconds=chance.draw_skewed(0.5, 600.0),
        with_power=chance.happens(0.4),
    )


def _spell(chance: Chance, probability: float, begin: Act, end: Act, longest_s: float, detail: str = "") -> list[Scene]:
    """A period of failure."""
    if not chance.happens(probability):
        return []
    at = _time(chance)
    return [Scene(at, begin, detail=detail), Scene(at + chance.draw_skewed(2.0, longest_s), end)]
