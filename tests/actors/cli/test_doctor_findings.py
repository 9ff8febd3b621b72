from __future__ import annotations

from pathlib import Path

import pytest

from actors.cli.doctor_findings import all_findings
from actors.edited_file.file import LIMIT_BYTES
from actors.embedder.encoder import compiled
from actors.memory.checks import turns_in_logs
from actors.memory.codes.engine import is_compiled
from actors.part import Finding, Level
from actors.parts import LAYERS, settings_tables
from actors.settings.load import load
from actors.settings.secret import Secrets
from domain.log.event import Kind
from tests.domain.log.logs import log_of, message_event

OWN = {"embedder", "vectors", "search", "memory", "skills", "reminders", "clocks"}
"""Checks of this module; all others are in test_agent.py."""


def checks(tmp_path: Path, **given: object) -> dict[str, Finding]:
    settings = load(environ={}, folder=tmp_path, overrides={"data_root": str(tmp_path / "data"), **given})
    return {each.name: each for each in all_findings(settings, Secrets.take({})) if each.name in OWN}


def test_all_is_well_where_nothing_is_there_yet(tmp_path: Path) -> None:
    found = checks(tmp_path)
    search, vectors = found.pop("search"), found.pop("vectors")
    assert {check.level for check in found.values()} == {Level.OK}
    assert (search.level is Level.OK) == is_compiled()
    assert ("C compiler" in search.detail) != is_compiled()
    assert vectors.detail.startswith("compiled, for AVX") == bool(compiled.best())
    assert found["memory"].detail == "no index yet: the next start makes it of 0 turns"


def test_it_is_said_whether_the_local_models_layers_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "best", lambda: 0)
    monkeypatch.setattr(compiled, "built_library", lambda: None)
    vectors = checks(tmp_path)["vectors"]
    assert vectors.level is Level.WARN
    assert "install a C compiler, remove .venv/compiled.stamp" in vectors.detail

    monkeypatch.setattr(compiled, "built_library", lambda: compiled)
    vectors = checks(tmp_path)["vectors"]
    assert (vectors.level, vectors.detail) == (Level.OK, "in numpy, several times slower: this processor has no AVX2")

    assert "vectors" not in checks(tmp_path, **{"embedder.provider": "litellm"})


def test_a_data_root_that_cannot_be_used_is_a_finding_among_the_others(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")

    found = list(all_findings(load(environ={}, folder=tmp_path), Secrets.take({}, tmp_path)))

    assert [each.level for each in found if each.name == "data root"] == [Level.FAIL]
    assert found[-1].name == "open files"


def test_what_is_switched_off_is_not_looked_at(tmp_path: Path) -> None:
    assert checks(tmp_path, **{"memory.enabled": False, "reminders.file": ""}).keys() == {"skills"}


def test_a_line_that_only_looks_like_a_reminder_is_counted(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "reminders.md"
    good = '- [ ] date=2030-01-01 time=09:00 recur=none msg="tea"\n'
    file.write_text(good)
    assert checks(tmp_path)["reminders"] == Finding("reminders", Level.OK, f"1 in {file}")
    file.write_text(good + "- [ ] buy milk\n")
    found = checks(tmp_path)["reminders"]
    assert found.level is Level.WARN
    assert "1 in " in found.detail
    assert "1 lines that need mending" in found.detail
    file.write_text(good + "x\n" * LIMIT_BYTES)
    assert "only its first 8 MiB are read" in checks(tmp_path)["reminders"].detail


def test_reminders_in_another_encoding_than_utf_8_are_named(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "reminders.md"
    file.write_bytes("- [ ] x\n".encode("utf-16"))
    found = checks(tmp_path)["reminders"]
    assert found.level is Level.WARN
    assert found.detail.startswith(f"{file}: is in UTF-16 or UTF-32")


def test_hard_links_to_the_reminders_are_named(tmp_path: Path) -> None:
    """zim-desktop-wiki/zim-desktop-wiki#188: after a save two names of one note were two notes."""
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "reminders.md"
    file.write_text("# Mine\n")
    (tmp_path / "vault.md").hardlink_to(file)
    found = checks(tmp_path)["reminders"]
    assert found.level is Level.WARN
    assert f"{file}: 2 names are hard links to it" in found.detail
    (tmp_path / "vault.md").unlink()
    assert checks(tmp_path)["reminders"].level is Level.OK


def test_a_reminder_that_could_not_be_said_is_counted(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    failed = '- [!] date=2030-01-01 time=09:00 recur=none msg="tea" id=rid_A in=discord-thread/1\n'
    (tmp_path / "data" / "reminders.md").write_text(failed)
    assert "1 lines that need mending" in checks(tmp_path)["reminders"].detail


def test_a_provider_without_its_key_or_model_fails(tmp_path: Path) -> None:
    assert checks(tmp_path, **{"embedder.provider": "google"})["embedder"].level is Level.FAIL
    assert checks(tmp_path, **{"embedder.provider": "litellm"})["embedder"].level is Level.FAIL


def test_an_index_is_not_looked_at_while_the_embedder_has_no_model(tmp_path: Path) -> None:
    (tmp_path / "data" / "memory").mkdir(parents=True)
    (tmp_path / "data" / "memory" / "index.sqlite").touch()
    assert checks(tmp_path, **{"embedder.provider": "litellm"})["memory"].level is Level.WARN


def test_a_faulty_skill_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "skills" / "broken"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: broken\n---\n")
    found = checks(tmp_path)["skills"]
    assert found.level is Level.WARN
    assert "broken" in found.detail


def test_turns_of_all_logs_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "discord-channel" / "123456789012345678"
    folder.mkdir(parents=True)
    kinds = (Kind.USER, Kind.AGENT, Kind.TOOL_RESULT, Kind.DELIVERY)
    events = [message_event(number, kind=kind) for number, kind in enumerate(kinds)]
    (folder / "20261122T000000Z_0001.md").write_bytes(log_of(events))
    assert turns_in_logs(tmp_path) == 2


def test_whatever_keeps_a_part_from_starting_is_said(tmp_path: Path) -> None:
    given = {"layers.facts": True, "facts.openai_base_url": "http://127.0.0.1:1", "facts.reranker": "onnx"}
    settings = load(
        environ={},
        folder=tmp_path,
        overrides={"data_root": str(tmp_path / "data"), **given},
        tables=settings_tables(LAYERS),
    )
    found = [each for each in all_findings(settings, Secrets.take({})) if each.level is Level.FAIL]
    assert len(found) == 1
    assert "facts.reranker" in found[0].detail


def test_what_a_parts_own_check_says_is_not_said_twice(tmp_path: Path) -> None:
    settings = load(
        environ={}, folder=tmp_path, overrides={"data_root": str(tmp_path / "data"), "embedder.provider": "litellm"}
    )
    names = [each.name for each in all_findings(settings, Secrets.take({}))]
    assert names.count("embedder") == 1
    assert names.count("discord") == 1
