"""`agent bench import`: its agent, its verdict with and without kills."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actors.settings.load import load
from lab.bench.imports.run import ANSWER_S, IMPORT, PAUSE_S, agent_settings
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import digest, run

WHOLE = {"lost": 0.0, "doubled": 0.0, "rss_mb": 200.0}


def test_the_agent_answers_however_long_one_person_asks_beside_the_import(tmp_path: Path) -> None:
    file = tmp_path / "agent.toml"
    with PlaygroundServer() as server:
        file.write_text(f'data_root = "{tmp_path / "data"}"\n' + agent_settings(server, [GENERAL_ID]))

    settings = load(file, environ={})

    assert settings.discord.turns_per_user >= 600 / PAUSE_S, "in ten minutes"
    assert ANSWER_S <= 60, "an answer that does not come is told soon"


@pytest.mark.parametrize(("lost", "is_sound"), [(0.0, True), (1.0, False)])
def test_a_lost_message_is_a_broken_promise_and_a_slow_import_is_none(lost: float, is_sound: bool) -> None:
    rows = {"5 messages": {**WHOLE, "lost": lost, "words_rate": 1.0, "p95_ratio": 9.0}}

    assert IMPORT.is_sound(rows, quick=False) is is_sound
    assert [each.name for each in IMPORT.verdicts(rows, quick=False) if not each.met][-1].startswith("answers beside")


@pytest.mark.slow
@pytest.mark.parametrize("kills", [0, 1])
def test_speed_is_judged_without_kills_only(tmp_path: Path, kills: int) -> None:
    done = run(
        "agent", "bench", "import", "--messages", "900", "--kills", str(kills), "--no-meaning", "--json", cwd=tmp_path
    )

    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    (figures,) = document["figures"].values()
    assert (figures["lost"], figures["doubled"], figures["kills"]) == (0, 0, kills)
    assert {"words_rate", "p95_ratio"} <= figures.keys() or kills
    assert not {"words_rate", "p95_ratio"} & {each for each in figures if kills}
    assert "NaN" not in done.stdout
    assert digest(tmp_path) == {}
