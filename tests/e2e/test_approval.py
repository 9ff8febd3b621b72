"""Approval by buttons, from the question to the result, with the whole agent."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from domain.log.event import Kind
from domain.policy import approval as wording
from lab.playground.acts.interactions import InteractionOutcome
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUEST_ID, YOU_ID
from tests.actors.cli.command import run
from tests.e2e.stage import Process, Stage, bot_texts, events, is_bot, of_kind
from tests.patience import PATIENCE_S, eventually

ASKS = '[shell]\napprove = "always"\n'


def asking(
    server: PlaygroundServer, folder: Path, approve: str = "always", more: dict[str, Any] | None = None
) -> Stage:
    """An agent in this process that asks."""
    given: dict[str, Any] = {"shell.approve": approve, **(more or {})}
    return Stage(server, folder / "data", **given)


def question(server: PlaygroundServer, channel: int = GENERAL_ID) -> dict[str, Any]:
    """The newest question with buttons, once it stands in the channel."""

    def look() -> dict[str, Any] | None:
        shown = [each for each in server.messages(channel) if is_bot(each) and buttons(each).keys() >= {"Allow"}]
        return shown[-1] if shown else None

    found = eventually(look)
    assert found is not None
    return found


def buttons(message: dict[str, Any]) -> dict[str, str]:
    """Label -> custom id."""
    return {each["label"]: each["custom_id"] for row in message["components"] for each in row["components"]}


def press(
    server: PlaygroundServer, asked: dict[str, Any], label: str, user: int = YOU_ID, channel: int = GENERAL_ID
) -> str:
    """Press a button; the answer that only the presser sees."""
    outcome: InteractionOutcome = server.click(channel, int(asked["id"]), buttons(asked)[label], user=user)
    answer = server.wait_for_answer(outcome.id)
    return "" if answer is None else str(answer["content"])


def results(data: Path) -> list[str]:
    return of_kind(events(data, "discord-channel", GENERAL_ID), Kind.TOOL_RESULT)


def hears(server: PlaygroundServer, word: str, channel: int = GENERAL_ID) -> None:
    eventually(lambda: any(word in text for text in bot_texts(server, channel)))


@pytest.mark.req("X-236")
def test_a_command_waits_for_the_press_of_who_asked_and_a_strangers_is_refused(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    stage = asking(server, tmp_path)
    try:
        mark = tmp_path / "data" / "work" / "discord-channel" / str(GENERAL_ID) / "mark"
        server.say(GENERAL_ID, "run: touch mark; echo owls")
        asked = question(server)
        assert "touch mark; echo owls" in asked["content"]
        assert wording.NOT_YOURS in press(server, asked, "Allow", GUEST_ID)
        assert wording.NOT_YOURS in press(server, asked, "Refuse", GUEST_ID)
        server.say(GENERAL_ID, "yes, allow it", user=GUEST_ID)
        assert not mark.exists()
        other = server.create_thread(GENERAL_ID, "another window")
        server.say(other, "run: echo beside")
        press(server, question(server, other), "Allow", channel=other)
        hears(server, "\nbeside", other)
        assert not mark.exists()

        assert press(server, asked, "Allow") == "Allowed."
        hears(server, "\nowls")
        assert mark.exists()
        eventually(lambda: "Allowed by" in shown(server, asked)["content"] and not shown(server, asked)["components"])
        assert not any(wording.NOT_YOURS in text for text in results(stage.data))
        server.say(GENERAL_ID, "run: echo no")
        press(server, question(server), "Refuse")
        hears(server, "not run")
        assert results(stage.data)[-1] == f"Not run: {wording.REFUSED}"
    finally:
        stage.stop()


def shown(server: PlaygroundServer, asked: dict[str, Any]) -> dict[str, Any]:
    """The message as it stands now."""
    return next(each for each in server.messages(GENERAL_ID) if each["id"] == asked["id"])


@pytest.mark.req("X-236")
def test_an_operator_may_press(server: PlaygroundServer, tmp_path: Path) -> None:
    operator = server.add_user("Operator")
    stage = asking(server, tmp_path, more={"shell.operators": [str(operator)]})
    try:
        server.say(GENERAL_ID, "run: echo owls")
        assert press(server, question(server), "Allow", operator) == "Allowed."
        hears(server, "\nowls")
    finally:
        stage.stop()


@pytest.mark.req("X-236")
def test_the_operator_decides_by_a_command(server: PlaygroundServer, tmp_path: Path) -> None:
    process = Process(server, tmp_path / "data", more=ASKS)
    process.start()
    try:
        server.say(GENERAL_ID, "run: echo owls")
        question(server)
        at = ("--data", str(tmp_path / "data"))
        listed = run("agent", "approval", "list", *at, cwd=tmp_path)
        assert "echo owls" in listed.stdout, listed.stderr
        allowed = run("agent", "approval", "allow", listed.stdout.split()[0], *at, cwd=tmp_path)
        assert allowed.stdout == "Allowed.\n"
        hears(server, "\nowls")
        assert run("agent", "approval", "list", *at, cwd=tmp_path).stdout == "No question is open.\n"
        unknown = run("agent", "approval", "refuse", "nothing", *at, cwd=tmp_path)
        assert (unknown.returncode, "no open question has the id 'nothing'" in unknown.stderr) == (1, True)
    finally:
        process.terminate()
    without = run("agent", "approval", "list", *at, cwd=tmp_path)
    assert (without.returncode, "no agent runs" in without.stderr) == (1, True)


@pytest.mark.req("X-236")
def test_a_kill_between_question_and_press_loses_neither(server: PlaygroundServer, tmp_path: Path) -> None:
    process = Process(server, tmp_path / "data", more=ASKS)
    process.start()
    server.say(GENERAL_ID, "run: echo x >> mark; wc -l < mark")
    asked = question(server)
    process.kill()
    process.start()
    try:
        assert press(server, asked, "Allow").startswith("Allowed.")
        hears(server, "\n1")
        assert [text.strip() for text in results(process.data)] == ["1"]
        assert sum("May the agent" in text for text in bot_texts(server)) == 1
        assert [*(process.data / "approvals").iterdir()] == []
    finally:
        assert process.terminate() == 0


@pytest.mark.req("X-236")
def test_a_stop_in_good_order_loses_neither(server: PlaygroundServer, tmp_path: Path) -> None:
    process = Process(server, tmp_path / "data", more=ASKS)
    process.start()
    server.say(GENERAL_ID, "run: echo owls")
    asked = question(server)
    assert process.terminate() == 0
    server.wait_until_online(online=False, timeout_s=PATIENCE_S)
    process.start()
    try:
        press(server, asked, "Allow")
        hears(server, "\nowls")
        assert [text.strip() for text in results(process.data)] == ["owls"]
    finally:
        assert process.terminate() == 0


@pytest.mark.req("X-236")
def test_after_an_hour_the_model_is_told_that_there_was_no_answer(server: PlaygroundServer, tmp_path: Path) -> None:
    process = Process(server, tmp_path / "data", more=ASKS)
    process.start()
    server.say(GENERAL_ID, "run: echo owls")
    asked = question(server)
    process.kill()
    (note,) = (process.data / "approvals").iterdir()
    kept = json.loads(note.read_text())
    almost = datetime.fromisoformat(kept["asked_at"]) - timedelta(minutes=59, seconds=50)
    note.write_text(json.dumps({**kept, "asked_at": almost.isoformat()}))
    process.start()
    try:
        hears(server, "not run")
        assert results(process.data) == [f"Not run: {wording.TIMED_OUT}"]
        eventually(lambda: "No answer within an hour" in shown(server, asked)["content"])
    finally:
        assert process.terminate() == 0


@pytest.mark.req("X-236")
def test_stop_ends_what_waits_and_its_button(server: PlaygroundServer, tmp_path: Path) -> None:
    stage = asking(server, tmp_path)
    try:
        server.say(GENERAL_ID, "run: echo owls")
        asked = question(server)
        server.say(GENERAL_ID, "stop")
        eventually(lambda: "The turn is over" in shown(server, asked)["content"])
        server.say(GENERAL_ID, "run: echo later")
        press(server, question(server), "Allow")
        hears(server, "\nlater")
        assert not any("\nowls" in text for text in bot_texts(server))
    finally:
        stage.stop()


@pytest.mark.req("X-236")
def test_a_deleted_question_and_one_that_cannot_be_shown_end_in_words(server: PlaygroundServer, tmp_path: Path) -> None:
    stage = asking(server, tmp_path)
    try:
        server.say(GENERAL_ID, "run: echo owls")
        server.delete(GENERAL_ID, int(question(server)["id"]))
        hears(server, "not run")
        server.inject("refused", r"POST /channels/\d+/messages$", status=403, code=160005)
        server.say(GENERAL_ID, "run: echo owls")
        eventually(lambda: len(results(stage.data)) == 2)
        assert results(stage.data)[0] == f"Not run: {wording.DELETED}"
        assert results(stage.data)[1].startswith("Not run: this needs a person's approval, and the question could not")
    finally:
        stage.stop()


@pytest.mark.req("X-236")
def test_outside_asks_about_web_requests_and_not_about_commands(server: PlaygroundServer, tmp_path: Path) -> None:
    stage = asking(server, tmp_path, "outside", {"shell.timeout_s": 8.0})
    script = Path(__file__).parents[2] / "skills" / "brave-search" / "content.py"
    try:
        assert "\nowls" in stage.ask("run: echo owls")
        server.say(GENERAL_ID, f"run: python3 -I {script} https://owls.example/rotterdam")
        asked = question(server)
        assert "https://owls.example/rotterdam" in asked["content"]
        with pytest.raises(TimeoutError):
            server.wait_for_reply(GENERAL_ID, after=int(asked["id"]), timeout_s=9.0)
        press(server, asked, "Refuse")
        hears(server, "a person was asked for approval and refused")
        assert "Killed" not in results(stage.data)[-1]
    finally:
        stage.stop()


@pytest.mark.req("X-236")
def test_by_default_no_person_is_asked(stage: Stage) -> None:
    assert "\nowls" in stage.ask("run: echo owls")
    assert not any(message["components"] for message in stage.server.messages(GENERAL_ID))
    assert not (stage.data / "approvals").exists()
