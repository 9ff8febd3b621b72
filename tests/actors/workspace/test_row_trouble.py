"""Row of the layer: parts for each switch, and modules loaded while the layer is off."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from actors.parts import parts
from actors.settings.problem import SettingsError
from actors.workspace.checks import findings
from actors.workspace.shared_looks import SharedLooks
from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.definitions import Definitions
from tests.actors.objects.plan import plan_of
from tests.actors.workspace.rig import ON, WorkspaceRig

ROOT = Path(__file__).parents[3]
ON_ALONE = {"layers.workspace": True, "layers.objects": False}


@pytest.mark.req("S4-01")
def test_switched_off_it_loads_nothing_but_its_table_and_row(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from actors.parts import parts\n"
        "from tests.actors.objects.plan import plan_of\n"
        f"parts(plan_of(Path({str(tmp_path)!r}), **{{'layers.objects': False}}))\n"
        "print(sorted(name for name in sys.modules if name.startswith(('actors.workspace', 'domain.workspace'))))\n"
    )
    said = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.strip() == "['actors.workspace', 'actors.workspace.part', 'actors.workspace.table']"
    assert not (tmp_path / "data" / "workspace").exists()


def test_with_all_switches_off_it_takes_part_in_turns_only(tmp_path: Path) -> None:
    found = parts(plan_of(tmp_path, **ON_ALONE))
    part = next(each for each in found if each.spec.kind == "workspace")
    assert part.contributes
    assert not part.prepares_compaction
    assert not part.verbs
    assert [command.name for command in part.commands] == ["session"]


def test_each_switch_brings_its_own(tmp_path: Path) -> None:
    on = {f"workspace.{name}": True for name in ("recall", "session", "compaction", "llm", "subagents")}
    found = parts(plan_of(tmp_path, **ON_ALONE, **on))
    part = next(each for each in found if each.spec.kind == "workspace")
    assert part.prepares_compaction
    assert [command.name for command in part.commands] == ["session", "compact"]
    assert set(part.verbs) == {"subagent.run", "subagent.wait", "subagent.stop", "subagent.list"}
    assert "subagent" in {each.spec.kind for each in found}


def test_a_model_has_the_name_of_one(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(["a\nb", " ", "a b", "\u202e", "é", "x" * 201]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(name=name):
            with pytest.raises(
                SettingsError, match=r"workspace\.model.*must be empty or a model's name, without spaces"
            ):
                plan_of(folder, **ON_ALONE, **{"workspace.model": name})
            for good in ("", "openai/small", "x" * 200):
                plan_of(folder, **ON_ALONE, **{"workspace.model": good})


def test_doctor_names_what_is_not_read(tmp_path: Path) -> None:
    rig = WorkspaceRig(tmp_path, **ON)
    shared = SharedLooks(SkillLives((), ()), Definitions(()))
    (first,) = findings(rig.config, shared)
    assert "comes into being" in first.detail
    rig.prepare()
    (second,) = findings(rig.config, shared)
    assert "1 conversations" in second.detail
    (rig.folder / "SESSION.md").unlink()
    (rig.folder / "SESSION.md").symlink_to("/etc/passwd")
    rig.write("MEMORY.md", "x" * 300_000)
    rig.write("HISTORY.md", "\n" * 20_000)
    (third,) = findings(rig.config, shared)
    assert all(
        words in third.detail
        for words in ("a link or not a regular file", "bytes, so it is not read", "lines, so it is")
    )
    for name in ("SESSION.md", "MEMORY.md", "HISTORY.md"):
        (rig.folder / name).unlink()
    rig.write("HISTORY.archive.md", "x" * 2_000_000)
    (fourth,) = findings(rig.config, shared)
    assert "1 conversations" in fourth.detail, "another is begun when something is to be added to it"
    (rig.folder / "HISTORY.archive.md").unlink()
    (rig.folder / "HISTORY.archive.md").mkdir()
    (fifth,) = findings(rig.config, shared)
    assert "HISTORY.archive.md: is a link or not a regular file" in fifth.detail
