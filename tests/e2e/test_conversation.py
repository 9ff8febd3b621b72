"""A channel and its threads, talked to as people do."""

from __future__ import annotations

from functools import partial

import pytest

from domain.log.event import Kind
from lab.playground.world.defaults import ELSEWHERE_ID, GENERAL_ID
from tests.e2e.stage import Stage, bot_texts, events, of_kind, shows
from tests.patience import PATIENCE_S


@pytest.mark.req("S0-08", "C-33")
def test_a_message_in_the_channel_is_answered_by_the_offline_model_which_says_so(stage: Stage) -> None:
    assert "offline" in stage.ask("hello").lower()


def test_a_command_really_runs(stage: Stage) -> None:
    assert "62710561" in stage.ask("run: echo $((7919*7919))")


@pytest.mark.req("S0-07")
def test_messages_elsewhere_are_ignored(stage: Stage) -> None:
    stage.server.say(ELSEWHERE_ID, "hello?")
    stage.ask("hello")
    assert bot_texts(stage.server, ELSEWHERE_ID) == []
    assert not (stage.data / "logs" / "discord-channel" / str(ELSEWHERE_ID)).exists()


@pytest.mark.req("S0-38", "C-34")
def test_a_channel_and_two_threads_at_once_share_nothing(stage: Stage) -> None:
    server = stage.server
    threads = [server.create_thread(GENERAL_ID, name) for name in ("first", "second")]
    places = {GENERAL_ID: "alpha", threads[0]: "bravo", threads[1]: "charlie"}
    for round_number in range(3):
        said = {
            place: server.say(place, f"run: echo {secret}-{round_number} >> notes.txt; cat notes.txt; pwd")
            for place, secret in places.items()
        }
        for place, message in said.items():
            server.wait_for_reply(place, after=message, timeout_s=PATIENCE_S)
    for place, secret in places.items():
        others = [other for other in places.values() if other != secret]
        shown = "\n".join(bot_texts(server, place))
        assert shown.count(f"\n{secret}-2") == 1
        assert f"{secret}-0\n{secret}-1\n{secret}-2" in shown
        assert not any(other in shown for other in others)
        surface = "discord-channel" if place == GENERAL_ID else "discord-thread"
        logged = events(stage.data, surface, place)
        assert of_kind(logged, Kind.AGENT)[-1] in bot_texts(server, place)[-1]
        assert not any(other in event.content for event in logged for other in others)
        folder = stage.data / "work" / surface / str(place)
        assert (folder / "notes.txt").read_text() == f"{secret}-0\n{secret}-1\n{secret}-2\n"


def test_messages_sent_while_an_answer_is_on_its_way_are_answered_in_order(stage: Stage) -> None:
    server = stage.server
    said = [server.say(GENERAL_ID, f"run: sleep 0.2; echo number-{number}") for number in range(3)]
    # The message that shows the work names the number, too: in the command.
    server.wait_for_reply(GENERAL_ID, after=said[-1], timeout_s=PATIENCE_S, until=partial(shows, "number-2"))
    positions = ["\n".join(bot_texts(server)).index(f"\nnumber-{number}") for number in range(3)]
    assert positions == sorted(positions)


@pytest.mark.req("S0-40", "S0-41")
def test_new_empties_the_history_and_begins_a_log(stage: Stage) -> None:
    stage.ask("hello")
    outcome = stage.server.slash(GENERAL_ID, "new")
    assert stage.server.wait_for_answer(outcome.id) is not None
    assert len(list((stage.data / "logs" / "discord-channel" / str(GENERAL_ID)).glob("*.md"))) == 2
    assert "offline" in stage.ask("hello again").lower()


@pytest.mark.req("X-57")
def test_a_long_answer_comes_in_parts_that_hold_all_of_it(stage: Stage) -> None:
    server = stage.server
    said = server.say(GENERAL_ID, "run: seq 1000 1250\nrun: seq 2000 2250")
    replies = server.settled_replies(GENERAL_ID, after=said, quiet_s=1.0)
    assert len(replies) > 1
    assert all(len(reply["content"]) <= 2000 for reply in replies)
    shown = "\n".join(str(reply["content"]) for reply in replies).splitlines()
    wanted = [str(number) for number in (*range(1000, 1251), *range(2000, 2251))]
    assert [line for line in shown if line.isdigit()] == wanted


def test_no_answer_can_ping_anybody(stage: Stage) -> None:
    stage.ask("run: echo '@everyone'")
    posts = stage.server.requests("POST", "/messages")
    assert posts
    assert all(post.payload["allowed_mentions"] == {"parse": [], "replied_user": False} for post in posts)


def test_text_of_any_kind_is_logged_and_answered(stage: Stage) -> None:
    texts = [
        "```\n## 2026-01-01T00:00:00.000Z agent x",
        "<!-- end -->",
        "\u202eabc\u2028def",
        "😀" * 400,
        "@everyone",
        "\\",
    ]
    for text in texts:
        assert stage.ask(text)
    assert of_kind(events(stage.data, "discord-channel", GENERAL_ID), Kind.USER) == texts
