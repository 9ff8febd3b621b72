"""The page of the layer `facts` does what it says, from top to bottom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.facts_page import Follower, blocks
from tests.docs.prose import ROOT
from tests.docs.tutorial import AstrayError
from tests.e2e.test_facts import Server

PAGE = (ROOT / "docs" / "layers" / "facts.md").read_text("utf-8")


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


def follow(page: str, folder: Path, server: Server) -> int:
    with Follower(folder, f"127.0.0.1:{server.port}", server.prompts) as follower:
        return follower.follow(page)


@pytest.mark.slow
@pytest.mark.req("X-224")
def test_every_block_of_the_page_does_what_the_page_says_in_its_order(tmp_path: Path, server: Server) -> None:
    assert follow(PAGE, tmp_path, server) == len(blocks(PAGE)) >= 9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "broken", "complaint"),
    [
        ("--embeddings local\n", "--embedings local\n", "No such option"),
        ('extra_body={"memory_id": "alice"}', 'extra_body={"memory_id": text}', "no memory of the first"),
        ('bin/agent memory search "who is Anne"', 'bin/agent memory find "who is Anne"', "No such command"),
        ('keys = { "" = "CHAT_API_KEY" }', 'keys = { "" = "OTHER_API_KEY" }', "OTHER_API_KEY"),
    ],
)
def test_a_line_that_is_broken_leads_the_reader_astray(
    line: str, broken: str, complaint: str, tmp_path: Path, server: Server
) -> None:
    assert PAGE.count(line) == 1

    with pytest.raises(AstrayError, match=complaint):
        follow(PAGE.replace(line, broken), tmp_path, server)
