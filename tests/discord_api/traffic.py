"""Runs that use every endpoint and event of the playground, recorded and checked on the way."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUILD_ID, YOU_ID
from lab.playground.world.records import ChannelKind
from lab.playground.world.traffic import Exchange, Frame
from tests.discord_api.description import Description
from tests.e2e.stage import Stage
from tests.lab.playground.real_client import Bot, Client, app_commands, discord
from tests.patience import PATIENCE_S, eventually

_OF_NO_GUILD = {ChannelKind.DM, ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD}
"""Kinds that no channel list of a guild has."""
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)


class Recorder:
    """Keeps the traffic of a playground; its checks, which are slow, come after the run."""

    def __init__(self, description: Description) -> None:
        """Nothing is recorded.

        Args:
            description: The contract.
        """
        self.description = description
        self._traffic: list[Exchange | Frame] = []

    def take(self, traffic: Exchange | Frame) -> None:
        """Keep one exchange or frame."""
        self._traffic.append(traffic)

    def differences(self, *, of_playground: bool = False) -> dict[str, int]:
        """The differences of all traffic from the contract, or those of one side, each with its number."""
        check = self.description.playground_faults if of_playground else self.description.faults
        return dict(Counter(fault for each in self._traffic for fault in check(each)))


@contextmanager
def record(description: Description) -> Iterator[tuple[PlaygroundServer, Recorder]]:
    """A playground whose traffic is checked."""
    server, recorder = PlaygroundServer(), Recorder(description)
    server.listen(recorder.take)
    with server:
        yield server, recorder


# the agent


def drive_agent(server: PlaygroundServer, folder: Path) -> None:
    """Two lives of the agent: messages, threads, direct messages, commands, buttons, files, and what it missed."""
    dms: dict[str, Any] = {"discord.dms": True}
    stage = Stage(server, folder / "data", **dms)
    try:
        _talk(stage)
        _use_threads(stage)
        _use_commands(stage)
        _change_the_server(server)
        _lose_the_connection(server)
    finally:
        stage.stop()
    missed = server.say(GENERAL_ID, "run: echo missed")
    stage = Stage(server, folder / "data", **dms)
    try:
        server.wait_for_reply(GENERAL_ID, after=missed, timeout_s=PATIENCE_S)
        assert "said again" in stage.ask("run: echo said again")
    finally:
        stage.stop()


def _talk(stage: Stage) -> None:
    server = stage.server
    answer = server.wait_for_reply(GENERAL_ID, after=server.say(GENERAL_ID, "hello"), timeout_s=PATIENCE_S)
    server.say(GENERAL_ID, "and this?", reply_to=int(answer["id"]))
    stage.ask("run: seq 1 2000")  # in several messages
    stage.ask("run: echo kept > kept.txt")
    stage.ask("please keep this", GENERAL_ID)
    server.say(GENERAL_ID, "", attachments=[("data.csv", b"1,2\n"), ("picture.png", PICTURE)])
    sent = server.say(GENERAL_ID, "send me kept.txt")
    server.wait_for_reply(GENERAL_ID, after=sent, until=lambda said: bool(said["attachments"]), timeout_s=PATIENCE_S)
    question = server.say(GENERAL_ID, "hello agian")
    server.edit(GENERAL_ID, question, "hello again")
    server.react(GENERAL_ID, question, "👍")
    server.react(GENERAL_ID, question, "👍", remove=True)
    server.type_in(GENERAL_ID)
    dm = server.open_dm()
    stage.ask("hello in private", dm)
    _stop_a_command(server)
    gone = [server.say(GENERAL_ID, f"never mind {number}") for number in range(3)]
    server.delete(GENERAL_ID, gone[0])
    server.delete_many(GENERAL_ID, gone[1:])


def _stop_a_command(server: PlaygroundServer) -> None:
    """Press Stop below a running answer; a question waits behind it meanwhile."""
    said = server.say(GENERAL_ID, "run: sleep 60")
    running = server.wait_for_reply(
        GENERAL_ID, after=said, until=lambda message: bool(_buttons(message)), timeout_s=PATIENCE_S
    )
    server.say(GENERAL_ID, "run: echo after that")
    eventually(lambda: server.requests("PUT", "/reactions/"))
    outcome = server.click(GENERAL_ID, int(running["id"]), _buttons(running)[0], timeout_s=PATIENCE_S)
    assert outcome.callback
    server.wait_for_answer(outcome.id, timeout_s=PATIENCE_S)


def _buttons(message: dict[str, Any]) -> list[str]:
    return [each["custom_id"] for row in message["components"] for each in row["components"] if "custom_id" in each]


def _use_threads(stage: Stage) -> None:
    server = stage.server
    starter = server.say(GENERAL_ID, "let us talk about owls")
    from_message = server.create_thread(GENERAL_ID, "owls", message_id=starter)
    stage.ask("run: echo owls", from_message)
    plain, private = (
        server.create_thread(GENERAL_ID, name, private=name == "private") for name in ("plain", "private")
    )
    stage.ask("run: echo private", private)
    server.change_thread(plain, archived=True)
    server.change_thread(private, archived=True)
    stage.ask("run: echo opened again", plain)
    server.change_thread(plain, archived=True, locked=True)
    server.delete_channel(from_message)


def _use_commands(stage: Stage) -> None:
    server = stage.server
    eventually(lambda: bool(server.run(server.hub.commands.visible)))
    for command in server.run(server.hub.commands.visible):
        for line, options in _calls(command):
            outcome = server.slash(GENERAL_ID, line, options, timeout_s=PATIENCE_S)
            if outcome.callback == 5:
                server.wait_for_answer(outcome.id, timeout_s=PATIENCE_S)
            for answer in server.answers(outcome.id):
                for custom_id in _buttons(answer)[:1]:
                    server.click(GENERAL_ID, int(answer["id"]), custom_id, timeout_s=PATIENCE_S)
        if command["type"] == 3:
            said = server.say(GENERAL_ID, "run: echo about this")
            server.call_on_message(GENERAL_ID, command["name"], said, timeout_s=PATIENCE_S)


def _calls(command: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every call of a slash command and of its subcommands, with its required options only."""
    if command["type"] != 1:
        return
    inner = [option for option in command.get("options", ()) if option["type"] in (1, 2)]
    for option in inner:
        for line, values in _calls({**option, "type": 1}):
            yield f"{command['name']} {line}", values
    if not inner:
        needed = [option for option in command.get("options", ()) if option.get("required")]
        yield command["name"], {option["name"]: _value(option) for option in needed}


