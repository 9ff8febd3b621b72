"""Rows 42, 43 and 46-48: two agents at once, the end under load, bursts, bad settings, and very many logs."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from actors.context.log.recovery import survey
from domain.log.event import Header
from domain.log.format import encode_event, encode_header
from domain.log.window import log_folder
from lab.load.campaign import WARM_UP_THREADS
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import Surface, Window
from tests.actors.cli.command import run
from tests.domain.log.logs import START, message_event
from tests.e2e.stage import Stage, bot_texts
from tests.e2e.test_stop import stop_and_go_on
from tests.pace import paced_s
from tests.trusted import write_settings

STOP_S = 10.0
LOGS = 100_000
START_S = 10.0
TRIED_LOGS = 5_000


@pytest.mark.req("X-131")
def test_row_42_a_second_agent_on_the_same_data_root_refuses_to_start(
    stage: Stage, server: PlaygroundServer, tmp_path: Path
) -> None:
    (tmp_path / "second").mkdir()
    write_settings(
        tmp_path / "second",
        f'data_root = "{stage.data}"\n[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
        f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n',
    )
    done = run("agent", "run", cwd=tmp_path / "second", environment={"DISCORD_BOT_TOKEN": server.bot_token})
    assert done.returncode == 1
    assert "another agent uses it" in done.stderr
    assert "alive" in stage.ask("alive")
    assert len([text for text in bot_texts(server) if "alive" in text]) == 1


@pytest.mark.req("C-42")
def test_row_43_a_sigterm_during_fifty_turns_ends_it_soon_and_the_next_start_finishes_them(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    code, took_s = stop_and_go_on(tmp_path, server, 50, (signal.SIGTERM,))

    assert code == 0
    assert took_s < 6 * STOP_S, "six times as long, for a busy machine; its commands sleep for 300 s"


@pytest.mark.req("C-34")
@pytest.mark.slow
def test_row_46_five_hundred_threads_at_once_get_every_answer_once_and_where_it_belongs(tmp_path: Path) -> None:
    done = run(
        "agent-load",
        *("--threads", "500", "--turns", "1", "--model-latency-ms", "100", "--seed", "46", "--json"),
        *("--keep", "kept"),
        cwd=tmp_path,
        environment={"AGENT_CONFIG": "nowhere.toml"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    clean = {"lost": 0, "doubled": 0, "cross_talk": 0, "restarts": 0, "agent_errors": 0, "broken_logs": 0}
    assert {name: found[name] for name in clean} == clean, found["details"]
    assert (found["threads"], found["turns"], found["sent"], found["replied"]) == (500, 1, 500, 500)
    assert found["overhead_ms"]["p50"] > 0
    assert found["turns_per_s"] > 0
    assert found["peak_rss_mb"] > 20
    assert found["cpu_ms_per_turn"] is None or found["cpu_ms_per_turn"] > 0.1
    assert len(list((tmp_path / "kept" / "data" / "logs" / "discord-thread").iterdir())) == 500 + WARM_UP_THREADS


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[discord]\nchanels = []", "agent.toml:2: discord.chanels: unknown key"),
        ("[shell]\ntimeout_s = 0", "agent.toml:2: shell.timeout_s = 0: must be > 0"),
        ("\n\n[shell\n", "agent.toml:3"),
        ("surprise = 1", "agent.toml:1: surprise: unknown key"),
    ],
)
def test_row_47_a_setting_that_is_none_is_refused_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    write_settings(tmp_path, line)
    done = run("agent", "run", cwd=tmp_path)
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr


@pytest.mark.slow
def test_row_48_a_start_among_very_many_logs_reads_little_of_each(tmp_path: Path) -> None:
    """A twentieth of the logs in a twentieth of the time, whole agent apart; `bin/agent bench start --logs 100000` has all of both."""
    for number in range(TRIED_LOGS):
        window = Window(surface=Surface.DISCORD_THREAD, id=str(910_000_000_000_000_000 + number))
        folder = tmp_path / log_folder(window)
        folder.mkdir(parents=True)
        header, head = encode_header(Header(window=window, started_at=START, seq=1, opened_by="alice"))
        asked, head = encode_event(message_event(1, f"hello {number}"), head)
        (folder / f"{START:%Y%m%dT%H%M%SZ}_0001.md").write_bytes(header + asked)

    def survey_logs() -> None:
        assert len(survey(tmp_path).unfinished) == TRIED_LOGS

    assert paced_s(survey_logs) < START_S * TRIED_LOGS / LOGS * 3, (
        "three times as long, for a disk that is slow or busy"
    )
