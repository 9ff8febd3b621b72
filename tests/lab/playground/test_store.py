"""State of the page, kept up to date by the live feed, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="the page's scripts are run by node, which is not installed here")


def follow(scenario: str) -> dict[str, Any]:
    assert NODE is not None
    page = Path(str(files("lab.playground") / "page"))
    command = [NODE, str(Path(__file__).with_name("follow.mjs")), page.as_uri(), scenario]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
    known: dict[str, Any] = json.loads(printed)
    return known


@pytest.mark.parametrize("scenario", ["half", "lost"])
def test_a_state_that_could_not_be_had_whole_is_asked_for_again_and_what_comes_then_is_shown(
    scenario: str,
) -> None:
    assert follow(scenario) == {"guild": "again", "channels": ["10", "11"], "requests": 3}


def test_an_older_answer_that_comes_late_changes_nothing() -> None:
    assert follow("late") == {"guild": "newer", "channels": ["10", "11"], "requests": 3}
