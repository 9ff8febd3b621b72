from __future__ import annotations

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.lab.playground.real_client import Bot, Client, discord

GENERAL = defaults.GENERAL_ID


def thread_of(bot: Bot, thread_id: int) -> discord.Thread:
    bot.client.wait_until(lambda: f"thread {thread_id}" in bot.client.seen or f"joined {thread_id}" in bot.client.seen)
    thread = bot.client.get_channel(thread_id)
    assert isinstance(thread, discord.Thread)
    return thread


def test_a_users_thread_reaches_the_bot_and_its_answer_stays_in_it(playground: PlaygroundServer, bot: Bot) -> None:
    thread_id = playground.create_thread(GENERAL, "plans")
    message = playground.say(thread_id, "hi")
    thread = thread_of(bot, thread_id)
    bot.client.wait_until(lambda: any(m.content == "hi" for m in bot.client.messages))
    bot.call(thread.send("hello"))

    assert (thread.name, thread.parent_id, thread.owner_id) == ("plans", GENERAL, defaults.YOU_ID)
    assert playground.wait_for_reply(thread_id, after=message)["content"] == "hello"
    assert [m["type"] for m in playground.messages(GENERAL)] == [discord.MessageType.thread_created.value]


def test_a_thread_from_a_message_has_the_messages_id_and_begins_with_it(playground: PlaygroundServer, bot: Bot) -> None:
    message = playground.say(GENERAL, "topic")
    bot.client.wait_until(lambda: bool(bot.client.messages))
    thread = bot.call(bot.client.messages[0].create_thread(name="about it"))
    with pytest.raises(discord.HTTPException) as refused:
        bot.call(bot.client.messages[0].create_thread(name="again"))

    starter = playground.messages(thread.id)[0]
    assert thread.id == message
    assert (starter["type"], starter["referenced_message"]["content"]) == (21, "topic")
    assert refused.value.code == 160004


def test_a_channels_create_thread_is_private_by_default_and_a_private_thread_needs_an_invitation(
    playground: PlaygroundServer, bot: Bot
) -> None:
    mine = bot.call(bot.channel().create_thread(name="mine"))
    hidden = playground.create_thread(GENERAL, "hidden", private=True, with_bot=False)
    playground.say(hidden, "nobody hears this")
    with pytest.raises(discord.Forbidden):
        bot.call(bot.client.fetch_channel(hidden))
    invited = playground.create_thread(GENERAL, "invited", private=True)
    playground.say(invited, "you hear this")
    bot.client.wait_until(lambda: bool(bot.client.messages))

    assert mine.is_private()
    assert [m.content for m in bot.client.messages] == ["you hear this"]


def test_an_archived_thread_refuses_edits_and_opens_again_by_a_message(playground: PlaygroundServer, bot: Bot) -> None:
    thread_id = playground.create_thread(GENERAL, "old")
    thread = thread_of(bot, thread_id)
    sent = bot.call(thread.send("then"))
    playground.change_thread(thread_id, archived=True)
    with pytest.raises(discord.HTTPException) as refused:
        bot.call(sent.edit(content="now"))
    bot.call(thread.send("later"))
    bot.call(sent.edit(content="now"))

    assert (refused.value.status, refused.value.code) == (400, 50083)
    assert [m["content"] for m in playground.messages(thread_id)] == ["now", "later"]


def test_a_locked_thread_refuses_messages(playground: PlaygroundServer, bot: Bot) -> None:
    thread_id = playground.create_thread(GENERAL, "closed")
    thread = thread_of(bot, thread_id)
    playground.change_thread(thread_id, locked=True, archived=True)
    with pytest.raises(discord.HTTPException) as refused:
        bot.call(thread.send("hello?"))

    assert refused.value.code == 160005


def test_archived_threads_are_listed_and_active_ones_too(playground: PlaygroundServer, bot: Bot) -> None:
    active = playground.create_thread(GENERAL, "active")
    archived = playground.create_thread(GENERAL, "archived")
    playground.change_thread(archived, archived=True)

    without_bot = playground.create_thread(GENERAL, "private", private=True, with_bot=False)
    joined = playground.create_thread(GENERAL, "joined", private=True)
    for thread_id in (without_bot, joined):
        playground.change_thread(thread_id, archived=True)

    async def list_threads(private: bool = False, joined: bool = False) -> list[int]:
        return [thread.id async for thread in bot.channel().archived_threads(private=private, joined=joined)]

    assert bot.call(list_threads()) == [archived]
    assert bot.call(list_threads(private=True)) == bot.call(list_threads(private=True, joined=True)) == [joined]
    assert [thread.id for thread in bot.call(bot.channel().guild.active_threads())] == [active]


def test_a_forum_post_is_a_thread_whose_first_message_has_its_id(playground: PlaygroundServer, bot: Bot) -> None:
    forum_id = playground.create_channel("ideas", forum=True)
    forum = bot.call(bot.client.fetch_channel(forum_id))
    assert isinstance(forum, discord.ForumChannel)
    thread, message = bot.call(forum.create_thread(name="one", content="first"))

    assert thread.id == message.id
    assert playground.messages(thread.id)[0]["content"] == "first"


def test_a_thread_can_be_renamed_left_and_deleted_by_its_id(playground: PlaygroundServer, bot: Bot) -> None:
    thread = thread_of(bot, playground.create_thread(GENERAL, "a"))
    bot.call(thread.join())
    bot.call(thread.edit(name="b", auto_archive_duration=60))
    fetched = bot.call(bot.client.fetch_channel(thread.id))
    assert isinstance(fetched, discord.Thread)
    members = {member.id for member in bot.call(fetched.fetch_members())}
    bot.call(thread.leave())
    bot.call(thread.delete())

    assert (fetched.name, fetched.auto_archive_duration) == ("b", 60)
    assert members == {defaults.YOU_ID, defaults.BOT_ID}
    with pytest.raises(discord.NotFound):
        bot.call(bot.client.fetch_channel(thread.id))


def test_active_threads_are_known_after_login(playground: PlaygroundServer) -> None:
    thread_id = playground.create_thread(GENERAL, "before the bot")
    bot = Bot(playground, Client)
    try:
        bot.start()
        assert bot.client.get_channel(thread_id) is not None
    finally:
        bot.stop()
