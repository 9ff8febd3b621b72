from __future__ import annotations

from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.lab.playground.real_client import GUILD, Bot, Client, app_commands, discord

GENERAL = defaults.GENERAL_ID


class Caller(Client):
    """Has one command for every way to answer."""

    async def setup_hook(self) -> None:
        self.add_commands()
        self.tree.copy_global_to(guild=GUILD)
        await self.tree.sync(guild=GUILD)

    def add_commands(self) -> None:
        group = app_commands.Group(name="remind", description="Reminders")

        @group.command(name="at", description="Set one")
        async def at(interaction: discord.Interaction[Any], minutes: int, quiet: bool = False) -> None:
            await interaction.response.send_message(f"in {minutes * 2} half minutes, quiet={quiet}")

        @self.tree.command(description="Answers later")
        async def later(interaction: discord.Interaction[Any], hidden: bool) -> None:
            await interaction.response.defer(ephemeral=hidden, thinking=True)
            await interaction.followup.send("first", embed=discord.Embed(title="card"))
            await interaction.followup.send("second", ephemeral=hidden)
            await interaction.edit_original_response(content="first, edited")

        @self.tree.command(description="Never answers")
        async def never(_: discord.Interaction[Any]) -> None:
            return

        @self.tree.command(description="Answers twice")
        async def twice(interaction: discord.Interaction[Any]) -> None:
            await interaction.response.send_message("one")
            interaction.response._response_type = None  # discord.py would not try again by itself
            try:
                await interaction.response.send_message("two")
            except discord.HTTPException as error:
                await interaction.followup.send(str(error.code))

        @self.tree.command(description="Who is that")
        async def who(interaction: discord.Interaction[Any], user: discord.Member) -> None:
            await interaction.response.send_message(user.display_name, ephemeral=True)

        @self.tree.command(description="Offers choices")
        async def choose(interaction: discord.Interaction[Any], fruit: str) -> None:
            await interaction.response.send_message(fruit)

        @choose.autocomplete("fruit")
        async def fruits(_: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
            known = ("apple", "apricot", "banana")
            return [app_commands.Choice(name=f, value=f) for f in known if f.startswith(typed)]

        @self.tree.context_menu(name="Remember this")
        async def remember(interaction: discord.Interaction[Any], message: discord.Message) -> None:
            await interaction.response.send_message(f"kept: {message.content}", ephemeral=True)

        @self.tree.command(description="Shows a button")
        async def button(interaction: discord.Interaction[Any]) -> None:
            await interaction.response.send_message("press", view=Buttons())

        @self.tree.command(description="Shows a button to one person")
        async def secret(interaction: discord.Interaction[Any]) -> None:
            await interaction.response.send_message("press", view=Buttons(), ephemeral=True)

        self.tree.add_command(group)


class Buttons(discord.ui.View):
    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Change", custom_id="change")
    async def change(self, interaction: discord.Interaction[Any], _: Any) -> None:
        await interaction.response.edit_message(content="changed")

    @discord.ui.button(label="Ask", custom_id="ask")
    async def ask(self, interaction: discord.Interaction[Any], _: Any) -> None:
        await interaction.response.send_modal(Question())

    @discord.ui.select(custom_id="pick", options=[discord.SelectOption(label="a"), discord.SelectOption(label="b")])
    async def pick(self, interaction: discord.Interaction[Any], select: discord.ui.Select[Any]) -> None:
        await interaction.response.defer()
        await interaction.followup.send(f"picked {select.values[0]}")


class Question(discord.ui.Modal, title="Question"):
    name: discord.ui.TextInput[Any] = discord.ui.TextInput(label="Name", custom_id="name")

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(f"hello {self.name.value}")


@pytest.fixture
def caller(start_bot: Any) -> Bot:
    bot = start_bot(Caller)
    assert isinstance(bot, Bot)
    return bot


def test_a_subcommand_gets_typed_options_and_its_answer_is_a_message(playground: PlaygroundServer, caller: Bot) -> None:
    outcome = playground.slash(GENERAL, "remind at", {"minutes": "21", "quiet": "true"})

    assert outcome.callback == 4
    assert outcome.message is not None
    assert outcome.message["content"] == "in 42 half minutes, quiet=True"
    assert playground.messages(GENERAL)[-1]["interaction_metadata"]["user"]["id"] == str(defaults.YOU_ID)


def test_a_deferred_answer_is_filled_by_the_first_follow_up(playground: PlaygroundServer, caller: Bot) -> None:
    outcome = playground.slash(GENERAL, "later", {"hidden": False})
    assert outcome.message is not None
    answer = playground.wait_for_answer(outcome.id)
    assert answer is not None
    final = playground.wait_for_reply(
        GENERAL, after=outcome.id, until=lambda message: message["content"] == "first, edited"
    )

    assert outcome.callback == 5
    assert answer["id"] == final["id"] == outcome.message["id"]
    assert [m["content"] for m in playground.messages(GENERAL)] == ["first, edited", "second"]
    assert final["embeds"][0]["title"] == "card"


def test_an_ephemeral_answer_is_in_no_channel(playground: PlaygroundServer, caller: Bot) -> None:
    outcome = playground.slash(GENERAL, "later", {"hidden": True})
    playground.wait_for_answer(outcome.id)
    playground.wait_for(
        lambda event: event.name == "PLAYGROUND_EPHEMERAL_UPDATE" and event.payload["content"] != "first", after=0
    )

    assert outcome.ephemeral
    assert [m["content"] for m in playground.answers(outcome.id)] == ["first, edited", "second"]
    assert playground.messages(GENERAL) == []


def test_a_command_that_never_answers_is_a_timeout(playground: PlaygroundServer, caller: Bot) -> None:
    with pytest.raises(TimeoutError):
        playground.slash(GENERAL, "never", timeout_s=0.2)


def test_an_interaction_is_acknowledged_once(playground: PlaygroundServer, caller: Bot) -> None:
    outcome = playground.slash(GENERAL, "twice")
    refused = playground.wait_for_reply(GENERAL, after=outcome.id, until=lambda message: message["content"] == "40060")

    assert refused["type"] == discord.MessageType.chat_input_command.value


def test_a_member_option_is_resolved(playground: PlaygroundServer, caller: Bot) -> None:
    outcome = playground.slash(GENERAL, "who", {"user": str(defaults.GUEST_ID)})

    assert outcome.message is not None
    assert (outcome.message["content"], outcome.ephemeral) == ("Guest", True)


def test_autocomplete_gives_choices(playground: PlaygroundServer, caller: Bot) -> None:
    choices = playground.complete(GENERAL, "choose", "fruit", {"fruit": "ap"})

    assert [choice["value"] for choice in choices] == ["apple", "apricot"]


def test_a_context_menu_command_gets_its_message(playground: PlaygroundServer, caller: Bot) -> None:
    message_id = playground.say(GENERAL, "tea is at five")
    outcome = playground.call_on_message(GENERAL, "Remember this", message_id)

    assert outcome.message is not None
    assert outcome.message["content"] == "kept: tea is at five"


def test_buttons_selects_and_modals_answer(playground: PlaygroundServer, caller: Bot) -> None:
    message = playground.slash(GENERAL, "button").message
    assert message is not None
    picked = playground.click(GENERAL, int(message["id"]), "pick", values=["b"])
    text = playground.wait_for_reply(GENERAL, after=picked.id)["content"]
    modal = playground.click(GENERAL, int(message["id"]), "ask")
    answered = playground.submit_modal(modal.id, {"name": "Ann"})
    changed = playground.click(GENERAL, int(message["id"]), "change")

    assert (picked.callback, text) == (6, "picked b")
    assert modal.callback == 9
    assert answered.message is not None
    assert answered.message["content"] == "hello Ann"
    assert (changed.callback, playground.messages(GENERAL)[0]["content"]) == (7, "changed")


def test_a_button_of_an_answer_that_only_one_sees_can_be_pressed(playground: PlaygroundServer, caller: Bot) -> None:
    message = playground.slash(GENERAL, "secret").message
    assert message is not None
    changed = playground.click(GENERAL, int(message["id"]), "change")

    assert changed.callback == 7
    assert playground.messages(GENERAL) == []


def test_unknown_commands_and_missing_options_are_the_callers_mistake(
    playground: PlaygroundServer, caller: Bot
) -> None:
    with pytest.raises(ValueError, match="not registered"):
        playground.slash(GENERAL, "nonsense")
    with pytest.raises(ValueError, match="required option 'minutes'"):
        playground.slash(GENERAL, "remind at")
    with pytest.raises(ValueError, match="no option 'hours'"):
        playground.slash(GENERAL, "remind at", {"hours": 1})


def test_commands_can_be_fetched_and_a_bad_one_is_refused_by_its_index(caller: Bot) -> None:
    commands = caller.call(caller.client.tree.fetch_commands(guild=GUILD))
    bad = {"type": 1, "name": "Not Lower", "description": "x", "options": []}
    good = {"type": 1, "name": "fine", "description": "x", "options": []}
    with pytest.raises(discord.HTTPException) as refused:
        caller.call(caller.client.http.bulk_upsert_global_commands(defaults.APPLICATION_ID, [good, bad]))

    assert "later" in {command.name for command in commands}
    assert refused.value.code == 50035
    assert "In 1.name" in refused.value.text
