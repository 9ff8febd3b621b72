"""Predicates for exports of places where memory is off: an exporter leaves nothing out of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from actors.importer.export_file import Export
from actors.linux.notebook import NoteFolder
from domain.policy.channel_rules import ChannelRules
from domain.policy.memory_switch import FILE_NAME, MOST_BYTES, read_switches
from messages.base import Window

IsOffRecord = Callable[[int], bool]
"""True for the number of a message sent while memory was off at its place."""


def off_record_of(exports: Iterable[Export], root: Path, rules: ChannelRules) -> Mapping[Window, IsOffRecord]:
    """Predicate for each window of the exports.

    Of a thread an export names the channel, and only the channel's own export names the category.

    Args:
        exports: All exports of one import.
        root: The data root, with the switches of memory.
        rules: Settings of channels, threads and categories.
    """
    switches = read_switches(NoteFolder(root, most_bytes=MOST_BYTES).read(FILE_NAME) or b"")
    parents = {each.window.id: each.parent_id for each in exports}
    predicates: dict[Window, IsOffRecord] = {}
    for each in exports:
        parent = each.parent_id
        places = tuple(filter(None, (each.window.id, parent, parents.get(parent, ""))))
        predicates[each.window] = partial(switches.is_off, places, by_settings=rules.of(places).memory_is_off)
    return predicates
