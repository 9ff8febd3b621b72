"""Forgetting with the whole agent and every layer: no byte of the words is left below the data root."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Stage
from tests.e2e.test_forget import confirm, read, tell
from tests.forget_requests import files_with
from tests.patience import eventually

SECRET = "quagmire"
LAYERS: dict[str, Any] = {
    "layers.curated": True,
    "curated.capture": True,
    "layers.workspace": True,
    "layers.objects": True,
    "layers.facts": True,
    "facts.ingest_discord": True,
    "facts.reranker": "none",
    "facts.openai_base_url": "http://127.0.0.1:9/v1",
    "facts.gateway_port": 0,
}


@pytest.fixture
def stage(server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
    given = {**LAYERS, "curated.global_folder": str(tmp_path / "data" / "curated-memory")}
    made = Stage(server, tmp_path / "data", **given)
    yield made
    made.stop()


@pytest.mark.req("X-249", "X-250")
def test_no_file_of_any_part_holds_a_byte_of_a_forgotten_message(stage: Stage) -> None:
    server = stage.server
    tell(server, "the weather is fine in Karlstad")
    said = server.say(
        GENERAL_ID, f"Remember that the {SECRET} lies behind the mill.", attachments=[("a.txt", SECRET.encode())]
    )
    server.wait_for_reply(GENERAL_ID, after=said)
    command = tell(server, f"run: echo {SECRET}")
    tell(server, "and now for something else")
    holders = {".journal.jsonl", "a.txt", "writeback-journal.jsonl"}
    assert holders <= {*files_with(stage.data, SECRET)}, "else the test shows nothing"
    for message in (said, command):
        seen = read(server, server.call_on_message(GENERAL_ID, "Forget", message))
        assert confirm(server, seen).startswith("Forgotten: ")

    eventually(lambda: not files_with(stage.data, SECRET))
    assert files_with(stage.data, "the weather is fine")
    stage.stop()
    assert files_with(stage.data, SECRET) == []
