"""Records of conversations stay cold: the layer opens none of them, and none of their words come back by it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.actors.workspace.window_rig import WorkspaceRig

_noting: list[list[Path]] = []
"""Lists in which opened paths are noted now; a hook cannot be taken out again."""


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _noting and isinstance(arguments[0], str | bytes):
        for noted in _noting:
            noted.append(Path(os.fsdecode(arguments[0])))


@contextmanager
def opened_paths() -> Iterator[list[Path]]:
    """Paths that are opened, as the interpreter notes them."""
    sys.addaudithook(_note)
    noted: list[Path] = []
    _noting.append(noted)
    try:
        yield noted
    finally:
        _noting.remove(noted)


@pytest.mark.req("S4-16", "S4-178", "S4-179", "S4-124")
def test_no_record_of_a_conversation_is_opened_or_comes_back(tmp_path: Path) -> None:
    rig = WorkspaceRig(tmp_path, session=True, compaction=True, llm=True, recall=True)
    rig.prepare()
    cold = [rig.folder / "log.jsonl", rig.folder / "context.jsonl", rig.root.parent / "logs" / "2026.md"]
    for path in cold:
        path.parent.mkdir(exist_ok=True)
        path.write_text("- the celadon secret is kept in the kiln\n")
    with opened_paths() as opened:
        rig.say("one")
        rig.say("two")
        request = rig.asked()
        prepared = rig.prepare("Where is the celadon secret kept?")
    assert request is not None
    names = {path.name for path in opened}
    assert ".agent" in names, "the hook notes what is opened"
    assert names & {path.name for path in cold} == set()
    assert "in the kiln" not in f"{prepared.block}{prepared.instructions}{request.messages}"
