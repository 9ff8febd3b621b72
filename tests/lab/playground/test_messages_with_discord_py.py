from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.lab.playground.real_client import Bot, discord

GENERAL = defaults.GENERAL_ID


def test_the_bot_logs_in_and_finds_the_default_world(bot: Bot) -> None:
    guild = bot.client.guilds[0]

    assert (guild.id, guild.name, guild.chunked) == (defaults.GUILD_ID, "Playground", True)
    assert [channel.name for channel in guild.text_channels] == ["general", "elsewhere"]
    assert {member.display_name for member in guild.members} == {"You", "Guest", "Remembrancer"}
    assert bot.channel().permissions_for(guild.me).send_messages_in_threads
    assert bot.client.user is not None
    assert bot.client.user.id == defaults.BOT_ID
    assert bot.client.application_id == defaults.APPLICATION_ID


def test_a_message_reaches_the_bot_and_its_reply_comes_back(playground: PlaygroundServer, bot: Bot) -> None:
    async def answer(message: discord.Message) -> None:
        await message.reply(f"{message.author.display_name} said {message.content}", mention_author=False)

    bot.client.answer = answer
    sent = playground.say(GENERAL, "hello")
    reply = playground.wait_for_reply(GENERAL, after=sent)

    assert reply["content"] == "You said hello"
    assert reply["message_reference"]["message_id"] == str(sent)
    assert reply["mentions"] == []
    request = playground.requests("POST", "/messages")[-1]
    assert request.payload["allowed_mentions"]["replied_user"] is False


def test_a_repeated_nonce_gives_the_earlier_message(playground: PlaygroundServer, bot: Bot) -> None:
    first = bot.call(bot.channel().send("once", nonce="n1"))
    again = bot.call(bot.channel().send("once", nonce="n1"))
    other = bot.call(bot.channel().send("twice", nonce="n2"))

    assert first.id == again.id != other.id
    assert [m["content"] for m in playground.messages(GENERAL)] == ["once", "twice"]


def test_edits_and_deletes_travel_both_ways(playground: PlaygroundServer, bot: Bot) -> None:
    sent = playground.say(GENERAL, "helo")
    playground.edit(GENERAL, sent, "hello")
    bot.client.wait_until(lambda: bool(bot.client.raw_edits))
    playground.delete(GENERAL, sent)
    bot.client.wait_until(lambda: bool(bot.client.raw_deletes))
    mine = bot.call(bot.channel().send("draft"))
    bot.call(mine.edit(content="final"))
    seen = playground.messages(GENERAL)[-1]

    assert bot.client.raw_edits[0].message.content == "hello"
    assert bot.client.raw_edits[0].message.edited_at is not None
    assert bot.client.raw_deletes == [sent]
    assert (seen["content"], seen["edited_timestamp"] is not None) == ("final", True)
    bot.call(mine.delete())
    assert playground.messages(GENERAL) == []


def test_editing_somebody_elses_message_is_refused(playground: PlaygroundServer, bot: Bot) -> None:
    sent = playground.say(GENERAL, "mine")
    with pytest.raises(discord.Forbidden) as refused:
        bot.call(bot.channel().get_partial_message(sent).edit(content="yours"))

    assert refused.value.code == 50005


@pytest.mark.parametrize(
    ("content", "status", "code"), [("x" * 2001, 400, 50035), ("", 400, 50006), (" \n ", 400, 50006)]
)
def test_discords_rules_for_text_hold(bot: Bot, content: str, status: int, code: int) -> None:
    with pytest.raises(discord.HTTPException) as refused:
        bot.call(bot.channel().send(content))

    assert (refused.value.status, refused.value.code) == (status, code)
    assert len(bot.call(bot.channel().send("x" * 2000)).content) == 2000


def test_embeds_beyond_their_limits_are_refused(bot: Bot) -> None:
    full = discord.Embed(description="d" * 4096)
    with pytest.raises(discord.HTTPException) as refused:
        bot.call(bot.channel().send(embeds=[full, full]))

    assert refused.value.code == 50035
    assert bot.call(bot.channel().send(embed=full)).embeds[0].description == "d" * 4096


def test_replying_to_nothing_is_an_error_unless_that_is_allowed(bot: Bot) -> None:
    def reference(strict: bool) -> discord.MessageReference:
        return discord.MessageReference(message_id=1, channel_id=GENERAL, fail_if_not_exists=strict)

    with pytest.raises(discord.HTTPException) as refused:
        bot.call(bot.channel().send("?", reference=reference(True)))
    sent = bot.call(bot.channel().send("!", reference=reference(False)))

    assert refused.value.code == 50035
    assert sent.reference is None


def test_unknown_channels_and_messages_have_their_codes(bot: Bot) -> None:
    with pytest.raises(discord.NotFound) as no_channel:
        bot.call(bot.client.fetch_channel(1))
    with pytest.raises(discord.NotFound) as no_message:
        bot.call(bot.channel().fetch_message(1))

    assert (no_channel.value.code, no_message.value.code) == (10003, 10008)


