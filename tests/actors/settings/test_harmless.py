"""What a folder may decide without trust is a list of what may pass; all else, and all that is new, needs trust."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel

from actors.parts import settings_tables
from actors.settings.audit import table_of
from actors.settings.harmless import HARMLESS, harmless_values, other_keys
from actors.settings.layers import with_tables
from actors.settings.load import load
from actors.settings.schema import Settings

NEVER = {
    "data_root",
    "discord.allowed_roles",
    "discord.allowed_users",
    "discord.answer",
    "discord.api_base",
    "discord.channels",
    "discord.dms",
    "discord.files_base",
    "discord.gateway_url",
    "discord.turns_per_user",
    "discord.viewer_roles",
    "contexts.max_calls",
    "embedder.api_base",
    "embedder.model",
    "embedder.provider",
    "memory.scope",
    "model.api_base",
    "model.choices",
    "model.daily_cost_usd",
    "model.name",
    "observer.enabled",
    "reminders.channel",
    "reminders.file",
    "reminders.owner",
    "shell.approve",
    "shell.network",
    "shell.operators",
    "shell.sandbox",
    "skills.folders",
    "traces.endpoint",
    "web.read",
}
"""Settings that send a key or words elsewhere, have others obeyed or spoken to, open the sandbox or cost money."""


def every_key(schema: type[Settings]) -> Iterator[tuple[str, object]]:
    """Each setting by dotted key, with its default."""
    for name, field in schema.model_fields.items():
        table = table_of(field)
        if table is None:
            yield name, field.default
        else:
            yield from ((f"{name}.{key}", item.default) for key, item in table.model_fields.items())


def test_the_list_names_settings_that_there_are_and_none_of_a_layer() -> None:
    assert {key for key, _ in every_key(Settings)} >= HARMLESS


def test_what_could_do_harm_is_not_on_the_list() -> None:
    assert not NEVER & HARMLESS
    assert {key for key, _ in every_key(Settings)} >= NEVER


def test_of_all_settings_only_the_listed_ones_are_taken_from_an_untrusted_folder(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    cases: list[tuple[str, object]] = [*every_key(with_tables(settings_tables()))]
    for number, (key, default) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(key=key, default=default):
            value = dict(default) if isinstance(default, Mapping) else default
            text = "{}" if value == {} else json.dumps(value, default=str)
            (place / "agent.toml").write_text(f"{key} = {text}\n")

            settings = load(environ={}, folder=place, tables=settings_tables())

            assert (key in settings.origin.sources) == (key in HARMLESS)
            assert settings.origin.left_out.keys == (() if key in HARMLESS else (key,))


def test_a_setting_that_comes_new_needs_trust(tmp_path: Path) -> None:
    """jdx/mise#10360: a check by a list of what is allowed fails safe for what is not known yet."""

    class Novel(BaseModel, frozen=True, extra="forbid"):
        endpoint: str = ""

    (tmp_path / "agent.toml").write_text('[novel]\nendpoint = "http://127.0.0.1:9"\n')
    settings = load(environ={}, folder=tmp_path, tables={"novel": Novel})

    assert settings.table(Novel).endpoint == ""
    assert settings.origin.left_out.keys == ("novel.endpoint",)


def test_what_is_no_setting_is_counted_and_never_named() -> None:
    values = {"\x1b[2J": 1, "model": {"name": "x", "a\nb": 2}, "shell": 3, "sk-0123456789abcdef0123": {"a": {"b": 1}}}

    assert harmless_values(values) == {}
    assert other_keys(values, Settings) == (("model.name", "shell"), 3)