def _value(option: dict[str, Any]) -> Any:
    if option.get("choices"):
        return option["choices"][0]["value"]
    return {4: 1, 5: True, 6: str(YOU_ID), 7: str(GENERAL_ID), 10: 1.0}.get(option["type"], "owl")


def _change_the_server(server: PlaygroundServer) -> None:
    """Acts of people that the agent only hears of."""
    role = server.add_role("keepers", YOU_ID, permissions=1 << 10)
    server.change_role(role, 1 << 11)
    channel = server.create_channel("aviary")
    category = server.create_channel("birds", kind=ChannelKind.CATEGORY)
    for kind in set(ChannelKind) - _OF_NO_GUILD - {ChannelKind.CATEGORY}:
        server.create_channel(kind.name.lower(), kind=kind, parent_id=category)
    server.move_channel(channel, category)
    server.overwrite(channel, role, deny=1 << 10)
    server.delete_channel(channel)
    server.remove_role(role)
    server.add_user("Bob")


def _lose_the_connection(server: PlaygroundServer) -> None:
    resumes = server.counters().get("resumes", 0)
    server.drop(4000)
    eventually(lambda: server.counters().get("resumes", 0) > resumes)
    server.op7()
    eventually(lambda: server.counters().get("resumes", 0) > resumes + 1)


# every endpoint


def drive_endpoints(server: PlaygroundServer) -> None:
    """All that discord.py can ask of the playground, by a client of its own."""
    bot = Bot(server, Client)
    try:
        bot.start()
        bot.call(_ask_about_places(bot))
        bot.call(_write(bot))
        bot.call(_thread(bot))
        bot.call(_register(bot))
        _lose_the_connection(server)
        _interact(server, bot)
        _change_the_server(server)
        bot.call(_ask_about_places(bot))
    finally:
        bot.stop()


