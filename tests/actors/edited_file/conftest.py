"""Fixtures: a folder with a hostile writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.actors.edited_file.hostile_folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
