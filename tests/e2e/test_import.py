"""Messages from before the agent was there are imported once, found, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from actors.context.log.file import check_file
from actors.kernel import ManualClock
from actors.socket.client import ask_operator
from domain.log.parser import parse
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID, GUEST_ID, GUILD_ID, YOU_ID
from tests.e2e.stage import Process, Stage
from tests.patience import eventually

VIEW = 1 << 10
QUESTION = "What is the serial number of the boiler?"
WORDS = "The boiler's serial number is QX-7719"


@pytest.fixture
def stage(server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
    """An agent that comes to a server in which much was said."""
    for number in range(250):
        server.say(GENERAL_ID, WORDS if number == 20 else f"idle talk number {number}")
    made = Stage(server, tmp_path / "data")
    yield made
    made.stop()


def past_words(data: Path) -> list[str]:
    """Words of the past, log by log."""
    logs = sorted((data / "logs").glob("*/*/imported-*.md"))
    return [logged.event.content for path in logs for logged in parse(path.read_bytes()).events]


def import_all(data: Path) -> dict[str, object]:
    """Import everything; what the importer says at the end."""
    ask_operator(data, "import.discord", window="cli/operator")

    def is_done() -> bool:
        return bool(ask_operator(data, "import.status", window="cli/operator")["state"] == "done")

    eventually(is_done)
    return ask_operator(data, "import.status", window="cli/operator")


@pytest.mark.req("X-254")
def test_the_past_of_a_channel_is_imported_once_and_found(stage: Stage) -> None:
    told = import_all(stage.data)
    assert told["kept"] == 250
    words = past_words(stage.data)
    assert len(words) == len(set(words)) == 250
    found = ask_operator(stage.data, "memory.search", window="cli/operator", query="serial number of the boiler")
    (memory,) = [each for each in found["memories"] if WORDS in each["excerpt"]]
    assert "/imported-" in memory["path"]
    again = import_all(stage.data)
    assert (again["kept"], len(past_words(stage.data))) == (250, 250)
    assert stage.ask("run: grep -rho 'serial number is QX-7719' .log/").count("QX-7719") >= 1


def read_search(stage: Stage, channel: int, words: str) -> str:
    """All that a search in a channel shows."""
    outcome = stage.server.slash(channel, "memory search", {"query": words})
    answer = stage.server.wait_for_answer(outcome.id)
    assert answer is not None
    return str(answer["content"])


def read_logs(stage: Stage, channel: int) -> str:
    """All that commands in a channel read about the boiler."""
    return stage.ask("run: grep -rhoi 'is QX.77[1]9' logs/ .log/ 2>/dev/null", channel)


def check_all(data: Path) -> list[str]:
    """Findings on all logs."""
    return [str(each) for path in data.glob("logs/*/*/*.md") for each in check_file(path)]


@pytest.mark.req("X-254", "X-255")
def test_the_past_is_shown_to_its_readers_only_and_taken_back(server: PlaygroundServer, tmp_path: Path) -> None:
    closed = server.create_channel("closed")
    server.overwrite(closed, GUILD_ID, deny=VIEW)
    server.overwrite(closed, YOU_ID, allow=VIEW, is_member=True)
    server.overwrite(closed, BOT_ID, allow=VIEW, is_member=True)
    secret = server.say(closed, WORDS)
    thread = server.create_thread(GENERAL_ID, "old matter")
    old = server.say(thread, "The bicycle code is 7351")
    server.change_thread(thread, archived=True)
    stage = Stage(server, tmp_path / "data", channels=(GENERAL_ID, closed))
    try:
        import_all(stage.data)
        assert "QX-7719" in read_search(stage, closed, QUESTION)
        assert "QX-7719" not in read_search(stage, GENERAL_ID, QUESTION) + read_logs(stage, GENERAL_ID)
        assert "7351" in read_search(stage, GENERAL_ID, "bicycle code")
        server.delete(closed, secret)
        eventually(lambda: "QX-7719" not in read_search(stage, closed, QUESTION))
        assert "QX-7719" not in read_logs(stage, closed)
        stage.stop()
        server.wait_until_online(online=False)
        stage = Stage(server, tmp_path / "data", channels=(GENERAL_ID, closed))
        eventually(lambda: "7351" in read_search(stage, GENERAL_ID, "bicycle code"))
        server.delete(thread, old)
        eventually(lambda: "7351" not in read_search(stage, GENERAL_ID, "bicycle code"))
        assert check_all(stage.data) == []
    finally:
        stage.stop()


@pytest.mark.req("X-254")
def test_an_import_goes_on_after_kills(server: PlaygroundServer, tmp_path: Path) -> None:
    for number in range(900):
        server.say(GENERAL_ID, f"idle talk number {number}")
    data = tmp_path / "data"
    process = Process(server, data)
    process.start()
    try:
        ask_operator(data, "import.discord", window="cli/operator")
        process.kill()
        process.start()
        eventually(lambda: len(past_words(data)) > 0)
        process.kill()
        process.start()
        eventually(lambda: ask_operator(data, "import.status", window="cli/operator")["state"] == "done")
        words = past_words(data)
        assert len(words) == len(set(words)) == 900
    finally:
        process.terminate()


@pytest.mark.req("X-254")
def test_slash_import_is_for_managers_of_the_server(server: PlaygroundServer, tmp_path: Path) -> None:
    server.say(GENERAL_ID, WORDS)
    stage = Stage(server, tmp_path / "data")
    try:
        refused = server.wait_for_answer(server.slash(GENERAL_ID, "import", user=GUEST_ID).id)
        assert refused is not None
        assert "manage the server" in str(refused["content"])
        begun = server.wait_for_answer(server.slash(GENERAL_ID, "import").id)
        assert begun is not None
        eventually(lambda: past_words(stage.data) == [WORDS])
    finally:
        stage.stop()


def test_an_agent_ends_at_once_while_it_imports(server: PlaygroundServer, tmp_path: Path) -> None:
    for number in range(3_000):
        server.say(GENERAL_ID, f"idle talk number {number}")
    stage = Stage(server, tmp_path / "data")
    ask_operator(stage.data, "import.discord", window="cli/operator")
    eventually(lambda: len(past_words(stage.data)) > 0)
    stage.stop()
    assert 0 < len(past_words(stage.data)) < 3_000


@pytest.mark.req("X-254")
def test_a_new_thread_is_answered_with_words_of_last_spring(tmp_path: Path) -> None:
    """A year of made-up past, in which the clock of the loopback Discord goes on."""
    began = datetime(2025, 11, 1, tzinfo=UTC)
    clock = ManualClock(began)
    with PlaygroundServer(PlaygroundConfig(clock=lambda: clock.now().timestamp())) as server:
        for week in range(52):
            clock.jump(timedelta(weeks=1))
            server.say(GENERAL_ID, WORDS if week == 23 else f"week {week}: the usual talk about lunch")
        stage = Stage(server, tmp_path / "data")
        try:
            import_all(stage.data)
            thread = server.create_thread(GENERAL_ID, "repairs")
            assert "QX-7719" in stage.ask(f"<@{BOT_ID}> {QUESTION}", thread)
        finally:
            stage.stop()
