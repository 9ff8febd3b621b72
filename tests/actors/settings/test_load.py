"""Settings in force are those of the operator, or every mistake is named with its line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from actors.cli.trust.folder import Witness
from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.settings.schema import Settings, Source
from domain.memory.injection import Budget
from tests.actors.settings.written import complaints, written
from tests.ordinary_user import as_ordinary_user

FILE = Path("agent.toml")
ELSEWHERE = Path("nowhere/agent.toml")


# What is in force


@pytest.mark.req("X-02")
def test_without_a_file_everything_is_at_its_default(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path)

    assert settings == Settings(data_root=tmp_path / "data")
    assert settings.origin.file is None
    assert settings.model.name == "offline"
    assert (settings.shell.timeout_s, settings.shell.max_timeout_s, settings.shell.concurrency) == (120, 600, 8)
    assert (settings.model.max_history_tokens, settings.model.concurrency, settings.model.retries) == (100_000, 256, 3)
    assert (settings.contexts.idle_minutes, settings.contexts.prepare_deadline_s) == (60, 5)


@pytest.mark.req("S0-78", "S0-79")
def test_the_budgets_of_the_memory_are_the_specifications_unless_told_otherwise(tmp_path: Path) -> None:
    memory = load(environ={}, folder=tmp_path).memory

    assert memory.total_tokens == Budget().total_tokens == 1_000
    assert memory.item_tokens == Budget().item_tokens <= 250


def test_the_file_decides_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    settings = written(tmp_path, '[model]\nname = "gemini/gemini-2.5-flash"\n[shell]\ntimeout_s = 0.5\n')

    default = load(ELSEWHERE, environ={}, folder=empty_toml(tmp_path))
    assert settings.model == default.model.model_copy(update={"name": "gemini/gemini-2.5-flash"})
    assert settings.shell == default.shell.model_copy(update={"timeout_s": 0.5})
    assert settings.discord == default.discord
    assert settings.origin.sources == {"model.name": Source.FILE, "shell.timeout_s": Source.FILE}


def empty_toml(folder: Path) -> Path:
    """A folder in which `ELSEWHERE` is an empty file."""
    (folder / ELSEWHERE).parent.mkdir()
    (folder / ELSEWHERE).touch()
    return folder


def test_ids_may_stand_with_or_without_quotes_and_are_text(tmp_path: Path) -> None:
    settings = written(
        tmp_path,
        '[discord]\nchannels = [123456789012345, "18446744073709551615"]\nallowed_users = ["*"]\nallowed_roles = []\n',
    )

    assert settings.discord.channels == ("123456789012345", "18446744073709551615")
    assert settings.discord.allowed_users == ("*",)


def test_addresses_lose_only_the_slash_that_would_double(tmp_path: Path) -> None:
    settings = written(
        tmp_path,
        '[discord]\napi_base = "http://127.0.0.1:8787/api/v10/"\ngateway_url = "ws://127.0.0.1:8787/gateway/"\n'
        '[model]\napi_base = "http://[::1]:8000/v1/"\n',
    )

    assert settings.discord.api_base == "http://127.0.0.1:8787/api/v10"
    assert settings.discord.gateway_url == "ws://127.0.0.1:8787/gateway/"
    assert settings.model.api_base == "http://[::1]:8000/v1"


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path)

    with pytest.raises(ValidationError):
        settings.data_root = tmp_path
    with pytest.raises(ValidationError):
        settings.shell.timeout_s = 1


def test_the_environment_decides_nothing_but_the_two_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL", '{"name": "other"}')
    monkeypatch.setenv("DATA_ROOT", "/other")

    assert load(environ={"MODEL": "x", "DATA_ROOT": "/x"}, folder=tmp_path) == load(environ={}, folder=tmp_path)


# Which file, which data root


def test_the_named_file_wins_over_the_variable_and_that_over_the_folder(tmp_path: Path) -> None:
    for name in ("agent", "variable", "named"):
        (tmp_path / f"{name}.toml").write_text(f'model.name = "{name}"\n')
    environ = {"AGENT_CONFIG": str(tmp_path / "variable.toml")}

    assert load(tmp_path / "named.toml", environ=environ, folder=tmp_path).model.name == "named"
    assert load(environ=environ, folder=tmp_path).model.name == "variable"
    trusted = load(environ={"AGENT_CONFIG": ""}, folder=tmp_path, trust=Witness())
    assert trusted.model.name == "agent"


def test_a_data_root_in_the_file_counts_from_the_files_folder(tmp_path: Path) -> None:
    (empty_toml(tmp_path) / ELSEWHERE).write_text('data_root = "kept"\n')

    assert load(ELSEWHERE, environ={}, folder=tmp_path).data_root == tmp_path / "nowhere" / "kept"


def test_agent_home_wins_over_the_file_and_the_command_line_over_both(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text('data_root = "/file"\n')

    home = load(environ={"AGENT_HOME": "home"}, folder=tmp_path)
    given = load(
        environ={"AGENT_HOME": "home"}, folder=tmp_path, overrides={"data_root": "/given", "model.name": "x/y"}
    )

    assert (home.data_root, home.origin.sources["data_root"]) == (tmp_path / "home", Source.ENVIRONMENT)
    assert (given.data_root, given.origin.sources["data_root"]) == (Path("/given"), Source.COMMAND_LINE)
    assert (given.model.name, given.origin.sources["model.name"]) == ("x/y", Source.COMMAND_LINE)


def test_a_tilde_is_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))

    assert written(tmp_path, 'data_root = "~/agent"').data_root == tmp_path / "me" / "agent"


def test_the_tilde_of_nobody_is_refused(tmp_path: Path) -> None:
    assert complaints(tmp_path, '\ndata_root = "~no such user/agent"') == [
        'agent.toml:2: data_root = "~no such user/agent": must not begin with the ~ of a user without a home'
    ]


# Bad values


def test_the_line_names_file_line_key_value_and_rule(tmp_path: Path) -> None:
    text = "# shell\n[shell]\n\n\n\n\ntimeout_s = 0\n[discord]\n\n\n\nchanels = []\n"

    assert complaints(tmp_path, text) == [
        "agent.toml:7: shell.timeout_s = 0: must be > 0 and <= 600 (shell.max_timeout_s)",
        "agent.toml:12: discord.chanels: unknown key; did you mean channels?",
    ]


def test_the_file_is_called_what_the_operator_called_it(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("x = 1\n")

    with pytest.raises(SettingsError, match=r"\Amy\.toml:1: x: unknown key\Z"):
        load(Path("my.toml"), environ={}, folder=tmp_path)


def test_a_value_that_breaks_its_rule_is_named_with_it(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("model.concurrency = 0", "model.concurrency = 0: must be >= 1 and <= 10000"),
        ("model.concurrency = 10001", "model.concurrency = 10001: must be >= 1 and <= 10000"),
        ("model.concurrency = 2.0", "model.concurrency = 2.0: must be a whole number >= 1 and <= 10000"),
        ("model.retries = true", "model.retries = true: must be a whole number >= 0 and <= 10"),
        ('model.retries = "3"', 'model.retries = "3": must be a whole number >= 0 and <= 10'),
        ("model.max_history_tokens = 999", "model.max_history_tokens = 999: must be >= 1000 and <= 10000000"),
        ("model.idle_timeout_s = nan", "model.idle_timeout_s = nan: must be a number > 0 and <= 3600"),
        ("model.idle_timeout_s = inf", "model.idle_timeout_s = inf: must be a number > 0 and <= 3600"),
        ("model.idle_timeout_s = 1" + "0" * 400, "a number of more than 30 digits: must be a number > 0 and <= 3600"),
        ("shell.timeout_s = 600.5", "shell.timeout_s = 600.5: must be > 0 and <= 600 (shell.max_timeout_s)"),
        ('shell.timeout_s = "1"', 'shell.timeout_s = "1": must be a number'),
        ("shell.max_timeout_s = 60", "shell.timeout_s = 120.0 (default): must be > 0 and <= 60 (shell.max_timeout_s)"),
        ("shell.max_timeout_s = 86401", "shell.max_timeout_s = 86401: must be > 0 and <= 86400"),
        ("shell.concurrency = 2026-11-22", 'shell.concurrency = "2026-11-22": must be a whole number >= 1 and <= 1000'),
        ("contexts.idle_minutes = -1", "contexts.idle_minutes = -1: must be > 0 and <= 525600"),
        ("contexts.prepare_deadline_s = {}", "contexts.prepare_deadline_s = {…}: must be a number > 0 and <= 60"),
        ('contexts.mid_turn = "stop"', 'contexts.mid_turn = "stop": must be "followup" or "steer"'),
        ("discord.channels = [1]", "discord.channels[0] = 1: must be a Discord id of 15 to 20 digits"),
        ('discord.channels = ["*"]', 'discord.channels[0] = "*": must be a Discord id of 15 to 20 digits'),
        ('discord.channels = ["general"]', 'discord.channels[0] = "general": must be a Discord id of 15 to 20 digits'),
        ("discord.channels = [18446744073709551616]", "must be a Discord id of 15 to 20 digits"),
        ('discord.channels = ["0123456789012345"]', "must be a Discord id of 15 to 20 digits"),
        ('discord.channels = ["٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣"]', "must be a Discord id of 15 to 20 digits"),
        ("discord.allowed_roles = [true]", "discord.allowed_roles[0] = true: must be a Discord id of 15 to 20 digits"),
        ('discord.allowed_users = "*"', 'discord.allowed_users = "*": must be an array, such as ["…"]'),
        ('discord.allowed_users = ["all"]', 'with or without quotes, or "*" for everyone'),
        ('discord.api_base = "discord.com"', "must be an address that begins with http:// or https://"),
        ('discord.api_base = ""', "must be an address that begins with http:// or https://"),
        ('discord.api_base = "http://a:99999"', "must be an address that begins with http:// or https://"),
        ('discord.gateway_url = "https://x"', "must be an address that begins with ws:// or wss://"),
        ('model.api_base = "ftp://x"', "must be empty or an address that begins with http:// or https://"),
        ('model.api_base = "http://x/?a=b"', "without query or fragment"),
        ('model.name = ""', 'model.name = "": must be "offline" or a model as litellm names it, without spaces'),
        ("model.name = 5", "model.name = 5: must be text in quotes"),
        ("data_root = 5", "data_root = 5: must be the path of a folder, in quotes"),
        ('data_root = " "', 'data_root = " ": must be the path of a folder, in quotes'),
        ('data_root = "a\\u0000b"', "must be the path of a folder, in quotes"),
        ("shell = 1", "shell = 1: must be a table"),
        ("shell = []", "shell = []: must be a table"),
    ]
    for number, (text, complaint) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(text=text, complaint=complaint):
            [line] = complaints(place, f"\n{text}\n")

            assert line.startswith(f"agent.toml:2: {text.split(' = ')[0]}") or "(default)" in line
            assert complaint in line


def test_an_unknown_key_is_named_with_the_one_it_resembles(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("data_rot = 1", "data_rot: unknown key; did you mean data_root?"),
        ("[disocrd]\nx = 1", "disocrd: unknown key; did you mean discord?"),
        ("shell.Timeout-S = 1", "shell.Timeout-S: unknown key; did you mean timeout_s?"),
        ("idle_minutes = 1", "idle_minutes: unknown key; did you mean contexts.idle_minutes?"),
        ("[discord.shell]", "discord.shell: unknown key; did you mean shell?"),
        ("model.zzz = 1", "model.zzz: unknown key"),
        ('shell.sandboxing = "none"', "shell.sandboxing: unknown key; did you mean sandbox?"),
        ("_env_file = '.env'", "_env_file: unknown key"),
        ("'a b'.\"c\\nd\" = 1", '"a b": unknown key'),
        ("[[discord]]", "[[…]]: arrays of tables are not used here; write [table]"),
    ]
    for number, (text, complaint) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(text=text, complaint=complaint):
            assert complaints(place, f"\n{text}\n") == [f"agent.toml:2: {complaint}"]


def test_all_problems_come_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = '[shell]\nconcurrency = 0\nx = 1\n[discord]\nchannels = [\n  5,\n  123456789012345678,\n  "y",\n]\ntoken = "z"\n'

    lines = [line.split(" ")[0:2] for line in complaints(tmp_path, text)]

    assert lines == [
        ["agent.toml:2:", "shell.concurrency"],
        ["agent.toml:3:", "shell.x:"],
        ["agent.toml:6:", "discord.channels[0]"],
        ["agent.toml:8:", "discord.channels[2]"],
        ["agent.toml:10:", "discord.token:"],
    ]


def test_bad_values_from_elsewhere_name_where(tmp_path: Path) -> None:
    given = {"model.name": "", "shell.concurrency": 0, "shell.depth": 1}

    with pytest.raises(SettingsError) as refused:
        load(environ={"AGENT_HOME": " "}, folder=tmp_path, overrides=given)

    assert str(refused.value).split("\n") == [
        'AGENT_HOME: data_root = " ": must be the path of a folder, in quotes',
        'command line: model.name = "": must be "offline" or a model as litellm names it, without spaces',
        "command line: shell.concurrency = 0: must be >= 1 and <= 1000",
        "command line: shell.depth = 1: unknown key",
    ]


NUMBERS = [
    (name, key)
    for name, setting in Settings.model_fields.items()
    if isinstance(setting.annotation, type) and issubclass(setting.annotation, BaseModel)
    for key, field in setting.annotation.model_fields.items()
    if field.annotation in (int, float)
]


def test_every_number_has_a_range(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for table, key in NUMBERS:
        for value in ("-1", "1e300", "-inf"):
            with subtests.test(key=f"{table}.{key}", value=value):
                [line] = complaints(tmp_path, f"[{table}]\n{key} = {value}\n")
                assert line.startswith(f"agent.toml:2: {table}.{key} = ")


@examples(deadline=None, max_examples=100)
@given(value=st.one_of(st.integers(-10, 700), st.floats(-10, 700), st.booleans(), st.text(max_size=5)))
def test_a_timeout_is_in_force_exactly_when_it_is_in_range(
    tmp_path_factory: pytest.TempPathFactory, value: float | bool | str
) -> None:
    folder = tmp_path_factory.mktemp("timeout")
    text = f"shell.timeout_s = {json.dumps(value)}\n"
    is_right = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 600

    if is_right:
        assert written(folder, text).shell.timeout_s == value
    else:
        assert complaints(folder, text)[0].startswith("agent.toml:1: ")


# Bad files


def test_a_file_that_is_not_toml_is_refused_with_the_place(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[bytes, str]] = [
        (b"a = 1\nb = = 2\n", "agent.toml:2: not valid TOML at column 5: Invalid value"),
        (b"[model]\nname = 'x'\nname = 'y'\n", "agent.toml:3: not valid TOML at column 11: Cannot overwrite a value"),
        (b"a = 1\n\nb = [1,\n", "agent.toml:3: not valid TOML: Invalid value at the end of the file"),
        (b"a = 1\nb = '\xe9'\n", "agent.toml:2: must be UTF-8: byte 0xE9 isn't"),
        (b"a = " + b"9" * 5000, "agent.toml: not valid TOML: "),
        (b"a = 1\nb = {" + b'c . "d".' * 40 + b"e = 1}", "agent.toml:2: a key must have at most 64 parts"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "agent.toml: not valid TOML: "),
        (b"#" * (256 * 1024 + 1), "agent.toml: must be at most 262144 bytes long"),
    ]
    for number, (content, complaint) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(content=content, complaint=complaint):
            [line] = complaints(place, content)

            assert line.startswith(complaint)


def test_very_long_dotted_keys_are_refused_before_they_cost_a_minute(tmp_path: Path) -> None:
    [line] = complaints(tmp_path, ".".join("a" * 3000) + " = 'x'\n")

    assert line == "agent.toml:1: a key must have at most 64 parts"


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert written(tmp_path, b"\xef\xbb\xbfmodel.retries = 1\r\n").model.retries == 1


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\Anone\.toml: there is no such file\Z"):
        load(Path("none.toml"), environ={}, folder=tmp_path)
    with pytest.raises(SettingsError, match=r"\Anone\.toml: there is no such file\Z"):
        load(environ={"AGENT_CONFIG": "none.toml"}, folder=tmp_path)


def test_a_link_to_nowhere_is_not_taken_for_no_file(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").symlink_to("gone.toml")

    with pytest.raises(SettingsError, match="there is no such file"):
        load(FILE, environ={}, folder=tmp_path)


def test_a_folder_or_a_pipe_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")

    with pytest.raises(SettingsError, match=r"\Aagent\.toml: is not a file but a folder\Z"):
        load(FILE, environ={}, folder=tmp_path)
    with pytest.raises(SettingsError, match=r"\Apipe\.toml: is not a file\Z"):
        load(Path("pipe.toml"), environ={}, folder=tmp_path)


def test_a_file_that_cannot_be_reached_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "loop.toml").symlink_to("loop.toml")

    with pytest.raises(SettingsError, match=r"\Aloop\.toml: can't be read: "):
        load(Path("loop.toml"), environ={}, folder=tmp_path)


def test_an_unreadable_file_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").touch(mode=0)

    with as_ordinary_user(), pytest.raises(SettingsError, match=r"\Aagent\.toml: can't be read: Permission denied\Z"):
        load(FILE, environ={}, folder=tmp_path)
