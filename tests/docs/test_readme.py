"""The README's example and its settings by hand do what it says."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.actors.cli.command import run
from tests.docs.prose import ROOT

PAGE = (ROOT / "README.md").read_text("utf-8")


def block(head: str, fence: str) -> str:
    """First block below a text that begins with `head`."""
    _, _, below = PAGE.partition(head)
    found = re.search(rf"^(`{{3,}}){fence}\n(.*?)^\1$", below, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no block of {fence} below {head!r}"
    return found[2]


@pytest.mark.slow
def test_the_example_prints_what_stands_there(tmp_path: Path) -> None:
    typed, _, printed = block("Without the page:", "console").removeprefix("$ bin/").partition("\n")
    note, _, answer = printed.partition("\n")

    done = run(*shlex.split(typed), cwd=tmp_path)

    assert done.stdout == answer
    assert note.removesuffix("…") in done.stderr


def test_a_model_that_is_written_by_hand_counts_once_the_folder_is_trusted(tmp_path: Path) -> None:
    own = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    settings = block("You can also write both files yourself.", "toml")
    secrets, trust = block("You can also write both files yourself.", "sh").splitlines()
    (tmp_path / "agent.toml").write_text(settings)
    subprocess.run(["sh", "-c", secrets], cwd=tmp_path, check=True)

    before = run("agent", "config", cwd=tmp_path, environment=own).stdout
    trusted = run(*shlex.split(trust.removeprefix("bin/")), cwd=tmp_path, environment=own)
    after = run("agent", "config", cwd=tmp_path, environment=own).stdout

    name = 'model.name = "gemini/gemini-2.5-flash"'
    assert name not in before
    assert "GEMINI_API_KEY from secrets.env" in trusted.stdout
    assert name in after


def test_a_second_table_of_the_model_is_an_error_that_names_its_line(tmp_path: Path) -> None:
    settings = block("where `[model]` may stand only once:", "toml")
    (tmp_path / "agent.toml").write_text(settings + settings)

    refused = run("agent", "config", "--config", "agent.toml", cwd=tmp_path)

    assert refused.returncode != 0
    assert "agent.toml:3: not valid TOML" in refused.stderr