async def _ask_about_places(bot: Bot) -> None:
    client, http = bot.client, bot.client.http
    await client.application_info()
    await http.application_info()
    await http.request(discord.http.Route("GET", "/applications/@me"))
    await http.request(discord.http.Route("GET", "/gateway"))
    await http.get_bot_gateway()
    await http.get_channel(GENERAL_ID)
    guild = await client.fetch_guild(GUILD_ID)
    await guild.fetch_channels()
    await guild.fetch_member(YOU_ID)
    await http.request(
        discord.http.Route("GET", f"/guilds/{GUILD_ID}/members/search"), params={"query": "y", "limit": 5}
    )
    await client.fetch_user(YOU_ID)
    assert [each async for each in client.fetch_guilds()]
    await http.get_active_threads(GUILD_ID)
    known = client.get_guild(GUILD_ID)
    assert known is not None
    await known.query_members("y")


async def _write(bot: Bot) -> None:
    channel = bot.channel()
    user = await bot.client.fetch_user(YOU_ID)
    await (await user.create_dm()).send("hello")
    row = discord.ui.View(timeout=None).add_item(discord.ui.Button(label="Press", custom_id="press"))
    said = await channel.send(f"hello <@{YOU_ID}>", view=row, embed=discord.Embed(title="An owl", description="grey"))
    await said.reply("an answer", file=discord.File(_bytes(), "owl.png", description="an owl"))
    await said.edit(content="hello you")
    await said.add_reaction("🦉")
    await said.remove_reaction("🦉", discord.Object(bot.client.user.id if bot.client.user else 0))
    await said.pin()
    assert [each async for each in channel.pins()]
    await said.unpin()
    await channel.fetch_message(said.id)
    assert [each async for each in channel.history(limit=5)]
    assert [each async for each in channel.history(limit=5, after=discord.Object(said.id - 1))]
    assert [each async for each in channel.history(limit=5, around=said)]
    await channel.typing()
    await channel.edit(topic="owls")
    gone = [await channel.send(f"gone {number}") for number in range(3)]
    await channel.delete_messages(gone[1:])
    await gone[0].delete()
    await _be_refused(channel.fetch_message(gone[0].id))
    await _be_refused(channel.send("x" * 2001))
    await _be_refused(channel.send(""))
    await _be_refused(bot.client.fetch_channel(1))


async def _be_refused(call: Any) -> None:
    try:
        await call
    except discord.HTTPException:
        return
    raise AssertionError("the playground did not refuse this")


async def _thread(bot: Bot) -> None:
    channel, http = bot.channel(), bot.client.http
    thread = await (await channel.send("a start")).create_thread(name="from a message")
    other = await channel.create_thread(name="private", type=discord.ChannelType.private_thread)
    await thread.send("hello")
    await thread.leave()
    await thread.join()
    await other.add_user(discord.Object(YOU_ID))
    await thread.fetch_members()
    await other.remove_user(discord.Object(YOU_ID))
    for each in (thread, other):
        await each.edit(archived=True)
    await http.get_public_archived_threads(channel.id, limit=10)
    await http.get_private_archived_threads(channel.id, limit=10)
    await http.get_joined_private_archived_threads(channel.id, limit=10)
    await thread.edit(archived=False, locked=True)
    await thread.delete()


async def _register(bot: Bot) -> None:
    http, application = bot.client.http, bot.client.application_id
    assert application is not None
    command: Any = {"name": "owl", "type": 1, "description": "Show an owl"}
    made = await http.upsert_global_command(application, command)
    command["description"] = "Show two"
    await http.upsert_global_command(application, command)
    await http.get_global_commands(application)
    await http.get_global_command(application, made["id"])
    await http.edit_global_command(application, made["id"], {"description": "Show three"})
    await http.delete_global_command(application, made["id"])
    await http.bulk_upsert_global_commands(application, [command])
    of_guild = await http.upsert_guild_command(application, GUILD_ID, command)
    await http.get_guild_commands(application, GUILD_ID)
    await http.get_guild_command(application, GUILD_ID, of_guild["id"])
    await http.edit_guild_command(application, GUILD_ID, of_guild["id"], {"description": "Show four"})
    await http.delete_guild_command(application, GUILD_ID, of_guild["id"])
    await _be_refused(http.get_guild_command(application, GUILD_ID, 1))
    await http.bulk_upsert_guild_commands(application, GUILD_ID, [])


