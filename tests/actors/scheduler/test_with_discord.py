"""The scheduler with the real Discord actor before a loopback Discord: what people see, and see once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from actors.edited_file.rewriting import Waits
from actors.kernel import ActorSpec
from actors.scheduler.actor import SchedulerActor
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.state import SchedulerState
from actors.scheduler.zone import load_zone
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Window
from tests.actors.discord.life import DISCORD, GENERAL, Life
from tests.patience import eventually

OWNER = "810000000000000007"


def due_line(message: str, ago: timedelta, recur: str = "none") -> str:
    local = (datetime.now(UTC) - ago).astimezone(load_zone())
    return f'- [ ] date={local:%Y-%m-%d} time={local:%H:%M} recur={recur} msg="{message}" id=rid_AAAAAAAAAAAA\n'


@contextmanager
def closing(life: Life) -> Iterator[Life]:
    """Ends the process with the block."""
    try:
        yield life
    finally:
        life.stop()


def live(playground: PlaygroundServer, folder: Path, window: Window = GENERAL) -> Life:
    """One process's worth of Discord and scheduler."""
    life, memory = Life(playground), SchedulerState()
    config = SchedulerConfig(
        file=folder / "reminders.md",
        spare=folder / "spare",
        zone=load_zone(),
        channel=window,
        delivery=DISCORD,
        owner_id=OWNER,
        waits=Waits(settle_s=0.005, verify_s=0.01),
    )
    life.system.register(ActorSpec("scheduler", lambda _key: SchedulerActor(config, memory), core=True))
    return life.start()


@pytest.fixture
def playground() -> Iterator[PlaygroundServer]:
    with PlaygroundServer() as server:
        yield server


def sends(playground: PlaygroundServer) -> list[dict[str, object]]:
    return [record.payload for record in playground.requests("POST", "/messages")]


@pytest.mark.req("S0-133", "X-140")
def test_a_reminder_is_shown_with_its_id_and_may_ping_its_owner_only(
    playground: PlaygroundServer, tmp_path: Path
) -> None:
    file = tmp_path / "reminders.md"
    file.write_text(due_line("@everyone: tea", timedelta(minutes=1)))
    with closing(live(playground, tmp_path)) as life:
        eventually(lambda: file.read_text() == "")
        (text,) = life.shown()
    assert text.startswith(f"⏰ <@{OWNER}> @everyone: tea\n-# rid_AAAAAAAAAAAA · ")
    (payload,) = sends(playground)
    assert payload["allowed_mentions"] == {"parse": [], "users": [int(OWNER)], "replied_user": False}


def test_what_an_earlier_process_showed_long_ago_is_found_though_it_said_otherwise_how_late_it_was(
    playground: PlaygroundServer, tmp_path: Path
) -> None:
    file = tmp_path / "reminders.md"
    file.write_text(line := due_line("tea", timedelta(hours=2)))
    with closing(live(playground, tmp_path)):
        eventually(lambda: file.read_text() == "")
    (shown,) = playground.messages(defaults.GENERAL_ID)
    sent = len(sends(playground))
    file.write_text(line)
    with closing(live(playground, tmp_path)) as second:
        eventually(lambda: file.read_text() == "")
        assert len(second.shown()) == 1
    assert len(sends(playground)) == sent, "it was looked for, not sent again"
    assert [message["id"] for message in playground.messages(defaults.GENERAL_ID)] == [shown["id"]]


def test_trouble_on_the_way_neither_loses_nor_doubles_it(playground: PlaygroundServer, tmp_path: Path) -> None:
    file = tmp_path / "reminders.md"
    file.write_text(due_line("tea", timedelta(minutes=30)))
    playground.inject("abort-after", r"POST /channels/\d+/messages$", times=2)
    with closing(live(playground, tmp_path)) as life:
        eventually(lambda: file.read_text() == "")
        assert len(life.shown()) == 1
