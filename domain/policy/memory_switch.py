"""Switches of memory by place: the message after which memory stops there, and the message of the restart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from messages.base import Value, make_ready

_LINE = re.compile(r"([0-9]{1,20}) ([0-9]{1,20}) (on|off) (\S{1,40})")
FILE_NAME = "memory-off"
"""File of the switches, below the data root."""
MOST_BYTES = 8 << 20
"""Largest file of switches to read."""
NOW = 1 << 64
"""Number greater than any message's number."""


class MemorySwitch(Value, frozen=True, kw_only=True, gc=False):
    """Switch of memory in a place."""

    place: str
    """Id of a channel, a thread or direct messages; holds in a channel's threads, too."""
    number: int
    """Snowflake of the command: holds for messages with a greater number."""
    is_off: bool
    by: str
    """Account of the switching person, or `operator`."""


@dataclass(frozen=True, slots=True)
class MemorySwitches:
    """All switches, never forgotten: the time of a message decides."""

    switches: tuple[MemorySwitch, ...] = ()
    """The oldest first."""

    def add(self, *switches: MemorySwitch) -> MemorySwitches:
        """The switches and further switches."""
        return MemorySwitches(tuple(sorted({*self.switches, *switches}, key=lambda each: each.number)))

    def command(self, switch: MemorySwitch) -> tuple[MemorySwitch, ...]:
        """Switches of the newest command: at once, and again after each earlier command that bears a later date."""
        earlier = (each for each in self.switches if each.place == switch.place and each.is_off != switch.is_off)
        later = [each.number + 1 for each in earlier if each.number >= switch.number]
        return (switch, *(msgspec.structs.replace(switch, number=number) for number in later))

    def is_off(self, places: Sequence[str], number: int, *, by_settings: bool) -> bool:
        """True if memory is off for a message: as the nearest place with a switch before the message says.

        Args:
            places: Ids from the nearest to the widest: of a thread, its channel, and the channel's category.
            number: Snowflake of the message, or `NOW`.
            by_settings: Whether memory is off where no switch holds.
        """
        for place in places:
            before = [each for each in self.switches if each.place == place and each.number < number]
            if before:
                return before[-1].is_off
        return by_settings


NO_SWITCHES = MemorySwitches()


def write_switches(switches: MemorySwitches) -> bytes:
    """Lines of the file: place, number, `on` or `off`, and the switching account."""
    lines = (f"{each.place} {each.number} {'off' if each.is_off else 'on'} {each.by}\n" for each in switches.switches)
    return "".join(lines).encode("ascii")


def read_switches(data: bytes) -> MemorySwitches:
    """Switches in a file; an invalid line is skipped."""
    matches = (_LINE.fullmatch(line) for line in data.decode("ascii", "replace").splitlines())
    return MemorySwitches(
        tuple(
            MemorySwitch(place=match[1], number=int(match[2]), is_off=match[3] == "off", by=match[4])
            for match in matches
            if match is not None
        )
    )


make_ready(__name__)
