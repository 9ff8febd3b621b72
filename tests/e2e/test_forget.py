"""Forgetting with the whole agent: by menu, command and button, by the operator, and over a kill."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.context.forgetting import ASK_AGAIN
from actors.context.log.file import check_file
from actors.forget.config import FOLDER
from actors.forget.journal import Entry, Target
from domain.policy.forgetting.rights import NOT_ALL_YOURS, NOT_YOURS
from lab.loopback_model.server import Answer, Delayed, LoopbackModel
from lab.playground.acts.interactions import InteractionOutcome
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID, GUEST_ID, YOU_ID
from messages.base import Surface, UserId, Window
from messages.forget import ForgetRecord, ForgetState, ScopeKind
from tests.actors.cli.command import run
from tests.e2e.stage import Process, Stage, events
from tests.forget_requests import files_with
from tests.patience import eventually

HERE = Window(surface=Surface.DISCORD_CHANNEL, id=str(GENERAL_ID))
MANAGE_MESSAGES = 1 << 13
HERON = "the heron nests behind the mill of Karlstad"


def tell(server: PlaygroundServer, text: str, user: int = YOU_ID) -> int:
    """Say something and wait for the answer; the message's id."""
    said = server.say(GENERAL_ID, text, user=user)
    server.wait_for_reply(GENERAL_ID, after=said)
    return said


def read(server: PlaygroundServer, outcome: InteractionOutcome) -> dict[str, Any]:
    """Answer visible to the caller alone."""
    assert outcome.ephemeral
    answer = server.wait_for_answer(outcome.id)
    assert answer is not None
    return answer


def forget(server: PlaygroundServer, what: str, options: dict[str, Any], user: int = YOU_ID) -> dict[str, Any]:
    return read(server, server.slash(GENERAL_ID, f"forget {what}", options, user=user))


def confirm(server: PlaygroundServer, seen: dict[str, Any], user: int = YOU_ID) -> str:
    """Press the button below a preview; the answer."""
    ((button,),) = [row["components"] for row in seen["components"]]
    outcome = server.click(GENERAL_ID, int(seen["id"]), button["custom_id"], user=user)
    return str(read(server, outcome)["content"])


def holders(data: Path, words: str) -> list[str]:
    """Files of the data root that hold the words; every log is sound."""
    logs = [*(data / "logs").rglob("*.md")]
    assert logs
    assert all(check_file(path) == () for path in logs)
    return files_with(data, words)


@pytest.mark.req("X-247")
def test_a_person_forgets_an_own_message_by_its_menu(stage: Stage) -> None:
    server = stage.server
    said = tell(server, HERON, GUEST_ID)
    tell(server, "the weather is fine")
    seen = read(server, server.call_on_message(GENERAL_ID, "Forget", said, user=GUEST_ID))
    assert HERON in seen["content"]
    assert holders(stage.data, HERON)
    assert "too long ago, by another person" in confirm(server, seen)

    assert confirm(server, seen, GUEST_ID).startswith("Forgotten: ")

    assert not holders(stage.data, HERON)
    assert holders(stage.data, "the weather is fine")
    assert tell(server, "and now?") > said


@pytest.mark.req("X-247")
def test_others_words_are_refused_but_to_moderators_and_operators(server: PlaygroundServer, tmp_path: Path) -> None:
    operator, moderator = server.add_user("Operator"), server.add_user("Moderator")
    server.add_role("Moderators", moderator, permissions=MANAGE_MESSAGES)
    given: dict[str, Any] = {"shell.operators": [str(operator)]}
    stage = Stage(server, tmp_path / "data", **given)
    try:
        said = tell(server, HERON)
        link = f"https://discord.com/channels/910000000000000001/{GENERAL_ID}/{said}"
        assert NOT_YOURS in forget(server, "message", {"message": str(said)}, GUEST_ID)["content"]
        assert NOT_ALL_YOURS in forget(server, "person", {"person": f"<@{YOU_ID}>"}, GUEST_ID)["content"]
        assert NOT_ALL_YOURS in forget(server, "window", {}, GUEST_ID)["content"]
        assert "no log of this window" in forget(server, "message", {"message": "1"}, GUEST_ID)["content"]
        assert HERON in forget(server, "message", {"message": link}, operator)["content"]
        seen = forget(server, "message", {"message": link}, moderator)
        confirm(server, seen, moderator)
        assert not holders(stage.data, HERON)
    finally:
        stage.stop()


@pytest.mark.req("X-247")
def test_a_topic_shows_what_would_go_and_goes_by_the_button(stage: Stage) -> None:
    server = stage.server
    tell(server, HERON, GUEST_ID)
    tell(server, "my sister plays the cello on Tuesdays", GUEST_ID)

    def look() -> dict[str, Any] | None:
        seen = forget(server, "topic", {"words": "heron Karlstad"}, GUEST_ID)
        return seen if HERON in seen["content"] else None

    seen = eventually(look)
    assert seen is not None
    assert "cello" not in seen["content"]
    confirm(server, seen, GUEST_ID)
    assert not holders(stage.data, HERON)
    assert holders(stage.data, "cello")


