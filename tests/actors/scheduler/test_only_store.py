"""Reminders have one store, which is the file, and no model has a part in what is due."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from actors.memory.index.database import TABLES
from actors.scheduler.actor import SchedulerActor
from lab.chaos.reminders.world import Channel
from messages.base import Address, Message
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import at, line


@pytest.mark.req("S0-111", "S0-143")
def test_what_is_due_follows_from_the_file_whatever_else_is_gone(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    taken_out = line("taken out", "2026-03-28 12:04", "none", "rid_B")
    file.write_text(f"{line('said', '2026-03-28 12:02', 'daily')}\n{taken_out}\n")
    first = start()
    first.pass_minutes(2)
    first.system.stop()
    assert len(channel.texts()) == 1
    for other in file.parent.iterdir():
        if other != file:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    file.write_text(line("by hand", "2026-03-28 12:04", "none", "rid_C") + "\n")

    second = start(at("2026-03-28T12:03:30+00:00"))
    second.pass_minutes(1)

    assert [text.split("\n")[0].rpartition("> ")[2] for text in channel.texts()[1:]] == ["by hand"]
    assert "reminder" not in TABLES.lower()


@pytest.mark.req("S0-134", "X-43")
def test_nobody_but_discord_hears_of_what_is_due(
    start: StartProcess, file: Path, channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Address] = []
    tell = SchedulerActor.tell

    def noted(actor: SchedulerActor, to: Address, message: Message) -> None:
        told.append(to)
        tell(actor, to, message)

    monkeypatch.setattr(SchedulerActor, "tell", noted)
    file.write_text(line("tea", "2026-03-28 12:02") + "\n")
    start().pass_minutes(2)

    assert len(channel.texts()) == 1
    assert {address.kind for address in told} == {"discord"}
