"""The whole agent on simcord's Discord: what people do there, and what Discord refuses there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord import ChannelHandle, GuildHandle, InteractionResult, MemberActor
from simcord.backend.models.message import MessageSticker, Poll, PollAnswer

from actors.bootstrap import Agent
from actors.part import DiscordConnection
from actors.parts import LAYERS
from actors.settings.load import load
from domain.text.running_text import is_running
from tests.e2e.foreign_discord import TOKEN, ForeignDiscord
from tests.patience import PATIENCE_S, eventually

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Place:
    """A guild with a channel, a person and the agent."""

    world: ForeignDiscord
    guild: GuildHandle
    channel: ChannelHandle
    alice: MemberActor

    def texts(self, channel: ChannelHandle | None = None) -> list[str]:
        """Texts of the bot in a channel, oldest first, without those that still grow."""
        backend = self.world.env.backend

        def look() -> list[str]:
            messages = backend.messages.get((channel or self.channel).id, {}).values()
            return [each.content for each in messages if each.author_id == backend.bot_user.id]

        return [text for text in self.world.do(look) if not is_running(text)]

    def hears(self, text: str, channel: ChannelHandle | None = None) -> None:
        """Return once the bot has said `text`."""
        eventually(lambda: any(text in each for each in self.texts(channel)))

    def say(self, text: str, channel: ChannelHandle | None = None, **more: Any) -> discord.Message:
        """Have the person say something."""
        return self.world.wait(self.alice.send(channel or self.channel, text, **more))

    def post(self, **parts: Any) -> None:
        """Post parts of a message in the name of the person."""
        create = self.world.env.backend.create_message
        self.world.do(lambda: create(self.channel.id, self.alice.id, **parts))

    def thread(self, name: str) -> ChannelHandle:
        """A thread that the person opens."""
        backend = self.world.env.backend

        def make() -> ChannelHandle:
            made = backend.create_thread(self.channel.id, name, self.alice.id)
            return ChannelHandle(self.world.env, self.guild, made)

        return self.world.do(make)


@contextmanager
def agent_at(place: Place, folder: Path, **given: object) -> Iterator[None]:
    """The agent, online."""
    tables = {layer.name: layer.table for layer in LAYERS}
    settings = load(environ={}, folder=folder, overrides={"data_root": str(folder / "data"), **given}, tables=tables)
    connection = DiscordConnection(
        token=TOKEN,
        api_base=place.world.api_base,
        gateway_url=place.world.gateway_url,
        channels=(str(place.channel.id),),
        allowed_users=frozenset({"*"}),
        allowed_roles=frozenset(),
        guilds_settle_s=0.2,
    )
    online = threading.Event()
    agent = Agent(settings, {}, connection, lambda _name: online.set(), LAYERS)
    agent.start()
    try:
        assert online.wait(PATIENCE_S), agent.reason
        yield
    finally:
        agent.stop()


@pytest.fixture
def place() -> Iterator[Place]:
    with ForeignDiscord() as world:

        def make() -> Place:
            guild = world.env.create_guild()
            channel = guild.create_text_channel("general")
            return Place(world, guild, channel, guild.add_member(world.env.create_user("alice")))

        yield world.do(make)
        assert not world.unknown


def test_people_are_answered_in_channels_threads_and_direct_messages(place: Place, tmp_path: Path) -> None:
    with agent_at(place, tmp_path, **{"discord.dms": True, "discord.answer": "mentions"}):
        bot = place.world.env.backend.bot_user.id
        place.say("run: echo not for you")
        place.say(f"run: echo mentioned # <@{bot}>")
        place.hears("\nmentioned")
        thread = place.thread("owls")
        place.say(f"run: echo in the thread # <@{bot}>", thread)
        place.hears("\nin the thread", thread)
        place.world.wait(place.alice.send_dm("run: echo in private"))
        place.hears("\nin private", place.world.do(lambda: place.alice.user.dm_channel))

    assert not any("not for you" in text for text in place.texts())


def test_commands_buttons_and_files_work(place: Place, tmp_path: Path) -> None:
    with agent_at(place, tmp_path):
        asked: InteractionResult = place.world.wait(place.alice.slash(place.channel, "help"))
        eventually(lambda: place.world.do(lambda: asked.response is not None and "/status" in asked.response.content))
        assert place.world.do(lambda: asked.ephemeral)
        place.say("", attachments=[("data.csv", b"3\n1\n")])
        place.hears("With it came data.csv")
        place.say("run: sleep 60")

        def running() -> discord.Message | None:
            return next((message for message in place.channel.history() if message.components), None)

        shown = eventually(lambda: place.world.do(running))
        assert shown is not None
        place.world.wait(place.alice.click(shown, label="Stop"))
        eventually(lambda: not place.world.do(running))
        place.say("run: echo after that")
        place.hears("\nafter that")


def test_what_is_edited_or_deleted_while_it_waits_is_taken_as_it_is_then(place: Place, tmp_path: Path) -> None:
    with agent_at(place, tmp_path):
        place.say("run: sleep 3; echo first")
        changed, gone = place.say("run: echo old words"), place.say("run: echo taken back")
        place.world.wait(place.alice.edit(changed, "run: echo new words"))
        place.world.wait(place.alice.delete(gone))
        place.say("run: echo last")
        place.hears("\nlast")

    assert not any("old words" in text or "taken back" in text for text in place.texts())
    assert any("\nnew words" in text for text in place.texts())


def test_a_thread_that_is_locked_gets_its_answer_when_it_is_open_again(place: Place, tmp_path: Path) -> None:
    backend = place.world.env.backend

    def lock(channel: ChannelHandle, locked: bool) -> None:
        backend.edit_channel(channel.id, {}, thread_metadata={"locked": locked, "archived": locked})

    with agent_at(place, tmp_path):
        thread = place.thread("owls")
        place.say("run: sleep 1; echo late", thread)
        place.world.do(lambda: lock(thread, True))
        place.say("run: echo meanwhile")
        place.hears("\nmeanwhile")
        place.world.do(lambda: lock(thread, False))
        place.hears("\nlate", thread)


def test_refusals_and_limits_pass(place: Place, tmp_path: Path) -> None:
    env = place.world.env
    messages = "/channels/*/messages"
    with agent_at(place, tmp_path):
        place.world.do(lambda: env.inject_error("POST", messages, status=429, message="slow", times=2))
        place.say("run: echo slowly")
        place.hears("\nslowly")
        place.world.do(lambda: env.inject_error("POST", messages, status=503, times=2))
        place.say("run: echo through an outage")
        place.hears("\nthrough an outage")
        place.world.do(
            lambda: env.inject_error("POST", messages, status=403, code=50013, message="Missing Permissions")
        )
        place.say("run: echo without the right")
        place.say("run: echo later")
        place.hears("\nlater")


def test_forwards_polls_and_stickers_are_answered_by_their_words(place: Place, tmp_path: Path) -> None:
    """openclaw/openclaw#5535, discord/discord-api-docs#6746, NousResearch/hermes-agent#25462."""
    elsewhere = place.world.do(lambda: place.guild.create_text_channel("elsewhere"))
    sticker = MessageSticker(id=3, name="wave_hello", format_type=1, guild_id=place.guild.id)
    poll = Poll("Where do we eat?", [PollAnswer(1, "Soup"), PollAnswer(2, "Pizza")], "2027-01-01T00:00:00+00:00")
    with agent_at(place, tmp_path):
        news = place.say("The launch is at nine.", elsewhere)
        place.world.wait(place.alice.forward(news, place.channel))
        place.hears("> The launch is at nine.")
        place.post(poll=poll)
        place.hears("[poll: Where do we eat?]")
        place.post(stickers=[sticker])
        place.hears("[sticker: wave_hello]")
