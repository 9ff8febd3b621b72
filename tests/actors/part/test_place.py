"""Places of what comes with the agent: in a checkout, and where a wheel was installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.part import command, program


def make_file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return path


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Of an environment."""
    return make_file(tmp_path / "venv" / "bin" / "python")


def test_a_checkout_names_its_own_program_whatever_else_is_installed(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = make_file(tmp_path / "clone" / "bin" / "agent")
    make_file(python.with_name("agent"))
    monkeypatch.setenv("PATH", str(python.parent))

    assert program(tmp_path / "clone", python) == ours
    assert command(tmp_path / "clone", python) == str(ours)
    monkeypatch.chdir(tmp_path / "clone")
    assert command(tmp_path / "clone", python) == "bin/agent"


def test_a_wheel_names_the_program_beside_its_python_and_no_other_of_that_name(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = make_file(python.with_name("agent"))
    monkeypatch.setenv("PATH", str(make_file(tmp_path / "others" / "agent").parent))

    assert program(tmp_path / "packages", python) == installed
    assert command(tmp_path / "packages", python) == str(installed)


def test_a_program_that_the_shell_finds_is_named_as_a_person_types_it(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "home" / "agent"
    link.parent.mkdir()
    link.symlink_to(make_file(python.with_name("agent")))
    monkeypatch.setenv("PATH", str(link.parent))

    assert command(tmp_path / "packages", python) == "agent"


def test_a_program_that_went_to_the_users_own_folder_is_found_by_its_name(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(make_file(tmp_path / "home" / "agent").parent))

    assert program(tmp_path / "packages", python) == tmp_path / "home" / "agent"
    assert command(tmp_path / "packages", python) == "agent"
