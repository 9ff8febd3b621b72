"""The people of a load on a real playground, before a bot that is no more than a listener."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from lab.load.crowd import Crowd
from lab.load.plan import Counted, Phase, State
from lab.load.stage import DiscordStage
from lab.load.tally import Standing
from lab.load.wording import answer
from lab.loopback_model.answers import Answer, Received
from lab.playground.gateway.events import Event
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID
from lab.playground.world.errors import ApiError
from lab.playground.world.records import Draft
from tests.patience import eventually

WELL = Standing(unanswered=frozenset(), doubled=0, disordered=0, unexpected=0, samples=())


class Scene:
    """A playground, its crowd, and a bot that answers by turns as it is told."""

    def __init__(self, server: PlaygroundServer) -> None:
        self.server = server
        self.crowd = Crowd(server, "seed", 0.0)
        self.stage = DiscordStage(server, self.crowd)
        self.delay_s = 0.0
        self.deaf_to: set[int] = set()
        self.waiting = 0
        self.most_waiting: dict[int, int] = {}
        self._open: dict[int, int] = {}
        server.subscribe(self.crowd.on_event)
        server.subscribe(self._on_event)

    def _on_event(self, event: Event) -> None:
        if event.name != "MESSAGE_CREATE" or event.payload["author"]["id"] == str(BOT_ID):
            return
        channel_id, text = event.channel_id or 0, event.payload["content"]
        if channel_id in self.deaf_to:
            return
        self._open[channel_id] = self._open.get(channel_id, 0) + 1
        self.most_waiting[channel_id] = max(self._open[channel_id], self.most_waiting.get(channel_id, 0))
        asyncio.get_running_loop().call_later(self.delay_s, self._answer, channel_id, text)

    def _answer(self, channel_id: int, text: str) -> None:
        hub = self.server.hub
        self._open[channel_id] -= 1
        answer_text = answer(Received("/", {}, {"messages": [{"role": "user", "content": text}]}, text.encode()))
        assert isinstance(answer_text, Answer)
        hub.post(hub.world.channel(channel_id), Draft(author=hub.world.bot, content=answer_text.text))

    def play(self, phase: Phase) -> Counted:
        self.stage.begin(phase)
        eventually(lambda: self.stage.state().is_over)
        return self.stage.end()


@pytest.fixture
def scene() -> Iterator[Scene]:
    with PlaygroundServer() as server:
        yield Scene(server)


def test_each_thread_says_its_messages_one_after_the_other_and_all_are_counted(scene: Scene) -> None:
    scene.stage.open_threads(60)

    counted = scene.play(Phase(name="burst", threads=60, turns=3))

    assert (counted.sent, counted.replied, counted.late, counted.commands) == (180, 180, 0, 0)
    assert len(counted.reply_times_s) == 180
    assert set(scene.most_waiting.values()) == {1}
    assert scene.stage.standing() == WELL
    assert {thread.turns for thread in scene.stage.threads().values()} == {3}


def test_a_second_phase_counts_by_itself_and_takes_the_threads_that_it_names(scene: Scene) -> None:
    scene.stage.open_threads(4)
    scene.play(Phase(name="first", threads=4, turns=1))

    counted = scene.play(Phase(name="second", first=1, threads=2, turns=2))

    assert (counted.sent, counted.replied, len(counted.reply_times_s)) == (4, 4, 4)
    assert [thread.turns for thread in scene.stage.threads().values()] == [1, 3, 3, 1]


def test_messages_arrive_at_the_rate_each_in_a_thread_that_waits_for_nothing(scene: Scene) -> None:
    scene.stage.open_threads(40)
    scene.delay_s = 0.01

    counted = scene.play(Phase(name="steady", threads=40, rate=200.0, seconds=1.0))

    assert 120 < counted.sent < 290
    assert counted.replied == counted.sent
    assert set(scene.most_waiting.values()) == {1}
    assert len(scene.most_waiting) > 20


def test_arrivals_beyond_the_threads_wait_and_their_wait_counts(scene: Scene) -> None:
    scene.stage.open_threads(1)
    scene.delay_s = 0.1

    counted = scene.play(Phase(name="steady", threads=1, rate=30.0, seconds=0.6))

    assert counted.late > 3
    assert counted.replied == counted.sent
    assert max(counted.reply_times_s) > 0.25
    assert scene.most_waiting == {next(iter(scene.stage.threads())): 1}


def test_a_fresh_phase_opens_a_thread_for_each_message(scene: Scene) -> None:
    counted = scene.play(Phase(name="churn", threads=0, rate=100.0, seconds=0.3, is_fresh=True))

    assert counted.sent == counted.replied > 5
    assert [thread.turns for thread in scene.stage.threads().values()] == [1] * counted.sent


def test_one_thread_floods_while_the_others_speak_and_its_times_are_not_counted(scene: Scene) -> None:
    scene.stage.open_threads(3)
    scene.delay_s = 0.02

    counted = scene.play(Phase(name="flood", threads=2, turns=5, flood=7))

    ids = list(scene.stage.threads())
    assert scene.most_waiting[ids[2]] == 7
    assert scene.most_waiting[ids[0]] == scene.most_waiting[ids[1]] == 1
    assert len(counted.reply_times_s) == 10
    assert counted.replied == counted.sent > 17
    assert scene.stage.standing() == WELL


def test_a_share_of_the_turns_says_that_a_command_is_to_run(scene: Scene) -> None:
    scene.stage.open_threads(20)

    counted = scene.play(Phase(name="bash", threads=20, turns=5, command_share=0.3))

    assert 10 < counted.commands < 60
    assert counted.commands == sum(len(thread.commands) for thread in scene.stage.threads().values())


def test_a_message_that_nobody_answers_keeps_the_phase_from_its_end_and_is_lost(scene: Scene) -> None:
    scene.stage.open_threads(2)
    deaf = next(iter(scene.stage.threads()))
    scene.deaf_to = {deaf}
    scene.stage.begin(Phase(name="burst", threads=2, turns=1))
    eventually(lambda: scene.stage.state().replied == 1)

    state: State = scene.stage.state()
    counted = scene.stage.end()

    assert (state.is_over, state.total) == (False, 2)
    assert (counted.sent, counted.replied) == (2, 1)
    assert scene.stage.standing().unanswered == {(deaf, 1)}
    assert scene.stage.state().is_over


def test_whatever_keeps_people_from_speaking_is_told(scene: Scene) -> None:
    scene.stage.open_threads(1)
    scene.server.delete_channel(next(iter(scene.stage.threads())))
    scene.stage.begin(Phase(name="burst", threads=1, turns=1))

    with pytest.raises(ApiError):
        eventually(lambda: scene.stage.state().is_over)


def test_a_new_thread_is_shown_to_nobody_but_its_person_and_the_bot(scene: Scene) -> None:
    scene.stage.open_threads(1)
    world = scene.server.hub.world
    thread = next(iter(world.threads.values()))

    assert thread.thread is not None
    assert len(thread.thread.members) == 2
    assert BOT_ID in thread.thread.members


@pytest.mark.parametrize("act", ["delete", "delete many", "edit", "delete thread"])
def test_what_becomes_of_an_answer_after_it_was_counted_is_seen(scene: Scene, act: str) -> None:
    scene.stage.open_threads(2)
    scene.play(Phase(name="burst", threads=2, turns=1))
    hub = scene.server.hub
    changed, _ = scene.stage.threads()
    channel = hub.world.channel(changed)
    (message,) = [each for each in channel.history.before(None, 9) if each.author is hub.world.bot]
    acts = {
        "delete": lambda: hub.delete(channel, message.id),
        "delete many": lambda: hub.delete_many(channel, [message.id]),
        "edit": lambda: hub.edit(message, "garbage"),
        "delete thread": lambda: hub.delete_channel(channel),
    }
    assert scene.stage.standing() == WELL

    scene.server.run(acts[act])

    standing = scene.stage.standing()
    assert standing.unanswered == {(changed, 1)}
    assert standing.unexpected == (act == "edit")