@pytest.mark.req("X-246")
def test_a_message_whose_words_stand_in_its_thread_alone_is_forgotten_by_its_menu(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"discord.threads": "auto"}
    stage = Stage(server, tmp_path / "data", **given)
    try:
        said = server.say(GENERAL_ID, "pin kiwi77", user=GUEST_ID)
        eventually(lambda: files_with(stage.data / "logs", "kiwi77"))  # From then on the thread is there.
        server.wait_for_reply(said, after=said)
        seen = read(server, server.call_on_message(GENERAL_ID, "Forget", said, user=GUEST_ID))
        confirm(server, seen, GUEST_ID)
        assert not holders(stage.data, "kiwi77")
    finally:
        stage.stop()


@pytest.mark.req("X-246", "X-249")
def test_the_question_about_a_command_goes_with_its_turn(server: PlaygroundServer, tmp_path: Path) -> None:
    given: dict[str, Any] = {"shell.approve": "always"}
    stage = Stage(server, tmp_path / "data", **given)
    try:
        said = server.say(GENERAL_ID, "run: echo kiwi77")
        eventually(lambda: files_with(stage.data / "logs", "May the agent"))
        confirm(server, forget(server, "message", {"message": str(said)}))
        assert not holders(stage.data, "kiwi77")
    finally:
        stage.stop()


@pytest.mark.req("X-246")
@pytest.mark.parametrize("is_in_thread", [False, True])
def test_a_message_goes_from_its_channel_and_from_the_thread_that_was_begun_from_it(
    stage: Stage, *, is_in_thread: bool
) -> None:
    server = stage.server
    said = tell(server, "pin kiwi77", GUEST_ID)
    thread = server.create_thread(GENERAL_ID, "a thread", message_id=said)
    asked = server.say(thread, f"<@{BOT_ID}> good morning")
    server.wait_for_reply(thread, after=asked)
    assert len(files_with(stage.data / "logs", "kiwi77")) == 2
    place = thread if is_in_thread else GENERAL_ID
    seen = read(server, server.slash(place, "forget message", {"message": str(said)}, user=GUEST_ID))
    ((button,),) = [row["components"] for row in seen["components"]]

    read(server, server.click(place, int(seen["id"]), button["custom_id"], user=GUEST_ID))

    assert not holders(stage.data, "kiwi77")
    assert holders(stage.data, "good morning")


@pytest.mark.req("X-250")
def test_a_command_that_runs_leaves_no_output_behind(stage: Stage) -> None:
    server = stage.server
    said = server.say(GENERAL_ID, "run: for i in $(seq 4000); do echo heron$((40+2)); done; sleep 240.27")
    eventually(lambda: files_with(stage.data, "heron42"))
    confirm(server, forget(server, "message", {"message": str(said)}))
    eventually(lambda: not files_with(stage.data, "heron42"))
    assert not holders(stage.data, "heron")


