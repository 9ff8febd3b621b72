"""Trust records the files as shown before."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.cli.trust.folder import read_folder
from actors.settings.problem import SettingsError
from actors.settings.trust import digest_of, place_of

TEXT = '[shell]\nsandbox = "none"\n[model]\nretries = 1\n'


def test_it_shows_what_needs_trust_and_not_what_counts_anyway(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text(TEXT)
    (tmp_path / "secrets.env").write_text("OPENAI_API_KEY=hunter2\n")
    (tmp_path / "secrets.env").chmod(0o600)
    (tmp_path / "data" / "skills").mkdir(parents=True)

    files = read_folder(tmp_path, {"OPENAI_API_KEY": "of the environment"})

    assert files.decisions == (
        'shell.sandbox = "none"',
        "OPENAI_API_KEY from secrets.env",
        "data: the agent goes on with the conversations and reminders in it",
        "data/skills: a model reads it",
    )
    assert files.digests == {
        place_of(tmp_path / "agent.toml"): digest_of(TEXT.encode()),
        place_of(tmp_path / "secrets.env"): digest_of(b"OPENAI_API_KEY=hunter2\n"),
    }


def test_an_empty_folder_needs_no_trust(tmp_path: Path) -> None:
    assert read_folder(tmp_path, {}).is_empty


def test_data_alone_are_trusted_with_the_absence_of_settings(tmp_path: Path) -> None:
    (tmp_path / "data" / "skills").mkdir(parents=True)

    files = read_folder(tmp_path, {})

    assert not files.is_empty
    assert files.digests == {place_of(tmp_path / "agent.toml"): digest_of(None)}


def test_what_variables_name_by_a_full_path_needs_no_trust_and_hides_no_file_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text(TEXT)
    environ = {"AGENT_CONFIG": str(tmp_path / "other.toml"), "AGENT_SECRETS": str(tmp_path / "other.env")}

    assert read_folder(tmp_path, environ).decisions == ('shell.sandbox = "none"',)


def test_a_file_that_would_be_refused_cannot_be_trusted(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str, str]] = [
        ("agent.toml", "[shell]\nsandbx = 1\n", "agent.toml:2: shell.sandbx: unknown key; did you mean sandbox?"),
        ("secrets.env", "PATH=/tmp/x\n", "unknown name"),
        ("secrets.env", "OPENAI_API_KEY", "must be NAME=value"),
    ]
    for number, (name, text, told) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(name=name, text=text):
            (place / name).write_text(text)
            (place / name).chmod(0o600)

            with pytest.raises(SettingsError) as refused:
                read_folder(place, {})

            assert told in str(refused.value)