def test_history_pages_in_both_directions(playground: PlaygroundServer, bot: Bot) -> None:
    ids = [playground.say(GENERAL, f"m{n}") for n in range(130)]

    async def texts(**how: object) -> list[str]:
        return [m.content async for m in bot.channel().history(**how)]  # type: ignore[arg-type]

    after = bot.call(texts(after=discord.Object(ids[9]), limit=None))
    newest = bot.call(texts(limit=3))
    around = bot.call(texts(around=discord.Object(ids[50]), limit=3))

    assert after == [f"m{n}" for n in range(10, 130)]
    assert newest == ["m129", "m128", "m127"]
    assert sorted(around) == ["m49", "m50", "m51"]


def test_files_travel_both_ways(playground: PlaygroundServer, bot: Bot) -> None:
    message = playground.say(GENERAL, "look", attachments=[("notes.txt", b"\x00\xffbytes")])
    bot.client.wait_until(lambda: bool(bot.client.messages))
    attachment = bot.client.messages[0].attachments[0]
    name = "répönse [1].md"
    sent = bot.call(bot.channel().send(file=discord.File(fp=_stream(b"# answer"), filename=name, description="alt")))

    assert bot.client.messages[0].id == message
    assert (attachment.filename, attachment.size, bot.call(attachment.read())) == ("notes.txt", 7, b"\x00\xffbytes")
    assert sent.content == ""
    assert sent.attachments[0].description == "alt"
    assert bot.call(sent.attachments[0].read()) == b"# answer"


def test_a_file_above_ten_mebibytes_is_refused(bot: Bot) -> None:
    too_much = b"x" * (10 * 1024 * 1024 + 1)
    with pytest.raises(discord.HTTPException) as refused:
        bot.call(bot.channel().send(file=discord.File(fp=_stream(too_much), filename="big.bin")))

    assert (refused.value.status, refused.value.code) == (413, 40005)


def test_typing_shows_until_the_bot_posts(playground: PlaygroundServer, bot: Bot) -> None:
    bot.call(_type_once(bot.channel()))
    playground.wait_for_typing(GENERAL)
    before = playground.is_bot_typing(GENERAL)
    bot.call(bot.channel().send("done"))

    assert (before, playground.is_bot_typing(GENERAL)) == (True, False)


def test_a_typing_user_and_a_reaction_reach_the_bot(playground: PlaygroundServer, bot: Bot) -> None:
    sent = bot.call(bot.channel().send("vote"))
    playground.type_in(GENERAL)
    playground.react(GENERAL, sent.id, "👍")
    bot.client.wait_until(lambda: "typing" in bot.client.seen and bool(bot.client.reactions))
    bot.call(sent.add_reaction("⏳"))
    fresh = bot.call(bot.channel().fetch_message(sent.id))

    assert bot.client.reactions[0] == "👍"
    assert {(str(r.emoji), r.me) for r in fresh.reactions} == {("👍", False), ("⏳", True)}
    bot.call(sent.remove_reaction("⏳", bot.channel().guild.me))
    assert [r["emoji"]["name"] for r in playground.messages(GENERAL)[-1]["reactions"]] == ["👍"]


def test_pins_are_kept(playground: PlaygroundServer, bot: Bot) -> None:
    sent = bot.call(bot.channel().send("keep"))
    bot.call(sent.pin())

    async def pins() -> list[int]:
        return [message.id async for message in bot.channel().pins()]

    assert bot.call(pins()) == [sent.id]
    bot.call(sent.unpin())
    assert bot.call(pins()) == []


def test_mentions_are_those_that_were_allowed(playground: PlaygroundServer, bot: Bot) -> None:
    text = f"<@{defaults.YOU_ID}> and @everyone"
    silent = bot.call(bot.channel().send(text, allowed_mentions=discord.AllowedMentions.none()))
    loud = bot.call(bot.channel().send(text, allowed_mentions=discord.AllowedMentions(users=True, everyone=False)))

    assert (silent.mentions, silent.mention_everyone) == ([], False)
    assert ([user.id for user in loud.mentions], loud.mention_everyone) == ([defaults.YOU_ID], False)


def test_a_direct_message_comes_without_a_guild(playground: PlaygroundServer, bot: Bot) -> None:
    channel = playground.open_dm()
    sent = playground.say(channel, "psst")
    bot.client.wait_until(lambda: bool(bot.client.messages))
    message = bot.client.messages[0]
    bot.call(message.channel.send("yes?"))

    assert (message.guild, message.content) == (None, "psst")
    assert isinstance(message.channel, discord.DMChannel)
    assert playground.wait_for_reply(channel, after=sent)["content"] == "yes?"


def test_without_the_content_intent_only_mentions_and_direct_messages_can_be_read(
    playground: PlaygroundServer, start_bot: Callable[..., Bot]
) -> None:
    intents = discord.Intents.all()
    intents.message_content = False
    client = start_bot(intents=intents).client
    playground.say(GENERAL, "secret")
    playground.say(GENERAL, f"<@{defaults.BOT_ID}> hello")
    playground.say(playground.open_dm(), "private")
    client.wait_until(lambda: len(client.messages) == 3)

    assert [m.content for m in client.messages] == ["", f"<@{defaults.BOT_ID}> hello", "private"]


def _stream(data: bytes) -> io.BytesIO:
    return io.BytesIO(data)


async def _type_once(channel: discord.TextChannel) -> None:
    await channel.typing()
