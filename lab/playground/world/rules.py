"""Validation by Discord's rules: lengths, counts and names. Every rule raises `ApiError` or returns the clean value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from lab.playground.world.errors import empty_message, invalid_form

CONTENT_LIMIT = 2000
NONCE_LIMIT = 25
FILE_LIMIT_BYTES = 10 * 1024 * 1024
REQUEST_LIMIT_BYTES = 25 * 1024 * 1024
FILES_LIMIT = 10
EMBEDS_LIMIT = 10
EMBED_TOTAL_LIMIT = 6000
ARCHIVE_MINUTES = (60, 1440, 4320, 10080)
COMMAND_NAME = re.compile(r"[-_'\w]{1,32}")

_SELECTS = (3, 5, 6, 7, 8)
_EMBED_LIMITS = {"title": 256, "description": 4096}
_FIELDS_LIMIT = 25


def clean_content(value: Any) -> str:
    """Text as kept by Discord: outer white space trimmed, at most 2000 characters."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise invalid_form("content", "STRING_TYPE_CONVERT", f"Could not interpret {value!r} as string.")
    text = value.strip()
    check_length("content", text, 0, CONTENT_LIMIT)
    return text


def check_length(field: str, text: str, least: int, most: int) -> None:
    """Refuse text outside `least`..`most` characters."""
    if len(text) < least:
        raise invalid_form(field, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
    if len(text) > most:
        raise invalid_form(field, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")


def check_not_empty(content: str, *others: Any) -> None:
    """Refuse an empty message."""
    if not content and not any(others):
        raise empty_message()


def clean_nonce(value: Any) -> str | int | None:
    """The nonce; at most 25 characters."""
    if value is None or isinstance(value, int):
        return value
    check_length("nonce", str(value), 0, NONCE_LIMIT)
    return str(value)


def clean_embeds(value: Any) -> list[dict[str, Any]]:
    """Embeds, each with its type; refuses more embeds than Discord shows."""
    embeds = [dict(embed) for embed in value or ()]
    if len(embeds) > EMBEDS_LIMIT:
        raise invalid_form("embeds", "BASE_TYPE_MAX_LENGTH", f"Must be {EMBEDS_LIMIT} or fewer in length.")
    total = 0
    for index, embed in enumerate(embeds):
        total += _embed_length(f"embeds.{index}", embed)
        embed.setdefault("type", "rich")
    if total > EMBED_TOTAL_LIMIT:
        text = f"Embed size exceeds maximum size of {EMBED_TOTAL_LIMIT}"
        raise invalid_form("embeds", "MAX_EMBED_SIZE_EXCEEDED", text)
    return embeds


def _embed_length(path: str, embed: dict[str, Any]) -> int:
    parts = [(name, str(embed.get(name) or ""), most) for name, most in _EMBED_LIMITS.items()]
    parts.append(("footer.text", str((embed.get("footer") or {}).get("text") or ""), 2048))
    parts.append(("author.name", str((embed.get("author") or {}).get("name") or ""), 256))
    fields = embed.get("fields") or []
    if len(fields) > _FIELDS_LIMIT:
        raise invalid_form(f"{path}.fields", "BASE_TYPE_MAX_LENGTH", f"Must be {_FIELDS_LIMIT} or fewer in length.")
    for number, entry in enumerate(fields):
        parts.append((f"fields.{number}.name", str(entry.get("name") or ""), 256))
        parts.append((f"fields.{number}.value", str(entry.get("value") or ""), 1024))
    for name, text, most in parts:
        check_length(f"{path}.{name}", text, 0, most)
    return sum(len(text) for _, text, _ in parts)


def clean_components(value: Any) -> list[dict[str, Any]]:
    """Components, each with its id and defaults; components without an id are numbered in order."""
    used_ids = {component["id"] for component in _each_component(value or ()) if component.get("id")}
    free = (number for number in count(1) if number not in used_ids)
    return [_with_number(component, free) for component in value or ()]


def _each_component(components: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for component in components:
        yield component
        yield from _each_component(_within(component))


def _within(component: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [component[key] for key in ("accessory", "component") if component.get(key)]
    return [*(component.get("components") or ()), *inner]


def _with_number(component: dict[str, Any], free: Iterator[int]) -> dict[str, Any]:
    numbered = {**component, "id": component.get("id") or next(free)}
    if numbered.get("type") in _SELECTS:
        numbered = {"min_values": 1, "max_values": 1, **numbered}
    for key in ("accessory", "component"):
        if numbered.get(key):
            numbered[key] = _with_number(numbered[key], free)
    if numbered.get("components"):
        numbered["components"] = [_with_number(inner, free) for inner in numbered["components"]]
    return numbered


def check_archive_minutes(minutes: int) -> None:
    """Refuse an auto-archive duration Discord does not offer."""
    if minutes not in ARCHIVE_MINUTES:
        raise invalid_form("auto_archive_duration", "BASE_TYPE_CHOICES", f"Value must be one of {ARCHIVE_MINUTES}.")


def clean_channel_name(value: Any) -> str:
    """The name of a channel or thread, 1-100 characters."""
    name = str(value or "").strip()
    check_length("name", name, 1, 100)
    return name


def check_command(command: dict[str, Any]) -> None:
    """Refuse a command Discord would not register."""
    name = str(command.get("name") or "")
    if int(command.get("type") or 1) != 1:
        check_length("name", name, 1, 32)
        return
    if not COMMAND_NAME.fullmatch(name) or name != name.lower():
        raise invalid_form("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    check_length("description", str(command.get("description") or ""), 1, 100)
    _check_options(command.get("options") or [], "options")


def _check_options(options: list[dict[str, Any]], path: str) -> None:
    if len(options) > 25:
        raise invalid_form(path, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    for number, option in enumerate(options):
        where = f"{path}.{number}"
        name = str(option.get("name") or "")
        if not COMMAND_NAME.fullmatch(name) or name != name.lower():
            raise invalid_form(f"{where}.name", "APPLICATION_COMMAND_INVALID_NAME", "Option name is invalid")
        check_length(f"{where}.description", str(option.get("description") or ""), 1, 100)
        if len(option.get("choices") or ()) > 25:
            raise invalid_form(f"{where}.choices", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
        _check_options(option.get("options") or [], f"{where}.options")
