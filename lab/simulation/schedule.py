"""Schedule of a run: a seed, and the played part of its script; the argument of a command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.simulation.chance import Chance
from lab.simulation.script import Scene, draw_layer_script, draw_script, draw_weather

LAYERS = ("workspace", "curated", "objects", "facts", "hosts")
"""Layers, and hosts for the windows."""
LAYERED = 0.4
"""Share of the seeds with layers."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Decisions before a run: a seed, and the played part of its script."""

    seed: int
    variant: int = 0
    """Another chance for everything left open by the script; 0 for the seed's own."""
    only: tuple[int, ...] | None = None
    """Numbers of the scenes to play, in order; None for all."""
    layers: tuple[str, ...] | None = None
    """Enabled layers; None for the seed's own."""

    def drawn_layers(self) -> tuple[str, ...]:
        """Enabled layers."""
        if self.layers is not None:
            return self.layers
        chance = Chance(self.seed, "layers")
        return (
            tuple(name for name in LAYERS if chance.happens(0.6 if name != "hosts" else 0.25))
            if chance.happens(LAYERED)
            else ()
        )

    def scenes(self) -> dict[int, Scene]:
        """Played scenes by number, in their order.

        Raises:
            ValueError: the seed's script has no scene of a number.
        """
        # The script has a chance of its own, so that a change of the agent leaves a seed's script as it was.
        script = draw_script(Chance(self.seed, "script"))
        script += draw_layer_script(Chance(self.seed, "layer script"), self.drawn_layers())
        script += draw_weather(Chance(self.seed, "weather"))
        numbers = range(len(script)) if self.only is None else self.only
        if wrong := [number for number in numbers if not 0 <= number < len(script)]:
            raise ValueError(f"scene {wrong[0]}: seed {self.seed} has the scenes 0 to {len(script) - 1}")
        return {number: script[number] for number in sorted(numbers, key=lambda number: (script[number].at, number))}

    def chance(self, what: str) -> Chance:
        """Draws for one subject of the run."""
        return Chance(self.seed, f"{what} {self.variant}" if self.variant else what)

    def command(self) -> str:
        """The command that shows the run."""
        only = "" if self.only is None else f" --scenes {ranges_of(self.only)}"
        layers = "" if self.layers is None else f" --layers {','.join(self.layers) or 'none'}"
        variant = f" --variant {self.variant}" if self.variant else ""
        return f"bin/agent simulate --seed {self.seed}{layers}{only}{variant} --trace"


def ranges_of(numbers: Sequence[int]) -> str:
    """Numbers in the form of the command line, such as 0,3,7-9; "none" without numbers."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts) or "none"


def numbers_in(text: str) -> tuple[int, ...]:
    """Numbers of `ranges_of`.

    Raises:
        ValueError: the text names no numbers.
    """
    if text == "none":
        return ()
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        raise ValueError(f"scenes {text!r}: must be numbers such as 0,3,7-9, or none")
    numbers = list[int]()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return tuple(numbers)


def layers_in(text: str) -> tuple[str, ...]:
    """Layers named on a command line.

    Raises:
        ValueError: there is no layer of this name.
    """
    names = () if text == "none" else text.split(",")
    if wrong := [name for name in names if name not in LAYERS]:
        raise ValueError(f"layer {wrong[0]!r}: must be one of {', '.join(LAYERS)}, or none")
    return tuple(name for name in LAYERS if name in names)
