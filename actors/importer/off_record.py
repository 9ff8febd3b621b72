"""Predicates for exports of places where memory is off: an exporter leaves nothing out of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from actors.importer.export_file import Export
from actors.linux.notebook import NoteFolder
from domain.policy.channel_rules import ChannelRules
from domain.policy.memory_switch import FILE_NAME, MOST_BYTES, read_switches
from messages.base import ChannelId, Surface, Window

IsOffRecord = Callable[[int], bool]
"""True for the number of a message sent while memory was off at its place."""


def channels_of_threads(exports: Sequence[Export]) -> list[ChannelId]:
    """Channels of exported threads without an export of their own, as of every forum: their categories are unknown."""
    exported = {each.window.id for each in exports}
    channels = {each.parent_id for each in exports if each.window.surface is Surface.DISCORD_THREAD}
    return [ChannelId(each) for each in sorted(channels - exported - {""})]


def off_record_of(
    exports: Sequence[Export], categories: Mapping[str, str], root: Path, rules: ChannelRules
) -> Mapping[Window, IsOffRecord]:
    """Predicate for each window of the exports.

    Args:
        exports: All exports of one import.
        categories: Category of each channel that only threads name.
        root: The data root, with the switches of memory.
        rules: Settings of channels, threads and categories.
    """
    switches = read_switches(NoteFolder(root, most_bytes=MOST_BYTES).read(FILE_NAME) or b"")
    parents = {**categories, **{each.window.id: each.parent_id for each in exports}}
    predicates: dict[Window, IsOffRecord] = {}
    for each in exports:
        parent = each.parent_id
        places = tuple(filter(None, (each.window.id, parent, parents.get(parent, ""))))
        predicates[each.window] = partial(switches.is_off, places, by_settings=rules.of(places).memory_is_off)
    return predicates
