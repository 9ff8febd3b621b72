"""Settings as `agent config` prints them."""

from __future__ import annotations

import json
from pathlib import Path

from actors.settings.load import load
from actors.settings.render import render
from actors.settings.secret import Secrets


def test_every_setting_is_shown_with_who_decided_it_and_no_secret_with_its_value(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text("[discord]\nchannels = [123456789012345678]\n[shell]\ntimeout_s = 0.5\n")
    settings = load(
        Path("agent.toml"), environ={"AGENT_HOME": "/home"}, folder=tmp_path, overrides={"model.name": "x/y"}
    )
    secrets = Secrets.take({"XAI_API_KEY": "hunter2", "GEMINI_API_KEY": "hunter2"})

    text = json.dumps(render(settings, secrets))

    assert "hunter2" not in text
    assert '"value": 300,' in text
    shown = json.loads(text)
    assert shown["file"] == str(tmp_path / "agent.toml")
    chosen = {key: value for key, value in shown["settings"].items() if value["source"] != "default"}
    assert shown["settings"].keys() > chosen.keys()
    assert shown["settings"]["shell.sandbox"] == {"value": "auto", "source": "default"}
    assert chosen == {
        "data_root": {"value": "/home", "source": "env"},
        "discord.channels": {"value": ["123456789012345678"], "source": "file"},
        "model.name": {"value": "x/y", "source": "command line"},
        "shell.timeout_s": {"value": 0.5, "source": "file"},
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
