from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from actors.cli.setup.writing import WriteError, secrets_text, settings_text, unit_text

VALUES = {"discord.channels": ["1", "2"], "model.name": "a/b", "data_root": "here"}


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# only words\n",
        "[discord]\n",
        "[discord]\nchannels = []\n[model]\nname = 'x' # why\n",
        'data_root = "d"\n[discord]\nchannels = [\n  "9", # one\n  "8",\n]\nanswer = "all"\n',
        '[model]\nname = """\nlong"""\n\n\n[discord]\ndms = true\n',
        "[discord]\r\ndms = true\r\n",
    ],
)
def test_what_is_set_is_set_and_all_else_stays(before: str) -> None:
    text = settings_text(before, VALUES)

    said, was = tomllib.loads(text), tomllib.loads(before)
    assert said["discord"]["channels"] == ["1", "2"]
    assert said["model"]["name"] == "a/b"
    assert said["data_root"] == "here"
    for table, value in was.items():
        if isinstance(value, dict):
            assert {**value, **said[table]} == said[table]
    assert settings_text(text, VALUES) == text


@pytest.mark.parametrize("before", ["discord = { channels = [] }\n", "[[discord]]\nx = 1\n", "no toml"])
def test_a_form_that_is_beyond_it_is_left_alone_and_the_keys_are_named(before: str) -> None:
    with pytest.raises(WriteError, match=r'discord\.channels = \["1", "2"\]'):
        settings_text(before, VALUES)


def test_strange_names_are_written_as_toml_reads_them() -> None:
    name = 'a"b\\c\u2028é\x07'
    assert tomllib.loads(settings_text("", {"model.name": name}))["model"]["name"] == name


def test_secrets_are_put_in_their_places() -> None:
    before = "# mine\nexport A_API_KEY=old\nB_API_KEY=kept\nA_API_KEY=twice\n"
    assert secrets_text(before, {"A_API_KEY": "new", "C_API_KEY": "with space"}) == (
        '# mine\nA_API_KEY=new\nB_API_KEY=kept\nC_API_KEY="with space"\n'
    )


def test_a_units_paths_are_quoted() -> None:
    unit = unit_text(Path("/opt/my agent/bin/agent"), Path("/home/a/100%/agent.toml"))
    assert 'ExecStart="/opt/my agent/bin/agent" run --config /home/a/100%%/agent.toml\n' in unit
    assert "WorkingDirectory=/home/a/100%%\n" in unit
