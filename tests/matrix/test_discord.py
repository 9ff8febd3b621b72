"""Rows 36-41: Discord goes away, comes twice, was away, fails, revokes, or has closed the place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from actors.context.log.recovery import survey
from domain.log.event import Kind
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.discord import DeliveryFailed
from tests.actors.cli.command import run
from tests.actors.context.rig import Rig
from tests.actors.discord.life import Life, timing
from tests.e2e.stage import Process, Stage, answered_once, bot_texts, events, is_bot, of_kind, say
from tests.patience import PATIENCE_S, eventually
from tests.trusted import write_settings

BREAKS: dict[str, Callable[[PlaygroundServer], object]] = {
    "closed": lambda server: server.drop(4000),
    "reset": lambda server: server.drop(1006),
    "op7": lambda server: server.op7(),
    "op9-resumable": lambda server: server.op9(resumable=True),
    "op9": lambda server: server.op9(resumable=False),
}


def test_row_36_a_broken_gateway_costs_no_message_and_doubles_none(stage: Stage) -> None:
    """One break after another, of one life: each in a thread of its own."""
    for name, break_it in BREAKS.items():
        thread = stage.server.create_thread(GENERAL_ID, name)
        say(stage, "before", thread)
        answered_once(stage, "before", window=thread)
        break_it(stage.server)
        say(stage, "between", thread)
        stage.server.wait_until_online(timeout_s=PATIENCE_S)
        say(stage, "after", thread)
        answered_once(stage, "before", "between", "after", window=thread)


def test_row_36_a_socket_that_falls_silent_is_replaced() -> None:
    with (
        PlaygroundServer(PlaygroundConfig(heartbeat_interval_ms=200)) as playground,
        Life(playground, timing=timing(heartbeat_timeout_s=1.0)) as life,
    ):
        life.say("before")
        life.messages.wait(1)
        playground.zombie()
        life.say("into the void")
        assert life.texts(2) == ["before", "into the void"]
        life.say("after")
        assert life.texts(3) == ["before", "into the void", "after"]


def test_row_37_a_message_that_comes_again_after_a_resume_is_answered_once(stage: Stage) -> None:
    server = stage.server
    say(stage, "twice")
    answered_once(stage, "twice")
    (message,) = [shown for shown in server.messages(GENERAL_ID) if not is_bot(shown)]
    server.drop(4000)
    server.wait_until_online(timeout_s=PATIENCE_S)
    for _ in range(3):
        server.dispatch("MESSAGE_CREATE", message)
    say(stage, "next")
    answered_once(stage, "twice", "next")


class TestOffline:
    """What is said while the agent is away."""

    def said_while_away(self, process: Process, windows: dict[str, int]) -> None:
        """Said in each of the windows and in a new thread; answered once there by the next life."""
        server = process.server
        process.kill()
        windows["a new thread"] = server.create_thread(GENERAL_ID, "new")
        for name, window in windows.items():
            server.say(window, f"missed in {name}")
        process.start()
        for name, window in windows.items():

            def is_answered(name: str = name, window: int = window) -> bool:
                return any(f"I have read “missed in {name}”" in text for text in bot_texts(server, window))

            eventually(is_answered)
        for name, window in windows.items():
            shown = bot_texts(server, window)
            assert sum(f"I have read “missed in {name}”" in text for text in shown) == 1, name

    def test_row_38_what_was_missed_is_answered_once_where_it_was_said(self, process: Process) -> None:
        server = process.server
        windows = {"the channel": GENERAL_ID, "a thread": server.create_thread(GENERAL_ID, "thread")}
        process.start()
        for window in windows.values():
            server.wait_for_reply(window, after=server.say(window, "before"), timeout_s=PATIENCE_S)
        self.said_while_away(process, windows)

    def test_row_38_what_was_missed_after_a_new_window_began_is_answered(self, process: Process) -> None:
        server = process.server
        process.start()
        server.wait_for_reply(GENERAL_ID, after=server.say(GENERAL_ID, "before"), timeout_s=PATIENCE_S)
        server.wait_for_answer(server.slash(GENERAL_ID, "new").id)
        self.said_while_away(process, {"the channel": GENERAL_ID})


def test_row_39_a_failing_post_costs_no_answer_doubles_none_and_keeps_the_order(stage: Stage) -> None:
    """Each kind of failure in a thread of its own, all at the same time."""
    server, threads = stage.server, dict[str, int]()
    for kind in ("429-user", "429-global", "500", "503", "abort-before", "abort-after", "html"):
        threads[kind] = server.create_thread(GENERAL_ID, kind)
        server.inject(kind, rf"POST /channels/{threads[kind]}/messages$", times=2)
        say(stage, "first", threads[kind])
        say(stage, "second", threads[kind])
    for thread in threads.values():
        answered_once(stage, "first", "second", window=thread)
        assert len(server.requests("POST", f"/channels/{thread}/messages")) >= 4, "two failed"


def test_row_39_an_answer_whose_delivery_failed_is_not_overtaken_by_the_next(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    try:
        rig.say("one", 1)
        rig.answer("answer one")
        (post,) = rig.posts()
        rig.system.tell(post.reply_to, DeliveryFailed(request_id=post.request_id, reason="no connection"))
        rig.system.run()
        rig.say("two", 2)
        rig.answer("answer two")
        assert [post.text for post in rig.posts()] == []
        rig.advance(600)
        assert rig.deliver().text == "answer one"
        assert rig.deliver().text == "answer two"
    finally:
        rig.stop()


class TestRevoked:
    """Discord says that the bot may not be here."""

    def agent_run(self, server: PlaygroundServer, folder: Path, token: str) -> tuple[int, str]:
        write_settings(
            folder,
            f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
            f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n',
        )
        done = run("agent", "run", cwd=folder, environment={"DISCORD_BOT_TOKEN": token})
        return done.returncode, done.stderr

    def test_row_40_a_token_that_is_not_accepted_ends_the_start_with_one_sentence(
        self, server: PlaygroundServer, tmp_path: Path
    ) -> None:
        code, told = self.agent_run(server, tmp_path, "a.wrong.token")
        assert (code, told.count("error: ")) == (1, 1)
        assert "does not accept" in told
        assert "a.wrong.token" not in told
        assert len(server.requests("GET", "/users/@me")) == 1

    def test_row_40_a_missing_intent_is_named(self, tmp_path: Path) -> None:
        with PlaygroundServer(PlaygroundConfig(allowed_intents=0)) as server:
            code, told = self.agent_run(server, tmp_path, server.bot_token)
            assert (code, "MESSAGE CONTENT INTENT" in told) == (1, True)
            assert server.counters()["identifies"] == 1

    def test_row_40_a_token_that_is_revoked_meanwhile_ends_it_without_another_try(
        self, server: PlaygroundServer, tmp_path: Path
    ) -> None:
        stage = Stage(server, tmp_path / "data")
        try:
            server.drop(4004)
            stage.agent.wait()
            assert (stage.agent.exit_code, "no longer accepts" in stage.agent.reason) == (1, True)
        finally:
            stage.stop()
        assert server.counters()["identifies"] == 1


@pytest.mark.parametrize(
    ("close", "is_answered"),
    [
        pytest.param(lambda server, thread: server.delete_channel(thread), False, id="deleted"),
        pytest.param(lambda server, thread: server.change_thread(thread, archived=True), True, id="archived"),
        pytest.param(
            lambda server, thread: server.change_thread(thread, archived=True, locked=True), False, id="locked"
        ),
    ],
)
def test_row_41_a_place_that_is_gone_before_the_answer_keeps_its_log_and_holds_nobody_up(
    stage: Stage, close: Callable[[PlaygroundServer, int], object], *, is_answered: bool
) -> None:
    """An answer that people can still let through waits; one that Discord takes is delivered."""
    server = stage.server
    thread = server.create_thread(GENERAL_ID, "closing")
    stage.ask("hello", thread)
    server.say(thread, "run: sleep 0.5; echo late")
    eventually(lambda: Kind.TOOL_CALL in [event.kind for event in events(stage.data, "discord-thread", thread)])
    close(server, thread)

    assert "alive" in stage.ask("alive")
    eventually(lambda: "late" in of_kind(events(stage.data, "discord-thread", thread), Kind.AGENT)[-1])
    if is_answered:
        eventually(lambda: survey(stage.data).unfinished == ())
    assert stage.agent.reason == ""