def _interact(server: PlaygroundServer, bot: Bot) -> None:
    """Every kind of interaction with every kind of answer."""
    tree = bot.client.tree
    for make in (_answering, _deferring, _asking, _on_message):
        make(tree)
    bot.call(tree.sync())
    for name, values in (("answer", {"user": str(YOU_ID), "place": str(GENERAL_ID)}), ("defer", {})):
        outcome = server.slash(GENERAL_ID, name, values)
        if name == "answer":  # the other is deleted in the end
            server.wait_for_answer(outcome.id, timeout_s=PATIENCE_S)
        eventually(lambda: "done" in bot.client.seen)
        bot.client.seen.remove("done")
    assert server.complete(GENERAL_ID, "ask", "word", {"word": "o"})
    modal = server.slash(GENERAL_ID, "ask", {"word": "owl"})
    server.submit_modal(modal.id, {"name": "Bob"}, timeout_s=PATIENCE_S)
    said = server.say(GENERAL_ID, "about this")
    server.call_on_message(GENERAL_ID, "Look", said)
    (pressed,) = (each for each in server.messages(GENERAL_ID) if _buttons(each) == ["choose", "pick"])
    server.click(GENERAL_ID, int(pressed["id"]), "choose")
    server.click(GENERAL_ID, int(pressed["id"]), "pick", values=["owl"])
    eventually(lambda: "picked" in bot.client.seen)


class _Choices(discord.ui.View):
    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Choose", custom_id="choose")
    async def choose(self, pressed: discord.Interaction, _: discord.ui.Button[Any]) -> None:
        await pressed.response.edit_message(content="chosen", view=self)

    @discord.ui.select(custom_id="pick", options=[discord.SelectOption(label="owl")])
    async def pick(self, pressed: discord.Interaction, _: discord.ui.Select[Any]) -> None:
        await pressed.response.defer()
        await pressed.followup.send("picked", ephemeral=True)
        _note(pressed, "picked")


def _note(interaction: discord.Interaction, what: str) -> None:
    assert isinstance(interaction.client, Client)
    interaction.client.note(what)


def _answering(tree: app_commands.CommandTree[Any]) -> None:
    @tree.command(name="answer", description="Answer with buttons")
    async def answer(interaction: discord.Interaction, user: discord.User, place: discord.TextChannel) -> None:
        await interaction.response.send_message(f"{user.name} {place.name}", view=_Choices())
        _note(interaction, "done")


def _deferring(tree: app_commands.CommandTree[Any]) -> None:
    @tree.command(name="defer", description="Answer later")
    async def defer(interaction: discord.Interaction) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.edit_original_response(content="later", attachments=[discord.File(_bytes(), "owl.png")])
        await interaction.original_response()
        more = await interaction.followup.send("more", wait=True)
        await interaction.followup.fetch_message(more.id)
        await more.edit(content="more of it")
        await more.delete()
        await interaction.delete_original_response()
        _note(interaction, "done")


class _Form(discord.ui.Modal, title="A form"):
    name: discord.ui.TextInput[Any] = discord.ui.TextInput(label="Name", custom_id="name")

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"thanks, {self.name.value}", ephemeral=True)


def _asking(tree: app_commands.CommandTree[Any]) -> None:
    async def offer(_: discord.Interaction, _text: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name="owl", value="owl")]

    @tree.command(name="ask", description="Ask with a form")
    @app_commands.autocomplete(word=offer)
    async def ask(interaction: discord.Interaction, word: str) -> None:
        assert word
        await interaction.response.send_modal(_Form())


def _on_message(tree: app_commands.CommandTree[Any]) -> None:
    @tree.context_menu(name="Look")
    async def look(interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.send_message(message.content[:10], ephemeral=True)


def _bytes() -> io.BytesIO:
    return io.BytesIO(PICTURE)
