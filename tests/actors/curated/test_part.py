"""The layer as one row of the table: the parts of the layer, nothing else."""

from __future__ import annotations

import ast
import itertools
import subprocess
from pathlib import Path

import pytest

import actors.curated
import domain.curated
from actors.bootstrap import agent_plan, turn_plan
from actors.curated.part import LAYER
from actors.curated.table import CuratedTable
from actors.kernel import ActorSystem
from actors.part import Part, Parts
from actors.parts import LAYERS, parts, settings_tables
from actors.settings.load import load
from actors.settings.problem import SettingsError
from messages.base import Address
from messages.curated import CURATED, AddFact, FactWritten
from tests.actors.curated.rig import GENERAL, CuratedRig

ROOT = Path(__file__).parents[3]
OURS = [*Path(actors.curated.__path__[0]).glob("*.py"), *Path(domain.curated.__path__[0]).glob("*.py")]


def table_of(folder: Path, **given: object) -> Parts:
    settings = load(environ={}, folder=folder, overrides={"layers.curated": True, **given}, tables=settings_tables())
    return parts(agent_plan(settings, {}, ActorSystem(workers=0), None))


def the_part(folder: Path, **given: object) -> Part:
    return next(part for part in table_of(folder, **given) if part.address == CURATED)


@pytest.mark.req("S1-02")
def test_it_joins_by_what_every_part_may_bring_and_is_not_core(tmp_path: Path) -> None:
    part = the_part(tmp_path)
    assert LAYER in LAYERS
    assert (part.contributes, part.refers, part.subscribes, part.spec.core) == (True, False, False, False)


@pytest.mark.req("S1-60")
def test_a_cut_of_a_history_asks_the_layer_nothing_and_turns_are_told_only_for_the_capture(tmp_path: Path) -> None:
    assert not the_part(tmp_path).prepares_compaction
    assert CURATED not in table_of(tmp_path).subscribers
    assert the_part(tmp_path, **{"curated.capture": True}).subscribes


@pytest.mark.req("S1-58")
def test_there_are_these_commands_and_no_other(tmp_path: Path) -> None:
    names = [command.name.removeprefix("memory ") for command in the_part(tmp_path).commands]
    asked_for = "status pages verify remember flush faults traces trace recall stale off on"
    assert names == asked_for.split()
    assert all(not command.for_viewers for command in the_part(tmp_path).commands)


@pytest.mark.req("S1-46")
def test_it_brings_the_model_a_skill_and_no_tool(tmp_path: Path) -> None:
    assert [folder.name for folder in the_part(tmp_path).skills] == ["curated-memory"]
    assert the_part(tmp_path, **{"shell.enabled": False}).skills == ()


@pytest.mark.req("S1-08", "S1-09", "S1-11", "S1-12")
def test_it_imports_nothing_that_calls_a_model_an_embedder_or_the_network() -> None:
    imported = {
        name
        for path in OURS
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    roots = {name.split(".")[0] for name in imported}
    assert roots <= {
        *(
            "__future__",
            "collections",
            "contextlib",
            "dataclasses",
            "datetime",
            "enum",
            "functools",
            "hashlib",
            "itertools",
        ),
        *("json", "logging", "os", "pathlib", "re", "stat", "threading", "typing", "unicodedata", "pydantic"),
        *("actors", "domain", "messages"),
    }
    assert not {"messages.model", "messages.embedder", "messages.memory"} & imported


@pytest.mark.req("S1-04", "S1-73")
def test_what_it_keeps_is_text_and_its_design_is_written_down(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.answer(FactWritten, AddFact, scope="global", text="a fact")
    rig.block()
    rig.stop()
    kinds = {path.suffix for path in rig.folder.rglob("*") if path.is_file()}
    assert kinds <= {".md", ".jsonl", ".json"}
    assert all(path.read_text("utf-8") is not None for path in rig.folder.rglob("*") if path.is_file())
    assert (ROOT / "docs" / "layers" / "curated.md").stat().st_size > 1000


@pytest.mark.req("S1-69", "S1-76")
def test_every_role_of_the_source_has_a_unit_and_every_unit_of_rules_has_tests() -> None:
    roles = {"folder", "injection", "row", "decisions", "writer", "commands"}
    rules = {
        "block",
        "caps",
        "page",
        "document",
        "residency",
        "table",
        "trace",
        "journal",
        "recall",
        "stale",
        "capture",
    }
    assert roles <= {path.stem for path in Path(actors.curated.__path__[0]).glob("*.py")}
    assert rules <= {path.stem for path in Path(domain.curated.__path__[0]).glob("*.py")}
    tested = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / "domain" / "curated").glob("test_*.py")}
    assert rules <= tested


@pytest.mark.req("S1-19")
def test_a_memory_that_git_ignores_works_and_its_sidecars_are_always_ignored(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    git = ["git", "-C", str(shop)]
    subprocess.run([*git, "init", "-q"], check=True)
    rig = CuratedRig(tmp_path, projects={GENERAL.id: shop})
    rig.answer(FactWritten, AddFact, scope="project", text="a fact")
    rig.prepare()
    shown = subprocess.run([*git, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True).stdout
    assert {line.split("/")[-1] for line in shown.splitlines()} == {".gitignore", "MEMORY.md", "config.json"}
    (shop / ".gitignore").write_text(".pi/memory/\n")
    rig.answer(FactWritten, AddFact, scope="project", text="another fact")
    assert "another fact" in rig.block()


def test_a_single_turn_of_the_command_line_has_it_without_listening(tmp_path: Path) -> None:
    given = {"layers.curated": True, "data_root": str(tmp_path / "data")}
    settings = load(environ={}, folder=tmp_path, overrides=given, tables=settings_tables())
    table = parts(turn_plan(settings, {}, ActorSystem(workers=0), Address("edge", "cli"), tmp_path))
    part = next(part for part in table if part.address == CURATED)
    assert (part.contributes, part.hears_readers) == (True, False)


def test_a_wrong_setting_is_refused_with_its_value_and_rule(tmp_path: Path, subtests: pytest.Subtests) -> None:
    numbers = itertools.count()
    for key, value, rule in [
        ("global_folder", "memory", "begins with / or ~"),
        ("projects", {"general": "/srv"}, "must be a Discord id"),
        ("projects", {"cli": "srv"}, "begins with / or ~"),
        ("trusted_projects", ["srv"], "begins with / or ~"),
        ("no_memory", "yes", "true or false"),
        ("stale_days", 0, "36500"),
        ("local_notes", "all", "channels"),
        ("claude_folder", " ", "path"),
        ("folder", "/x", "unknown key"),
    ]:
        with subtests.test(key=key):
            folder = tmp_path / str(next(numbers))
            folder.mkdir()
            with pytest.raises(SettingsError, match=f"curated.{key}") as refused:
                load(environ={}, folder=folder, overrides={f"curated.{key}": value}, tables=settings_tables())
            assert rule in str(refused.value)


def test_the_defaults_are_the_sources() -> None:
    table = CuratedTable()
    assert (table.global_folder, dict(table.projects), table.trusted_projects) == ("~/.pi/agent/memory", {}, ())
    assert (table.no_memory, table.dates, table.capture, table.claude_folder) == (False, False, False, "")
