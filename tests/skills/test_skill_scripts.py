"""Rules for every skill that comes with the agent."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from actors.part import SHIPPED_SKILLS
from actors.skill_files.folders import SkillFolders

SCRIPTS = sorted(SHIPPED_SKILLS.rglob("*.py"))
DOOR = SHIPPED_SKILLS / "door.py"
STARTED = [path for path in SCRIPTS if path != DOOR]
OLDEST = (3, 9)


def relative(path: Path) -> str:
    return path.relative_to(SHIPPED_SKILLS).as_posix()


@pytest.mark.req("S0-03", "C-19")
def test_every_folder_of_skills_is_a_skill() -> None:
    folders = {path.name for path in SHIPPED_SKILLS.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))}
    folders -= {"subagents"}  # definitions of sub-agents, which no model reads

    assert {skill.name for skill in SkillFolders((SHIPPED_SKILLS,)).scan().skills} == folders


@pytest.mark.req("S0-15")
def test_of_the_skills_that_others_wrote_only_the_search_of_the_web_is_taken_over() -> None:
    ours = {
        "context-objects",
        "curated-memory",
        "mcp",
        "memory-search",
        "reminders",
        "send-file",
        "subagent",
        "transcribe",
    }

    assert {skill.name for skill in SkillFolders((SHIPPED_SKILLS,)).scan().skills} - ours == {"brave-search"}


def test_one_module_asks_at_the_control_socket_for_all_skills() -> None:
    assert list(SHIPPED_SKILLS.rglob("door.py")) == [DOOR]


def test_a_script_finds_the_module_beside_the_folders_of_skills(subtests: pytest.Subtests) -> None:
    for path in STARTED:
        with subtests.test(path=path):
            done = subprocess.run(
                [path, "--help"], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
            )

            assert "ModuleNotFoundError" not in done.stderr
            assert done.returncode in (0, 1)  # the search of the web has an answer of its own to unknown options


def test_scripts_can_be_read_by_an_old_python(subtests: pytest.Subtests) -> None:
    for path in SCRIPTS:
        with subtests.test(path=path):
            assert ast.parse(path.read_text(), feature_version=OLDEST).body


def test_scripts_need_the_standard_library_only(subtests: pytest.Subtests) -> None:
    for path in SCRIPTS:
        with subtests.test(path=path):
            nodes = list(ast.walk(ast.parse(path.read_text())))
            imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
            imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}

            beside = {other.stem for other in SCRIPTS}
            assert {name.split(".")[0] for name in imported} - sys.stdlib_module_names - beside == set()


@pytest.mark.req("S0-17")
def test_scripts_can_be_started_by_their_path(subtests: pytest.Subtests) -> None:
    for path in STARTED:
        with subtests.test(path=path):
            assert os.access(path, os.X_OK)
            assert path.read_text().startswith("#!/usr/bin/env -S python3 -I\n")
