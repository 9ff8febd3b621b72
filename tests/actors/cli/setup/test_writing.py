from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from actors.cli.setup.writing import (
    ABOUT,
    WriteError,
    read_plain,
    require_writable,
    secrets_text,
    settings_text,
    unit_text,
    write,
)
from tests.actors.cli.command import CHECKOUT
from tests.ordinary_user import as_ordinary_user

VALUES = {"discord.channels": ["1", "2"], "model.name": "a/b", "data_root": "here"}


@pytest.mark.req("X-199")
def test_what_is_set_is_set_and_all_else_stays(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "# only words\n",
        "[discord]\n",
        "[discord]\nchannels = []\n[model]\nname = 'x' # why\n",
        'data_root = "d"\n[discord]\nchannels = [\n  "9", # one\n  "8",\n]\nanswer = "all"\n',
        '[model]\nname = """\nlong"""\n\n\n[discord]\ndms = true\n',
        "[discord]\r\ndms = true\r\n",
        "\ufeff[discord]\ndms = true\n",
        "[discord]\nchannels = [\r\n  '9', # one\r\n]\r\n[discord.more]\r\nx = 1\r\n",
        "# a\u2028b\x0bc\n[model]\nname = 'x'\n".replace("\x0b", ""),
    ]
    for before in cases:
        with subtests.test(before=before):
            text = settings_text(before, VALUES)

            said, was = tomllib.loads(text), tomllib.loads(before.removeprefix("\ufeff"))
            assert said["discord"]["channels"] == ["1", "2"]
            assert said["model"]["name"] == "a/b"
            assert said["data_root"] == "here"
            for table, value in was.items():
                if isinstance(value, dict):
                    assert {**value, **said[table]} == said[table]
            assert settings_text(text, VALUES) == text
            assert ("\r\n" in text) == ("\r\n" in before)
            for line in before.replace("\r\n", "\n").split("\n"):
                assert not line.startswith("#") or line in text


@pytest.mark.req("X-199")
def test_a_form_that_is_beyond_it_is_left_alone_and_the_keys_are_named(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["discord = { channels = [] }\n", "[[discord]]\nx = 1\n", "no toml"]
    for before in cases:
        with subtests.test(before=before), pytest.raises(WriteError, match=r'discord\.channels = \["1", "2"\]'):
            settings_text(before, VALUES)


def test_a_value_that_is_there_stays_as_it_is_written() -> None:
    before = "[discord]\nchannels = [\n  '1', # first\n  '2',\n]\n[model]\nname = 'a/b' # mine\n"
    text = settings_text(before, {"discord.channels": ["1", "2"], "model.name": "a/b"}, {"discord.channels": "#x"})
    assert text == before


def test_a_comment_behind_a_value_goes_with_the_next_value_unless_names_take_its_place() -> None:
    before = '[discord]\nchannels = ["1#"]  # old\n[model]\nname = "a#b" # why\n'
    text = settings_text(before, VALUES, {"discord.channels": "#gen\x1b[31m, #b\n#c"})
    assert 'channels = ["1", "2"]  # #gen, #b #c\n' in text
    assert 'name = "a/b" # why\n' in text


def test_a_new_file_has_the_examples_words_and_order() -> None:
    values = {
        "discord.channels": ["1"],
        "discord.allowed_users": ["2"],
        "model.name": "offline",
        "model.api_base": "",
        "reminders.file": "r.md",
    }
    text = settings_text("", values)
    example = (CHECKOUT / "docs" / "agent.example.toml").read_text()
    lines = [line for line in text.split("\n") if line]
    for line in (line for line in lines if line.startswith("#")):
        assert line in example, line
    assert [line.split(" =")[0] for line in lines if not line.startswith("#")] == [
        "[discord]",
        "channels",
        "allowed_users",
        "[model]",
        "name",
        "api_base",
        "[reminders]",
        "file",
    ]
    assert len([line for line in lines if line.startswith("#")]) == len(ABOUT)


def test_strange_names_are_written_as_toml_reads_them() -> None:
    name = 'a"b\\c\u2028é\x07'
    assert tomllib.loads(settings_text("", {"model.name": name}))["model"]["name"] == name


def test_secrets_are_put_in_their_places() -> None:
    before = "# mine\nexport A_API_KEY=old\nB_API_KEY=kept\nA_API_KEY=twice\n"
    assert secrets_text(before, {"A_API_KEY": "new", "C_API_KEY": "with space"}) == (
        '# mine\nA_API_KEY=new\nB_API_KEY=kept\nC_API_KEY="with space"\n'
    )


def test_a_units_paths_are_quoted_as_systemd_reads_each_line() -> None:
    unit = unit_text(
        Path("/opt/my $agent/bin/agent"), Path("/home/a b/100%/agent.toml"), {"AGENT_HOME": "/mnt/$x y/100%"}
    )
    assert 'ExecStart="/opt/my $$agent/bin/agent" run --config "/home/a b/100%%/agent.toml"\n' in unit
    assert "WorkingDirectory=/home/a b/100%%\n" in unit
    assert 'Environment="AGENT_HOME=/mnt/$x y/100%%"\nUMask' in unit
    assert "Environment" not in unit_text(Path("/a"), Path("/b/c"), {})


def test_a_line_break_in_a_path_gets_into_no_unit() -> None:
    with pytest.raises(WriteError, match="can only name a path of printable letters"):
        unit_text(Path("/opt/agent"), Path("/home/a\nExecStartPre=/x/agent.toml"), {})


def test_a_written_file_survives_a_power_loss(tmp_path: Path, system_syncs: list[tuple[str, str]]) -> None:
    write(tmp_path / "secrets.env", "text", private=True)
    assert system_syncs[-1] == ("fsync", str(tmp_path))


def test_what_is_no_file_is_neither_read_nor_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "aim")
    for name, rule in (("pipe", "is not a file"), ("link", "is a link"), (".", "is not a file")):
        with pytest.raises(WriteError, match=rule):
            read_plain(tmp_path / name)
        with pytest.raises(WriteError, match=rule):
            write(tmp_path / name, "text", private=True)
    assert not (tmp_path / "aim").exists()


def test_a_folder_that_takes_no_file_is_seen_before_anything_is_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError, match="file/below: cannot be read: Not a directory"):
        require_writable(tmp_path / "file" / "below")
    require_writable(tmp_path / "new" / "folder" / "file")
    tmp_path.chmod(0o500)
    with (
        as_ordinary_user(),
        pytest.raises(WriteError, match=f"cannot be written: {tmp_path} is no folder that you may write to"),
    ):
        require_writable(tmp_path / "new" / "folder" / "file")
    tmp_path.chmod(0o700)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
