"""The transcript in the layer's page is what requests show; and what it shows holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.actors.workspace.transcript import RULES, TURNS, transcript

PAGE = Path(__file__).parents[3] / "docs" / "layers" / "workspace.md"


@pytest.mark.req("S4-02", "S4-03", "S4-04", "S4-66", "S4-67", "S4-68")
def test_the_page_shows_it_and_every_rule_is_at_the_head_after_each_cut_the_kill_and_a_new_window() -> None:
    made = transcript()

    assert TURNS == 60
    assert made.count(": a cut, after") >= 3
    assert made.count(" after the same and ") == made.count(": a cut, after") + 1  # the first is whole; a kill and /new
    assert made.count("INJECTED_CONTEXT_HANDOVER") == 1
    for rule in RULES.values():
        assert made.count(f"said_before: Mona: {rule}") == 1
    assert f"```\n{made}```" in PAGE.read_text("utf-8"), "run: python -m tests.actors.workspace.transcript"
