"""Harmless settings: the decisions open to a settings file in a folder that its user has not trusted.

This is an allow-list, so a new setting needs trust until listed here. A setting belongs here if no value can send a
key or words to another place, make the agent obey or address another person, take the sandbox away or widen it,
have more read or written, or cause more model calls. Most are limits, times and the looks of an answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from actors.settings.audit import table_of
from actors.settings.schema import Settings

HARMLESS = frozenset(
    {
        "contexts.idle_minutes",
        "contexts.mid_turn",
        "contexts.prepare_deadline_s",
        "discord.attachment_mib",
        "discord.paste_tokens",
        "discord.reaction_after_s",
        "discord.reactions",
        "discord.stream",
        "embedder.timeout_s",
        "memory.enabled",
        "memory.exclude_visible",
        "memory.item_tokens",
        "memory.max_memories",
        "memory.query_timeout_s",
        "memory.search",
        "memory.total_tokens",
        "model.concurrency",
        "model.idle_timeout_s",
        "model.content_timeout_s",
        "model.max_history_tokens",
        "model.retries",
        "model.streams",
        "shell.concurrency",
        "shell.enabled",  # its default is true, so a file can only take commands away
        "shell.max_timeout_s",
        "shell.timeout_s",
    }
)


def harmless_values(values: Mapping[str, object]) -> dict[str, object]:
    """The part of a settings file's values that its folder decides without trust."""
    harmless: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            table = {key: item for key, item in value.items() if f"{name}.{key}" in HARMLESS}
            if table:
                harmless[name] = table
    return harmless


def other_keys(values: Mapping[str, object], schema: type[Settings]) -> tuple[tuple[str, ...], int]:
    """The settings in `values` that need trust, by dotted key in the file's order, and the number of unknown keys."""
    keys: list[str] = []
    unknown = 0
    for name, value in values.items():
        table = table_of(schema.model_fields[name]) if name in schema.model_fields else None
        if table is None or not isinstance(value, dict):
            keys += [name] * (name in schema.model_fields)
            unknown += name not in schema.model_fields
            continue
        known = [key for key in value if key in table.model_fields]
        keys += [f"{name}.{key}" for key in known if f"{name}.{key}" not in HARMLESS]
        unknown += len(value) - len(known)
    return tuple(keys), unknown
