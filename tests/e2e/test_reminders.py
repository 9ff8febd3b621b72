"""Places where the whole agent posts due reminders."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.bootstrap import Agent, discord_connection
from actors.part import SHIPPED_SKILLS
from actors.scheduler.zone import load_zone
from actors.settings.load import load
from domain.log.event import Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import ELSEWHERE_ID, GENERAL_ID
from tests.e2e.stage import Stage, bot_texts, events, of_kind
from tests.patience import eventually


def test_reminders_are_said_in_the_first_channel_that_the_settings_list(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    now = datetime.now(UTC).astimezone(load_zone())
    file = tmp_path / "reminders.md"
    file.write_text(f'- [ ] date={now:%Y-%m-%d} time={now:%H:%M} recur=none msg="tea" id=rid_AAAAAAAAAAAA\n')
    discord = {
        "channels": [str(ELSEWHERE_ID), str(GENERAL_ID)],
        "allowed_users": ["*"],
        "api_base": server.api_base,
        "gateway_url": server.gateway_url,
    }
    given = {"data_root": str(tmp_path / "data"), "reminders.file": str(file), "discord": discord}
    settings = load(environ={}, folder=tmp_path, overrides=given)
    agent = Agent(settings, {}, discord_connection(settings, server.bot_token), lambda _name: None)
    agent.start()
    try:
        eventually(lambda: file.read_text() == "")
        eventually(lambda: bool(events(tmp_path / "data", "discord-channel", ELSEWHERE_ID)))
    finally:
        agent.stop()

    (text,) = bot_texts(server, ELSEWHERE_ID)
    assert text.startswith("⏰ tea\n")
    assert of_kind(events(tmp_path / "data", "discord-channel", ELSEWHERE_ID), Kind.SYSTEM) == [text], "it is logged"
    assert bot_texts(server, GENERAL_ID) == []
    assert ELSEWHERE_ID > GENERAL_ID, "the first is not the smallest"


def test_a_private_threads_reminders_are_neither_listed_nor_deleted_nor_said_elsewhere(stage: Stage) -> None:
    server = stage.server
    file = stage.data / "reminders.md"
    thread = server.create_thread(GENERAL_ID, "private", private=True)
    stage.ask("remind me to cancel the oncology appointment in 600 minutes", thread)
    eventually(lambda: file.exists() and f"in=discord-thread/{thread}" in file.read_text())
    reminder_id = file.read_text().split(" id=")[1].split(" ")[0]

    def list_in(channel: int) -> str:
        answer = server.wait_for_answer(server.slash(channel, "reminders").id)
        assert answer is not None
        return str(answer["content"])

    assert "oncology" in list_in(thread)
    assert list_in(GENERAL_ID) == "There are no reminders."
    script = SHIPPED_SKILLS / "reminders" / "scripts" / "reminders.py"
    assert f"no reminder has the id '{reminder_id}'" in stage.ask(f"run: python3 -I {script} delete {reminder_id}")
    assert "There are no reminders" in stage.ask(f"run: python3 -I {script} list")
    assert reminder_id in stage.ask(f"run: python3 -I {script} list", thread)
    assert "oncology" in file.read_text()
    assert not any("oncology" in text for text in bot_texts(server))


def test_what_was_asked_for_in_a_thread_is_said_there_and_nowhere_when_it_is_gone(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    now = datetime.now(UTC).astimezone(load_zone())
    open_thread, archived, gone = (
        server.create_thread(GENERAL_ID, name, private=True) for name in ("open", "archived", "gone")
    )
    file = tmp_path / "data" / "reminders.md"
    file.parent.mkdir()
    due = f"date={now:%Y-%m-%d} time={now:%H:%M} recur=none"
    file.write_text(
        f'- [ ] {due} msg="biopsy" id=rid_A in=discord-thread/{open_thread}\n'
        f'- [ ] {due} msg="checkup" id=rid_C in=discord-thread/{archived}\n'
        f'- [ ] {due} msg="oncology" id=rid_B in=discord-thread/{gone}\n'
    )
    server.change_thread(archived, archived=True)
    server.delete_channel(gone)
    stage = Stage(server, tmp_path / "data")
    try:
        eventually(lambda: file.read_text() == f'- [!] {due} msg="oncology" id=rid_B in=discord-thread/{gone}\n')
        eventually(lambda: any("rid_B" in text for text in bot_texts(server)))
    finally:
        stage.stop()
    assert ["biopsy" in text for text in bot_texts(server, open_thread)] == [True]
    assert ["checkup" in text for text in bot_texts(server, archived)] == [True]
    assert not any(word in text for text in bot_texts(server) for word in ("oncology", "biopsy", "checkup"))


@pytest.mark.req("X-206")
def test_examples_in_a_how_to_are_neither_said_nor_changed(server: PlaygroundServer, tmp_path: Path) -> None:
    now = datetime.now(UTC).astimezone(load_zone())
    file = tmp_path / "data" / "reminders.md"
    file.parent.mkdir()
    due = f"date={now:%Y-%m-%d} time={now:%H:%M} recur=none"
    how_to = (
        f'# How to\r\n\r\n```md\r\n- [ ] {due} msg="example one"\r\n```\r\n'
        f'<!-- another:\r\n- [ ] {due} msg="example two" id=rid_TWO\r\n-->\r\n'
    ).encode()
    file.write_bytes(how_to + f'- [ ] {due} msg="tea" id=rid_TEA\r\n'.encode())
    stage = Stage(server, tmp_path / "data")
    try:
        eventually(lambda: any("tea" in text for text in bot_texts(server)))
        eventually(lambda: file.read_bytes() == how_to)
    finally:
        stage.stop()
    assert not any("example" in text for text in bot_texts(server))
    assert file.read_bytes() == how_to


@pytest.mark.req("X-206")
def test_a_file_in_utf_16_is_refused_with_a_word_and_kept_byte_for_byte(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    file = stage.data / "reminders.md"
    data = '# Mine\r\n- [ ] date=2030-01-01 time=09:00 recur=none msg="tea"\r\n'.encode("utf-16")
    file.write_bytes(data)

    stage.ask("remind me in 300 minutes to stretch")

    told = "the reminders' file is in UTF-16 or UTF-32, and only UTF-8 is read"
    eventually(lambda: any(told in text for text in bot_texts(stage.server)))
    assert file.read_bytes() == data
    assert any(f"{file}: is in UTF-16" in record.getMessage() for record in caplog.records)
