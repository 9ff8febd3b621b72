"""Secrets in the settings file are refused and never repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.settings.load import load
from actors.settings.problem import SettingsError
from tests.actors.settings.written import complaints, written

TOKEN = ".".join(("MTk4NjIyNDgzNDcxOTI1MjQ4", "Cl2FMQ", "ZnCjm1XVW7vRze4b7Cq4se7kKWs"))
"""The shape of a bot's token; nobody's."""


def test_a_secret_in_the_file_is_refused_and_never_repeated(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ('discord.token = "hunter2"', "discord.token"),
        ('DISCORD_BOT_TOKEN = "hunter2"', "DISCORD_BOT_TOKEN"),
        ('model.api_key = "hunter2"', "model.api_key"),
        ('[secrets]\nGEMINI_API_KEY = "hunter2"', "secrets.GEMINI_API_KEY"),
        ('model.apiKey = "hunter2"\n', "model.apiKey"),
        (f'model.name = "{TOKEN}"', "model.name"),
        (f'discord.channels = ["Bot {TOKEN}"]', "discord.channels[0]"),
        (f'x = [{{y = "{TOKEN}"}}]', "x[0].y"),
        ('model.name = "sk-hunter2hunter2hunter2"', "model.name"),
        ('model.api_base = "http://me:hunter2@host/"', "model.api_base"),
        ('model.api_base = "http://host/?key=hunter2"', "model.api_base"),
        (f"'{TOKEN}' = 1", "a key that looks like a secret"),
        (f"{TOKEN} = 1", "a key that looks like a secret"),
        (f"[discord]\n{TOKEN} = 1", "a key that looks like a secret"),
    ]
    for number, (text, key) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(text=text, key=key):
            lines = complaints(place, text)

            assert len([line for line in lines if f": {key}: secrets don't belong here: " in line]) == 1
            for secret in ("hunter2", *TOKEN.split(".")):
                assert secret not in "".join(lines)


def test_a_token_without_quotes_hides_no_other_problem(tmp_path: Path) -> None:
    lines = complaints(tmp_path, f"[discord]\nchannels = 1\n{TOKEN} = 1\n")

    assert [line.split(" ")[0] for line in lines] == ["agent.toml:2:", "agent.toml:3:"]


def test_a_refusal_has_no_trace_of_the_values_behind_it(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text("shell.concurrency = 0\n")

    with pytest.raises(SettingsError) as refused:
        load(Path("agent.toml"), environ={}, folder=tmp_path)

    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None or refused.value.__suppress_context__


def test_words_that_only_sound_like_secrets_are_settings(tmp_path: Path) -> None:
    settings = written(tmp_path, 'model.max_history_tokens = 2000\nmodel.name = "hosted_vllm/task-risk-key-token"\n')

    assert settings.model.name == "hosted_vllm/task-risk-key-token"
