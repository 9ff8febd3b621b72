"""What `agent config` prints is what is in force."""

from __future__ import annotations

import json
from pathlib import Path

from actors.settings.load import load
from actors.settings.render import render
from actors.settings.secret import Secrets


def test_every_setting_is_shown_with_who_decided_it_and_no_secret_with_its_value(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text("[discord]\nchannels = [123456789012345678]\n[shell]\ntimeout_s = 0.5\n")
    settings = load(environ={"AGENT_HOME": "/home"}, folder=tmp_path, given={"model.name": "x/y"})
    secrets = Secrets.take({"XAI_API_KEY": "hunter2", "GEMINI_API_KEY": "hunter2"})

    text = json.dumps(render(settings, secrets))

    assert "hunter2" not in text
    assert '"value": 300,' in text
    shown = json.loads(text)
    assert shown["file"] == str(tmp_path / "agent.toml")
    assert shown["settings"] == {
        "data_root": {"value": "/home", "source": "env"},
        "discord.api_base": {"value": "https://discord.com/api/v10", "source": "default"},
        "discord.gateway_url": {"value": "wss://gateway.discord.gg/", "source": "default"},
        "discord.channels": {"value": ["123456789012345678"], "source": "file"},
        "discord.allowed_users": {"value": [], "source": "default"},
        "discord.allowed_roles": {"value": [], "source": "default"},
        "model.name": {"value": "x/y", "source": "command line"},
        "model.api_base": {"value": "", "source": "default"},
        "model.max_history_tokens": {"value": 100_000, "source": "default"},
        "model.concurrency": {"value": 256, "source": "default"},
        "model.retries": {"value": 3, "source": "default"},
        "model.idle_timeout_s": {"value": 300, "source": "default"},
        "shell.max_timeout_s": {"value": 600, "source": "default"},
        "shell.timeout_s": {"value": 0.5, "source": "file"},
        "shell.concurrency": {"value": 8, "source": "default"},
        "contexts.idle_minutes": {"value": 60, "source": "default"},
        "contexts.mid_turn": {"value": "followup", "source": "default"},
        "contexts.prepare_deadline_s": {"value": 5, "source": "default"},
    }
    assert shown["secrets"] == {
        "ANTHROPIC_API_KEY": {"value": "not set", "source": None},
        "DISCORD_BOT_TOKEN": {"value": "not set", "source": None},
        "GEMINI_API_KEY": {"value": "set", "source": "env"},
        "OPENAI_API_KEY": {"value": "not set", "source": None},
        "XAI_API_KEY": {"value": "set", "source": "env"},
    }


def test_without_a_file_none_is_named(tmp_path: Path) -> None:
    assert render(load(environ={}, folder=tmp_path), Secrets.take({}))["file"] is None
