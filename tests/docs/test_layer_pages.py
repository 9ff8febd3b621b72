"""The pages of the layers `workspace`, `objects` and `curated` do what they say, from top to bottom."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer
from tests.docs.facts_page import blocks
from tests.docs.layer_page import PageFollower, Parts
from tests.docs.prose import ROOT
from tests.docs.tutorial import AstrayError


def page_of(layer: str) -> str:
    return (ROOT / "docs" / "layers" / f"{layer}.md").read_text("utf-8")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def follow(page: str, home: Path) -> int:
    parts = Parts()
    with (
        PlaygroundServer() as server,
        LoopbackModel(parts) as model,
        PageFollower(home, server, model, parts) as follower,
    ):
        return follower.follow(page)


@pytest.mark.slow
@pytest.mark.req("X-228")
@pytest.mark.parametrize(("layer", "least"), [("workspace", 6), ("objects", 5), ("curated", 7)])
def test_every_block_of_a_page_does_what_the_page_says_in_its_order(layer: str, least: int, home: Path) -> None:
    page = page_of(layer)

    assert follow(page, home) == len(blocks(page)) >= least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layer", "line", "broken", "complaint"),
    [
        ("workspace", "subagents = true", "subagents = false", "no such|printed"),
        ("workspace", "contextMode: contextual", "contextMode: often", "not offered"),
        ("objects", "objects.py history f1", "objects.py history f9", "printed"),
        ("curated", "2 facts staged, 1 file", "3 facts staged, 1 file", "printed"),
    ],
)
def test_a_line_that_is_broken_leads_the_reader_astray(
    layer: str, line: str, broken: str, complaint: str, home: Path
) -> None:
    page = page_of(layer)
    assert line in page

    with pytest.raises(AstrayError, match=complaint):
        follow(page.replace(line, broken), home)
