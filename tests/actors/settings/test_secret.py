"""Secrets are found, kept from the environment and from strangers, and never shown."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path

import pytest

from actors.settings.problem import SettingsError
from actors.settings.secret import Secrets


def secrets_file(folder: Path, content: str | bytes, mode: int = 0o600) -> Path:
    path = folder / "secrets.env"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    return path


def complaints(folder: Path, content: str | bytes, mode: int = 0o600) -> list[str]:
    secrets_file(folder, content, mode)
    with pytest.raises(SettingsError) as refused:
        Secrets.take({}, folder)
    return [line.removeprefix(f"{folder}/") for line in str(refused.value).split("\n")]


def test_secrets_of_the_environment_are_taken_out_of_it() -> None:
    environ = {
        "DISCORD_BOT_TOKEN": "bot-secret",
        "GEMINI_API_KEY": " gemini-secret\n",
        "HF_TOKEN": "hf-secret",
        "OPENAI_API_KEY": "",
        "PATH": "/bin",
        "AWS_ACCESS_KEY_ID": "left to its library",
        "AGENT_HOME": "/data",
    }

    secrets = Secrets.take(environ)

    assert secrets.discord_token == "bot-secret"
    assert secrets.environment() == {"GEMINI_API_KEY": "gemini-secret", "HF_TOKEN": "hf-secret"}
    assert environ == {"PATH": "/bin", "AWS_ACCESS_KEY_ID": "left to its library", "AGENT_HOME": "/data"}


def test_the_file_beside_the_settings_is_read_and_the_environment_wins(tmp_path: Path) -> None:
    path = secrets_file(
        tmp_path,
        "# mine\r\n\n  DISCORD_BOT_TOKEN = from-file\nexport GEMINI_API_KEY='from # file'\n"
        'OPENAI_API_KEY="a=b"\nANTHROPIC_API_KEY=\n',
    )

    secrets = Secrets.take({"DISCORD_BOT_TOKEN": "from-env", "ANTHROPIC_API_KEY": ""}, tmp_path)

    assert secrets.discord_token == "from-env"
    assert secrets.environment() == {"GEMINI_API_KEY": "from # file", "OPENAI_API_KEY": "a=b"}
    assert secrets.sources == {
        "DISCORD_BOT_TOKEN": "env",
        "GEMINI_API_KEY": str(path),
        "OPENAI_API_KEY": str(path),
    }


def test_an_empty_variable_does_not_hide_the_files_secret(tmp_path: Path) -> None:
    secrets_file(tmp_path, "DISCORD_BOT_TOKEN=from-file")

    assert Secrets.take({"DISCORD_BOT_TOKEN": ""}, tmp_path).discord_token == "from-file"


def test_the_variable_names_another_file_which_must_exist(tmp_path: Path) -> None:
    path = secrets_file(tmp_path, "DISCORD_BOT_TOKEN=from-file")
    elsewhere = tmp_path / "elsewhere"

    assert Secrets.take({"AGENT_SECRETS": str(path)}, elsewhere).discord_token == "from-file"
    with pytest.raises(SettingsError, match=r"elsewhere: there is no such file\Z"):
        Secrets.take({"AGENT_SECRETS": str(elsewhere)}, tmp_path)


def test_without_file_and_variables_nothing_is_set(tmp_path: Path) -> None:
    secrets = Secrets.take({}, tmp_path)

    assert secrets.discord_token is None
    assert secrets.environment() == {}


def test_no_text_of_secrets_has_a_value_in_it() -> None:
    secrets = Secrets.take({"DISCORD_BOT_TOKEN": "bot-secret", "GEMINI_API_KEY": "gemini-secret"})

    assert repr(secrets) == str(secrets) == f"{secrets}" == "Secrets(DISCORD_BOT_TOKEN set, GEMINI_API_KEY set)"
    assert not hasattr(secrets, "__dict__")


def test_secrets_leave_the_process_by_no_pickle() -> None:
    secrets = Secrets.take({"GEMINI_API_KEY": "gemini-secret"})

    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not for pickling"):
            leave(secrets)


def test_secrets_cannot_be_changed_from_outside() -> None:
    secrets = Secrets.take({"GEMINI_API_KEY": "gemini-secret"})

    with pytest.raises(TypeError):
        secrets.environment()["GEMINI_API_KEY"] = "other"  # type: ignore[index]  # that it can't is the point


def test_a_file_open_to_others_is_refused_with_the_command_that_mends_it(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    cases: list[int] = [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o777]
    for number, mode in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(mode=mode):
            [line] = complaints(place, "DISCORD_BOT_TOKEN=hunter2", mode)

            assert (
                line == f"secrets.env: mode is {mode:04o}: must be closed to others; run: chmod 600 {place}/secrets.env"
            )


def test_a_file_closed_to_others_is_read(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[int] = [0o600, 0o400, 0o700]
    for number, mode in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(mode=mode):
            secrets_file(place, "DISCORD_BOT_TOKEN=from-file", mode)

            assert Secrets.take({}, place).discord_token == "from-file"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(secrets_file(tmp_path, "DISCORD_BOT_TOKEN=hunter2"), 54321, -1)

    with pytest.raises(SettingsError, match=r"belongs to user 54321: must belong .* run: chown 0 /"):
        Secrets.take({}, tmp_path)


def test_a_pipe_or_a_folder_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "secrets.env", 0o600)
    (tmp_path / "sub" / "secrets.env").mkdir(parents=True)

    with pytest.raises(SettingsError, match="is not a file"):
        Secrets.take({}, tmp_path)
    with pytest.raises(SettingsError, match=r"is not a file|Is a directory"):
        Secrets.take({}, tmp_path / "sub")


def test_a_refused_file_leaves_no_secret_in_the_environment(tmp_path: Path) -> None:
    secrets_file(tmp_path, "", 0o644)
    environ = {"DISCORD_BOT_TOKEN": "hunter2"}

    with pytest.raises(SettingsError):
        Secrets.take(environ, tmp_path)

    assert environ == {}


def test_every_bad_line_is_named_and_none_is_quoted(tmp_path: Path) -> None:
    lines = complaints(
        tmp_path,
        "hunter2\nHUNTER2=1\nDISCORD_TOKEN=hunter2\nGEMINI_API_KEY=hunter2 # mine\nOPENAI_API_KEY='hunter2\n"
        "XAI_API_KEY=hunter2\nXAI_API_KEY=hunter2\n=hunter2\n",
    )

    spaced = "a value with a space, a quote or # must stand in quotes; comments need a line of their own"
    assert lines == [
        "secrets.env:1: must be NAME=value, or a comment after #",
        "secrets.env:2: unknown name: must be DISCORD_BOT_TOKEN or a provider's key as litellm names it, e.g. GEMINI_API_KEY",
        'secrets.env:3: "DISCORD_TOKEN": unknown name; did you mean DISCORD_BOT_TOKEN?',
        f"secrets.env:4: GEMINI_API_KEY: {spaced}",
        f"secrets.env:5: OPENAI_API_KEY: {spaced}",
        "secrets.env:7: XAI_API_KEY: must stand here once, not twice",
        "secrets.env:8: must be NAME=value, or a comment after #",
    ]


def test_a_file_that_is_no_text_is_refused(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[bytes, str]] = [
        (b"DISCORD_BOT_TOKEN=hunter\xe92", "secrets.env: must be UTF-8"),
        (b"#" * (64 * 1024 + 1), "secrets.env: must be at most 65536 bytes long"),
    ]
    for number, (content, complaint) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(content=content, complaint=complaint):
            assert complaints(place, content) == [complaint]


def test_a_token_that_cannot_be_one_is_refused_unseen(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["Bot hunter2", "hunter 2", "hunter\u00e92", "hunter\x002"]
    for token in cases:
        with subtests.test(token=token):
            with pytest.raises(SettingsError) as refused:
                Secrets.take({"DISCORD_BOT_TOKEN": token})

            rule = 'must be the token alone: one word, without "Bot" before it (from env)'
            assert str(refused.value) == f"DISCORD_BOT_TOKEN: {rule}"
