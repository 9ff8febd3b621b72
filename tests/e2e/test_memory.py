"""Recall of earlier words, through all that can happen to the embedder and the index."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from actors.embedder import suspects
from actors.socket.client import RefusalError, ask_operator
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUILD_ID
from tests.actors.cli.command import run
from tests.actors.embedder.loopback import RIGHT, LoopbackEmbeddings, Reply
from tests.e2e.stage import Stage
from tests.patience import eventually

PLACE = re.compile(r"-# (logs/\S+\.md):(\d+)")


def stats(stage: Stage) -> dict[str, Any]:
    return ask_operator(stage.data, "memory.stats", window="cli/operator")


def is_whole(stage: Stage, rows: int) -> bool:
    """True if all turns are indexed, each with its vector; False also while the memory is not available."""
    try:
        told = stats(stage)
    except RefusalError:
        return False
    return (told["rows"], told["ok"], told["pending"], told["failed"]) == (rows, rows, 0, 0)


def tell(stage: Stage, text: str, channel: int = GENERAL_ID) -> None:
    """Say something that is to be remembered; the memory has heard of it then."""
    before = stats(stage)["rows"]
    stage.ask(text, channel)
    eventually(lambda: stats(stage)["rows"] == before + 2)


@pytest.mark.req("S0-66", "S0-67")
def test_what_was_said_in_a_thread_is_recalled_in_its_channel_and_the_record_can_be_opened(stage: Stage) -> None:
    thread = stage.server.create_thread(GENERAL_ID, "bicycles")
    tell(stage, "My bicycle is locked with the number 4711", thread)

    answer = stage.ask("Which number is my bicycle locked with?")

    assert "> My bicycle is locked with the number 4711" in answer
    place = PLACE.search(answer)
    assert place is not None
    path, line = place[1], int(place[2])
    assert f"discord-thread/{thread}" in path
    shown = stage.ask(f"run: sed -n '{line},{line + 6}p' {path}")
    assert re.search(r"^## \S+Z user ", shown, re.MULTILINE)
    assert "My bicycle is locked with the number 4711" in shown


@pytest.mark.req("S0-66", "X-212")
def test_what_was_said_in_an_earlier_log_of_the_window_opens_by_the_short_path_that_the_block_names(
    stage: Stage,
) -> None:
    tell(stage, "My bicycle is locked with the number 4711")
    assert stage.server.wait_for_answer(stage.server.slash(GENERAL_ID, "new").id) is not None

    answer = stage.ask("Which number is my bicycle locked with?")

    place = re.search(r"-# (\.log/\S+\.md):(\d+)", answer)
    assert place is not None, answer
    shown = stage.ask(f"run: sed -n '{place[2]},{int(place[2]) + 6}p' {place[1]}")
    assert "My bicycle is locked with the number 4711" in shown
    assert "4711" in stage.ask(f"run: rm .log\nrun: sed -n '{place[2]},{int(place[2]) + 6}p' {place[1]}")


def test_the_words_of_a_private_thread_stay_in_it(stage: Stage) -> None:
    thread = stage.server.create_thread(GENERAL_ID, "secrets", private=True)
    tell(stage, "My bicycle is locked with the number 4711", thread)

    assert "4711" not in stage.ask("Which number is my bicycle locked with?")
    assert "4711" not in stage.ask("run: cat logs/*/*/*.md")


@pytest.mark.req("S0-87")
def test_what_somebody_has_it_remember_is_given_first_and_why_says_so_to_that_person_alone(stage: Stage) -> None:
    server = stage.server
    outcome = server.slash(GENERAL_ID, "remember", {"what": "The cellar is damp"})
    answer = server.wait_for_answer(outcome.id)
    assert answer is not None
    assert "The cellar is damp" in answer["content"]
    thread = server.create_thread(GENERAL_ID, "elsewhere")
    stage.ask("Good morning!", thread)

    outcome = server.slash(thread, "memory why")
    why = server.wait_for_answer(outcome.id)

    assert outcome.ephemeral
    assert why is not None
    first = why["content"].partition("**Given**\n")[2].split("\n")[0]
    assert first.startswith("1. ")
    assert ", pinned: " in first
    assert "The cellar is damp" in first
    outcome = server.slash(GENERAL_ID, "unremember")
    assert server.wait_for_answer(outcome.id) is not None
    eventually(lambda: stats(stage)["pins"] == 0)


@pytest.mark.req("X-212")
def test_a_person_sees_alone_what_would_be_brought_up_about_them_and_nothing_of_another_audience(stage: Stage) -> None:
    server = stage.server
    tell(stage, "I moved to Utrecht with my greyhound")
    thread = server.create_thread(GENERAL_ID, "secrets", private=True)
    tell(stage, "My bicycle is locked with the number 4711", thread)
    eventually(lambda: is_whole(stage, 4))

    outcome = server.slash(GENERAL_ID, "memory me")
    answer = server.wait_for_answer(outcome.id)
    inside = server.wait_for_answer(server.slash(thread, "memory me").id)

    assert outcome.ephemeral
    assert answer is not None
    assert inside is not None
    assert "I moved to Utrecht with my greyhound" in answer["content"]
    assert re.search(r"`logs/discord-channel/\d+/\S+\.md` line \d+", answer["content"])
    said = next(each for each in server.messages(GENERAL_ID) if "Utrecht" in each["content"])
    assert f"in https://discord.com/channels/{GUILD_ID}/{GENERAL_ID}/{said['id']}: " in answer["content"]
    assert f"in https://discord.com/channels/{GUILD_ID}/{thread}/" in inside["content"]
    assert "4711" not in answer["content"]
    assert "4711" in inside["content"]


@pytest.mark.req("X-212")
def test_a_list_about_a_person_holds_their_words_and_their_name_and_is_the_same_for_the_operator(stage: Stage) -> None:
    server, failures = stage.server, []
    people = {name: server.add_user(name) for name in ("Marguerite", "Will", "Ада", "🦊")}
    said = {
        "Marguerite": "My ferry leaves for Bergen at dawn",
        "Will": "Marguerite owes me a kettle",
        "Ада": "Я живу в Осло",
        "🦊": "My den is below the oak",
    }
    for name, text in said.items():
        message = server.say(GENERAL_ID, text, user=people[name])
        server.wait_for_reply(GENERAL_ID, after=message)
    eventually(lambda: is_whole(stage, 8))
    wanted = {"Marguerite": {"Marguerite", "Will"}, "Will": {"Will"}, "Ада": {"Ада"}, "🦊": {"🦊"}}

    for name, sources in wanted.items():
        outcome = server.slash(GENERAL_ID, "memory me", user=people[name])
        shown = server.wait_for_answer(outcome.id)
        assert shown is not None
        done = run("agent", "memory", "me", name, "--data", str(stage.data), "--json", cwd=stage.data.parent)
        excerpts = "\n".join(memory["excerpt"] for memory in json.loads(done.stdout)["memories"])
        for source, text in said.items():
            is_wanted = source in sources
            if (text in shown["content"], text in excerpts) != (is_wanted, is_wanted):
                failures.append((name, source, shown["content"], done.stdout))
    assert not failures


TROUBLES = {
    "down": Reply(reset=True),
    "slow": Reply(held=True),
}
"""Wrong vectors are row 12 of `tests/matrix`."""


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES.keys())
def test_whatever_is_wrong_with_the_embedder_replies_go_on_and_all_is_embedded_afterwards(
    server: PlaygroundServer, tmp_path: Path, trouble: Reply
) -> None:
    with LoopbackEmbeddings() as embeddings:
        embeddings.always = trouble
        given: dict[str, Any] = {
            "embedder.provider": "google",
            "embedder.api_base": embeddings.address,
            "embedder.dimensions": 16,
            "embedder.timeout_s": 1,
            "memory.query_timeout_s": 0.5,
        }
        stage = Stage(server, tmp_path / "data", {"GEMINI_API_KEY": "k"}, **given)
        try:
            thread = server.create_thread(GENERAL_ID, "aside")
            tell(stage, "My bicycle is locked with the number 4711", thread)
            assert "number 4711" in stage.ask("Which number is my bicycle locked with?")
            eventually(lambda: stats(stage)["rows"] == 4)
            assert stats(stage)["ok"] == 0

            embeddings.always = RIGHT
            embeddings.release()

            eventually(lambda: is_whole(stage, 4))
        finally:
            stage.stop()


@pytest.mark.req("X-202")
@pytest.mark.slow
def test_one_text_that_the_embedding_server_cannot_take_is_set_aside_and_all_else_is_remembered(
    server: PlaygroundServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """hang-in/seCall#5: a certain text is answered with 500, and no other text of its call gets a vector."""
    monkeypatch.setattr(suspects, "LATER_S", (0.5, 1.0))
    with LoopbackEmbeddings() as embeddings:
        embeddings.always = Reply(status=500, body={"error": {"message": "unsupported value: NaN"}}, only_for="hemlock")
        given: dict[str, Any] = {
            "embedder.provider": "google",
            "embedder.api_base": embeddings.address,
            "embedder.dimensions": 16,
        }
        stage = Stage(server, tmp_path / "data", {"GEMINI_API_KEY": "k"}, **given)
        try:
            thread = server.create_thread(GENERAL_ID, "aside")
            tell(stage, "My bicycle is locked with the number 4711", thread)
            tell(stage, "The hemlock grows behind the cellar", thread)
            tell(stage, "My dog is called Rex", thread)
            eventually(lambda: stats(stage)["ok"] + stats(stage)["set_aside"] == 6)
            aside = stats(stage)["set_aside"]

            assert aside > 0
            assert "number 4711" in stage.ask("Which number is my bicycle locked with?")
            assert "behind the cellar" in stage.ask("What grows behind the cellar?")
            calls = sum("hemlock grows" in text for text in embeddings.texts)
            assert calls <= 6 * stats(stage)["set_aside"]
        finally:
            stage.stop()
        warned = [each for each in caplog.messages if "is set aside" in each]
        assert aside <= len(warned) <= aside + 2  # with what was asked and answered since
        (tmp_path / "agent.toml").write_text('[embedder]\nprovider = "google"\ndimensions = 16\n')
        done = run("agent", "doctor", "--json", cwd=tmp_path, environment={"GEMINI_API_KEY": "k"})
        (memory,) = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "memory"]
        assert memory["level"] == "warn"
        assert memory["detail"].count("set aside") == 1

        embeddings.always = RIGHT
        stage = Stage(server, tmp_path / "data", {"GEMINI_API_KEY": "k"}, **given)
        try:
            eventually(lambda: stats(stage)["failed"] == stats(stage)["pending"] == 0)
        finally:
            stage.stop()


