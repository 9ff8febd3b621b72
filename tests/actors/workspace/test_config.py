"""Choices of the operator for all windows."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from actors.workspace.config import WorkspaceConfig

KEY = "own-key-zebra-77-plain"
CONFIG = WorkspaceConfig(root=Path("/none"), lives=True, secrets=frozenset({KEY, "pin7", ""}))


def test_a_secret_of_the_agents_own_is_told_in_any_disguise_and_so_is_what_looks_like_one(
    subtests: pytest.Subtests,
) -> None:
    for text in [
        KEY,
        KEY[:8] + "\u200b" + KEY[8:],
        KEY[:8] + "\u00ad" + KEY[8:],
        KEY[:8] + "**" + KEY[8:] + "**",
        KEY[:8] + "\n" + KEY[8:],
        KEY[::-1],
        base64.b64encode(KEY.encode()).decode(),
        "it is pin7",
        "password: hunter2x9",
    ]:
        with subtests.test(text=text):
            assert CONFIG.is_secret(text)


def test_other_words_are_none() -> None:
    assert not CONFIG.is_secret("the own key of the zebra is plain")
