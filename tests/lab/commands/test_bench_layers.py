"""`agent bench objects`, `workspace` and `facts` in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.bench.facts.systems import Ours
from lab.bench.objects.run import FLOOD, PRICES
from lab.bench.workspace.course import CONDITIONS
from lab.commands import agent
from tests.actors.cli.command import digest, run


@pytest.mark.parametrize(
    ("name", "rows"), [("objects", {*PRICES, FLOOD}), ("workspace", {each.name for each in CONDITIONS})]
)
def test_small_sizes_show_that_it_works_and_leave_nothing_behind(tmp_path: Path, name: str, rows: set[str]) -> None:
    done = run("agent", "bench", name, "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert document["machine"]["cores"] >= 1
    assert document["figures"].keys() == rows
    assert all(target["met"] for target in document["targets"])
    assert digest(tmp_path) == {}


@pytest.mark.slow
def test_small_sizes_of_the_gateway_show_that_it_works(tmp_path: Path) -> None:
    done = run("agent", "bench", "facts", "--quick", "--json", "--kills", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    figures = document["figures"][Ours.name]
    assert document["quick"]
    assert document["ratios"] == {}
    assert figures["few_shown"] == 1
    assert figures["first_embeddings"] >= 1
    assert figures["start_texts"] == 0
    assert figures["calls_extract"] == 1
    assert figures["rss_mb"] > figures["threads"] > 1
    assert digest(tmp_path) == {}


def test_a_peer_that_is_not_there_is_refused() -> None:
    assert CliRunner().invoke(agent, ["bench", "facts", "--peer", "/no/such/agent-cli"]).exit_code == 2