@contextmanager
def delete_folder(folder: Path) -> Iterator[None]:
    shutil.rmtree(folder)
    yield


@contextmanager
def spoilt(folder: Path) -> Iterator[None]:
    index = folder / "index.sqlite"
    other = apsw.Connection(str(index))
    list(other.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    other.close()
    with index.open("r+b") as file:
        file.write(b"\xa5" * index.stat().st_size)
    yield


@pytest.mark.req("X-51")
@pytest.mark.slow
@pytest.mark.parametrize("harm", [delete_folder, spoilt])
def test_whatever_happens_to_the_index_replies_go_on_and_nothing_is_missing_afterwards(
    stage: Stage, harm: Callable[[Path], Any]
) -> None:
    thread = stage.server.create_thread(GENERAL_ID, "aside")
    tell(stage, "My bicycle is locked with the number 4711", thread)
    with harm(stage.data / "memory"):
        assert stage.ask("My dog is called Rex")
        assert stage.ask("My bird is called Tweety")

    eventually(lambda: is_whole(stage, 6))

    assert "number 4711" in stage.ask("Which number is my bicycle locked with?")


@pytest.mark.slow
def test_the_operator_looks_into_the_memory_of_a_running_agent(stage: Stage) -> None:
    thread = stage.server.create_thread(GENERAL_ID, "aside", private=True)
    tell(stage, "My bicycle is locked with the number 4711", thread)
    tell(stage, "Which number is my bicycle locked with?", thread)

    def memory(*arguments: str) -> Any:
        done = run("agent", "memory", *arguments, "--data", str(stage.data), "--json", cwd=stage.data.parent)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    assert memory("stats")["rows"] == 4
    assert memory("why", "--window", f"discord-thread/{thread}")["window"] == f"discord-thread/{thread}"
    assert any("4711" in found["excerpt"] for found in memory("search", "bicycle")["memories"])
    elsewhere = memory("search", "bicycle", "--window", f"discord-channel/{GENERAL_ID}")
    assert elsewhere["memories"] == []
    rebuilt = memory("rebuild")
    assert (rebuilt["rows"], rebuilt["pending"]) == (4, 0)
    assert is_whole(stage, 4)
