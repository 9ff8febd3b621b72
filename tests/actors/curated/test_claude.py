"""The import from Claude Code: everything is staged and copied once, and its own folder is only read."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.curated.staging import claude_memory
from messages.curated import ClaudeImported, FactsFlushed, FlushFacts, ImportClaude
from tests.actors.cli.command import digest
from tests.actors.curated.rig import GENERAL, OPERATOR, CuratedRig

INDEX = (
    "# Memory Index\n\n## Project\n- [Build](build.md) — how it builds\n- uses pnpm\n- the key is ghp_"
    + "a1B2" * 9
    + "\n"
)


@pytest.fixture
def rig(tmp_path: Path) -> CuratedRig:
    (tmp_path / "my_shop").mkdir()
    made = CuratedRig(tmp_path, projects={"cli": tmp_path / "my_shop"}, claude_folder=tmp_path / "claude")
    memory = claude_memory(tmp_path / "claude", tmp_path / "my_shop")
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(INDEX)
    (memory / "build.md").write_text("---\nname: build\n---\npnpm build\n")
    return made


def test_the_folder_is_named_as_claude_code_names_it() -> None:
    found = claude_memory(Path("/home/ann/.claude/projects"), Path("/srv/my_shop.v2"))
    assert found == Path("/home/ann/.claude/projects/-srv-my-shop-v2/memory")


@pytest.mark.req("S1-84")
def test_facts_are_staged_topics_copied_and_secrets_left_out_without_a_change_there(
    rig: CuratedRig, tmp_path: Path
) -> None:
    before = digest(tmp_path / "claude")
    done = rig.answer(ClaudeImported, ImportClaude, OPERATOR)
    assert (done.staged, done.topics) == (2, ("build.md",))
    assert "looks like a secret" in done.skipped[0]
    assert len(rig.answer(FactsFlushed, FlushFacts, OPERATOR).committed) == 2
    memory = tmp_path / "my_shop" / ".pi" / "memory"
    assert (memory / "MEMORY.md").read_text() == "## Project\n\n- [Build](build.md) — how it builds\n- uses pnpm\n"
    assert (memory / "build.md").read_text().endswith("pnpm build\n")
    again = rig.answer(ClaudeImported, ImportClaude, OPERATOR)
    assert (again.staged, again.topics) == (0, ())
    assert digest(tmp_path / "claude") == before


def test_only_the_operator_imports_and_only_where_a_folder_is_named(rig: CuratedRig, tmp_path: Path) -> None:
    assert "only the operator" in rig.refusal(ImportClaude, GENERAL)
    assert "curated.claude_folder" in CuratedRig(tmp_path / "b").refusal(ImportClaude, OPERATOR)


def test_where_there_is_nothing_that_is_said(rig: CuratedRig, tmp_path: Path) -> None:
    (claude_memory(tmp_path / "claude", tmp_path / "my_shop") / "MEMORY.md").unlink()
    assert "there is no such file" in rig.refusal(ImportClaude, OPERATOR)
