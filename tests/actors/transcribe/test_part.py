"""Row of the transcription: nothing where it is off, and the key goes to its own server only."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.bootstrap import agent_plan, turn_plan
from actors.kernel import ActorSystem
from actors.part import Part, Parts
from actors.parts import parts
from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.transcribe.checks import findings
from actors.transcribe.part import key_of
from messages.base import Address
from messages.web import TRANSCRIBE

SECRETS = {"OPENAI_API_KEY": "openai", "TRANSCRIBE_API_KEY": "own"}


def table(folder: Path, **given: object) -> Parts:
    values = {f"transcribe.{name}": value for name, value in given.items()}
    settings = load(environ={}, folder=folder, overrides={"data_root": str(folder / "data"), **values})
    return parts(agent_plan(settings, {}, ActorSystem(workers=0), None))


def part_of(folder: Path, **given: object) -> Part | None:
    return next((part for part in table(folder, **given) if part.address == TRANSCRIBE), None)


def test_where_it_is_off_there_is_no_part_no_verb_and_no_skill(tmp_path: Path) -> None:
    off = table(tmp_path)

    assert TRANSCRIBE not in {part.address for part in off}
    assert "transcribe.file" not in off.verbs
    assert "transcribe" not in {folder.name for folder in off.skills}


def test_where_it_is_on_commands_of_windows_and_of_a_terminal_may_ask(tmp_path: Path) -> None:
    part = part_of(tmp_path, api="openai")
    assert part is not None
    assert "transcribe.file" in part.verbs
    assert [folder.name for folder in part.skills] == ["transcribe"]

    settings = load(
        environ={}, folder=tmp_path, overrides={"data_root": str(tmp_path / "data"), "transcribe.api": "openai"}
    )
    plan = turn_plan(settings, {}, ActorSystem(workers=0), Address("edge", "cli"), tmp_path)
    assert "transcribe" in {folder.name for folder in parts(plan).skills}


@pytest.mark.parametrize(
    ("url", "secrets", "key"),
    [
        ("", SECRETS, "own"),
        ("http://127.0.0.1:9", SECRETS, "own"),
        ("", {"OPENAI_API_KEY": "openai"}, "openai"),
        ("http://127.0.0.1:9", {"OPENAI_API_KEY": "openai"}, ""),
        ("", {}, ""),
    ],
)
def test_openais_key_goes_to_openai_only(tmp_path: Path, url: str, secrets: dict[str, str], key: str) -> None:
    given = {"data_root": str(tmp_path / "data"), "transcribe.api": "openai", "transcribe.url": url}
    settings = load(environ={}, folder=tmp_path, overrides=given)

    assert key_of(agent_plan(settings, secrets, ActorSystem(workers=0), None)) == key


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"api": "whisper.cpp"}, "is needed: the address of whisper.cpp's server"),
        ({"api": "local", "url": "http://127.0.0.1:9"}, "must be empty with transcribe.api"),
        ({"api": "openai", "language": "English"}, "must be empty or a language's two or three letters"),
        ({"api": "openai", "timeout_s": 0.5}, "1"),
    ],
)
def test_settings_that_cannot_work_are_refused_with_the_rule(
    tmp_path: Path, given: dict[str, object], fault: str
) -> None:
    with pytest.raises(SettingsError, match=fault):
        table(tmp_path, **given)


def test_doctor_names_a_missing_key_program_or_file(tmp_path: Path) -> None:
    def details(api: str, file: str = "", *, has_key: bool = False) -> list[str]:
        settings = load(
            environ={}, folder=tmp_path, overrides={"data_root": str(tmp_path / "data"), "transcribe.api": api}
        )
        return [each.detail for each in findings(settings.transcribe, file, has_key=has_key)]

    assert details("openai") == ["there is no TRANSCRIBE_API_KEY or OPENAI_API_KEY"]
    assert details("openai", has_key=True) == ["openai: OpenAI"]
    assert any("cannot be read" in each and "model get whisper-base" in each for each in details("local", "/nowhere"))