@pytest.mark.req("X-245")
def test_an_answer_in_another_window_that_was_shown_the_words_is_not_given(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    with LoopbackModel() as model:
        given: dict[str, Any] = {"model.name": "hosted_vllm/test", "model.api_base": model.api_base}
        stage = Stage(server, tmp_path / "data", **given)
        try:
            said = tell(server, HERON, GUEST_ID)
            thread = server.create_thread(GENERAL_ID, "birds")
            model.behave = lambda _request: Delayed(Answer(f"It was said that {HERON}."))
            asked = server.say(thread, f"<@{BOT_ID}> where does the heron nest?")
            eventually(lambda: all(each in model.requests()[-1].last_text for each in (HERON, "where does")))
            confirm(server, forget(server, "message", {"message": str(said)}, GUEST_ID), GUEST_ID)
            assert server.wait_for_reply(thread, after=asked)["content"] == ASK_AGAIN
            model.release()
            assert not holders(stage.data, HERON)
        finally:
            model.release()
            stage.stop()


@pytest.mark.req("X-247")
def test_a_viewer_forgets_own_words_too(server: PlaygroundServer, tmp_path: Path) -> None:
    viewer = server.add_user("Viewer")
    role = server.add_role("Viewers", viewer)
    given: dict[str, Any] = {"discord.viewer_roles": [str(role)]}
    stage = Stage(server, tmp_path / "data", **given)
    try:
        said = tell(server, HERON, viewer)
        seen = read(server, server.call_on_message(GENERAL_ID, "Forget", said, user=viewer))
        confirm(server, seen, viewer)
        assert not holders(stage.data, HERON)
    finally:
        stage.stop()


def test_a_person_and_a_window_are_forgotten(stage: Stage) -> None:
    server = stage.server
    tell(server, HERON, GUEST_ID)
    tell(server, "my sister plays the cello")
    confirm(server, forget(server, "person", {}, GUEST_ID), GUEST_ID)
    assert not holders(stage.data, HERON)
    assert holders(stage.data, "cello")
    confirm(server, forget(server, "window", {}))
    assert not holders(stage.data, "cello")
    assert stage.ask("run: echo owls")


@pytest.mark.req("X-248")
def test_a_kill_between_journal_and_log_loses_nothing_and_the_next_start_finishes(process: Process) -> None:
    process.start()
    tell(process.server, HERON)
    process.kill()
    (question,) = [event for event in events(process.data, HERE.surface.value, GENERAL_ID) if event.content == HERON]
    write_entry(process.data, Target(window=HERE, event_ids=(question.id,)))
    assert holders(process.data, HERON)
    process.start()
    eventually(lambda: '"state":"done"' in (process.data / FOLDER / "abc.json").read_text())
    assert not holders(process.data, HERON)
    listed = run("agent", "forget", "list", "--data", str(process.data), "--json", cwd=process.data.parent)
    (record,) = json.loads(listed.stdout)["forgets"]
    assert (record["by"], record["why"], record["waiting_for"]) == (str(YOU_ID), "a test", [])


def write_entry(data: Path, target: Target) -> None:
    """Leave a request in the journal as a kill does: resolved, and nothing taken out."""
    record = ForgetRecord(
        forget_id="abc",
        kind=ScopeKind.MESSAGE,
        window=HERE.address.key,
        state=ForgetState.RESOLVED,
        by=UserId(str(YOU_ID)),
        why="a test",
        asked_at=datetime.now(UTC),
        done_at=None,
        rooms=(),
    )
    folder = data / FOLDER
    folder.mkdir(mode=0o700)
    path = folder / "abc.json"
    path.write_bytes(msgspec.json.encode(Entry(record=record, targets=(target,))))
    path.chmod(0o600)


@pytest.mark.req("X-248")
def test_the_operator_forgets_by_a_command_whether_the_agent_runs_or_not(process: Process) -> None:
    process.start()
    first = tell(process.server, HERON)
    second = tell(process.server, "my sister plays the cello")
    tell(process.server, "the kiln in Delft burns at night")
    at = ("--window", HERE.address.key, "--data", str(process.data), "--why", "asked by mail")
    refused = run("agent", "forget", "message", str(first), *at, cwd=process.data.parent)
    assert (refused.returncode, HERON in refused.stdout) == (1, True)
    assert holders(process.data, HERON)
    done = run("agent", "forget", "message", str(first), "--yes", *at, cwd=process.data.parent)
    assert "Forgotten: " in done.stdout, done.stderr
    assert not holders(process.data, HERON)
    assert process.terminate() == 0

    done = run("agent", "forget", "message", str(second), "--yes", "--json", *at, cwd=process.data.parent)

    assert json.loads(done.stdout)["waiting_for"] == [], done.stderr
    assert not holders(process.data, "cello")
    about = ("--data", str(process.data), "--why", "asked by mail")
    seen = run("agent", "forget", "topic", "--json", "kiln Delft", *about, cwd=process.data.parent)
    assert json.loads(seen.stdout)["events"], seen.stderr
    assert holders(process.data, "kiln")
    run("agent", "forget", "topic", "--yes", "kiln Delft", *about, cwd=process.data.parent)
    assert not holders(process.data, "kiln in Delft")
    listed = run("agent", "forget", "list", "--data", str(process.data), cwd=process.data.parent)
    assert listed.stdout.count("by operator, because: asked by mail") == 3, listed.stderr


@pytest.mark.req("X-246", "X-250")
def test_a_command_that_showed_the_log_leaves_no_kept_output_behind(stage: Stage) -> None:
    server = stage.server
    said = tell(server, HERON, GUEST_ID)
    tell(server, "run: cat .log/*.md; seq 20000")
    assert files_with(stage.data / "output", HERON)

    confirm(server, forget(server, "message", {"message": str(said)}, GUEST_ID), GUEST_ID)

    assert not holders(stage.data, HERON)


@pytest.mark.req("X-250")
def test_a_thread_begun_from_a_forgotten_message_brings_no_file_back(stage: Stage) -> None:
    server = stage.server
    said = server.say(GENERAL_ID, "here it is", user=GUEST_ID, attachments=(("heron.txt", HERON.encode()),))
    server.wait_for_reply(GENERAL_ID, after=said)
    assert files_with(stage.data / "attachments", HERON)
    confirm(server, forget(server, "message", {"message": str(said)}, GUEST_ID), GUEST_ID)
    assert not holders(stage.data, HERON)

    thread = server.create_thread(GENERAL_ID, "a thread", message_id=said)
    asked = server.say(thread, f"<@{BOT_ID}> good morning")
    server.wait_for_reply(thread, after=asked)

    eventually(lambda: not files_with(stage.data, HERON))
