"""Settings of MCP servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.settings.render import render
from actors.settings.schema import Settings
from actors.settings.secret import Secrets

BOTH = """
[mcp.servers.notes]
command = ["notes", "--stdio"]
env = { NOTES_TOKEN = "NOTES_API_KEY" }
network = "full"
read = ["/opt/notes"]
channels = ["123456789012345678"]

[mcp.servers.tracker]
url = "https://example.org/mcp"
key = "TRACKER_API_KEY"
timeout_s = 5
"""


def load_text(folder: Path, text: str) -> Settings:
    """Settings of a file with that text."""
    path = folder / "agent.toml"
    path.write_text(text)
    return load(path, environ={})


@pytest.mark.req("X-259")
def test_programs_and_addresses_are_taken_and_shown_with_names_of_secrets_only(tmp_path: Path) -> None:
    settings = load_text(tmp_path, BOTH)

    assert Settings.model_validate_json(settings.model_dump_json()).mcp == settings.mcp, "as hosts are handed it"
    assert list(settings.mcp.servers) == ["notes", "tracker"]
    assert settings.mcp.channels == {"123456789012345678"}
    assert settings.mcp.is_for_all
    shown = render(settings, Secrets.take({}))["settings"]
    assert isinstance(shown, dict)
    assert shown["mcp.servers.notes.env"]["value"] == {"NOTES_TOKEN": "NOTES_API_KEY"}
    assert shown["mcp.servers.tracker.timeout_s"] == {"value": 5, "source": "file"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[mcp.servers.A]\ncommand = ["a"]', "mcp.servers.A: the key must be 1 to 32 characters of a-z, 0-9, _ and -"),
        ("[mcp.servers.a]", "mcp.servers.a = {…}: must have either command, of a program, or url"),
        ('[mcp.servers.a]\ncommand = ["a"]\nurl = "https://a.b"', "must have either command, of a program, or url"),
        ('[mcp.servers.a]\ncommand = ["bin/a"]', "must begin with a program: its name alone, or its path from / on"),
        ('[mcp.servers.a]\ncommand = ["~/a"]', "must begin with a program: its name alone, or its path from / on"),
        ('[mcp.servers.a]\ncommand = ["a"]\nnetwork = "half"', 'mcp.servers.a.network = "half": must be "none" or'),
        ('[mcp.servers.a]\ncommand = ["a"]\ntimeout_s = 0', "mcp.servers.a.timeout_s = 0: must be > 0 and <= 600"),
        ('[mcp.servers.a]\ncommand = ["a"]\nkey = "A_API_KEY"', "key is for a server with url"),
        ('[mcp.servers.a]\nurl = "https://a.b"\nread = ["/a"]', "read is for a server with command"),
        ('[mcp.servers.a]\nurl = "http://a.b"', 'mcp.servers.a.url = "http://a.b": must be an address that begins'),
        ('[mcp.servers.a]\nurl = "https://u@a.b"', "without a user"),
        ('[mcp.servers.a]\ncommand = ["a"]\nenv = { A = "plain" }', "mcp.servers.a.env.A = "),
        ('[mcp.servers.a]\ncommand = ["a"]\nenv = { "A B" = "A_API_KEY" }', "the key must be the name of a variable"),
        ('[mcp.servers.a]\ncommand = ["a"]\nchannels = ["general"]', "mcp.servers.a.channels[0]"),
        ('[mcp.servers.a]\ncommand = ["a"]\nfolder = "x"', 'mcp.servers.a.folder = "x": unknown key'),
        ('[mcp.servers.a]\nurl = "https://a.b"\nkey = "abcdefgh"', "mcp.servers.a.key: secrets don't belong here"),
    ],
)
def test_a_mistake_is_named_with_its_line_value_and_rule(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_text(tmp_path, text)

    assert problem in str(caught.value)
    assert "agent.toml:" in str(caught.value)


def test_a_loopback_address_may_do_without_encryption_and_a_name_may_not(tmp_path: Path) -> None:
    assert load_text(tmp_path, '[mcp.servers.a]\nurl = "http://127.0.0.1:80/mcp"').mcp.servers["a"].key == ""
    with pytest.raises(SettingsError):
        load_text(tmp_path, '[mcp.servers.a]\nurl = "http://localhost:80/mcp"')
