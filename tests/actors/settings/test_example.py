"""The example shows what there is."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from actors.parts import settings_tables
from actors.settings.layers import with_tables
from actors.settings.load import load
from actors.settings.render import render
from actors.settings.rule import bounds
from actors.settings.secret import Secrets
from actors.settings.toml_lines import key_lines

SCHEMA = with_tables(settings_tables())
EXAMPLE = Path(__file__).parents[3] / "docs" / "agent.example.toml"


@pytest.mark.req("S0-152")
def test_the_example_loads_shows_every_key_and_equals_the_defaults(tmp_path: Path) -> None:
    default = load(environ={}, folder=tmp_path, tables=settings_tables())
    shutil.copy(EXAMPLE, tmp_path / "agent.toml")

    example = load(tmp_path / "agent.toml", environ={}, folder=tmp_path, tables=settings_tables())

    assert example == default
    shown = render(example, Secrets.take({}))["settings"]
    assert isinstance(shown, dict)
    assert {entry["source"] for entry in shown.values()} == {"file"}


def test_the_examples_comments_name_the_ranges(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Any, int]] = [
        (path, line) for path, line in key_lines(EXAMPLE.read_text()).items() if bounds(path, SCHEMA)
    ]
    for path, line in cases:
        with subtests.test(path=path, line=line):
            comment = EXAMPLE.read_text().split("\n")[line - 2]

            assert re.findall(r"\d+", bounds(path, SCHEMA)) == re.findall(r"\d+", comment)
