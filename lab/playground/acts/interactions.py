"""Interactions of users with the bot: commands, buttons, modals. Each gives the bot's acknowledgement."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from lab.playground.acts.answers import find_answer, original_answer
from lab.playground.acts.interaction_payload import add_resolved, interaction_payload, resolved_users
from lab.playground.acts.observation import WAIT_S
from lab.playground.acts.people import message_in, place_user
from lab.playground.gateway.events import Event
from lab.playground.hub import Hub
from lab.playground.world.commands import command_data
from lab.playground.world.defaults import YOU_ID
from lab.playground.world.interactions import CallbackKind, Interaction, InteractionKind
from lab.playground.world.objects import Json
from lab.playground.world.records import Channel, Message, MessageFlag, User


@dataclass(frozen=True, slots=True)
class InteractionOutcome:
    """Answer of the bot to an interaction.

    Attributes:
        id: The interaction.
        callback: Discord's callback type (4 message, 5 deferred, 6 and 7 component, 8 choices, 9 modal).
        data: The callback's data as sent by the bot.
        message: The original answer as far as known: a deferred answer has no text yet.
        ephemeral: True if only the user sees the answer.
    """

    id: int
    callback: int
    data: Json = field(default_factory=dict)
    message: Json | None = None
    ephemeral: bool = False


async def slash(
    hub: Hub,
    channel_id: int,
    command: str,
    options: Json | None = None,
    *,
    user: int = YOU_ID,
    timeout_s: float = WAIT_S,
) -> InteractionOutcome:
    """Call a slash command such as `remind list`; return the bot's acknowledgement, also if deferred."""
    return await _outcome(hub, _call_command(hub, channel_id, user, command, options or {}), timeout_s)


async def complete(
    hub: Hub,
    channel_id: int,
    command: str,
    focused: str,
    options: Json,
    *,
    user: int = YOU_ID,
    timeout_s: float = WAIT_S,
) -> list[Json]:
    """Choices offered by the bot while `focused` is typed; its text so far is in `options`."""
    outcome = await _outcome(hub, _call_command(hub, channel_id, user, command, options, focused), timeout_s)
    return list(outcome.data.get("choices") or ())


async def call_on_message(
    hub: Hub, channel_id: int, command: str, message_id: int, *, user: int = YOU_ID, timeout_s: float = WAIT_S
) -> InteractionOutcome:
    """Call a context-menu command on a message."""
    channel, person = place_user(hub, channel_id, user)
    message = message_in(hub, channel_id, message_id)
    resolved = {"messages": {str(message_id): hub.payloads.message(message)}}
    return await _call_on(hub, channel, person, (command, 3), message_id, resolved, timeout_s)


async def call_on_user(
    hub: Hub, channel_id: int, command: str, target: int, *, user: int = YOU_ID, timeout_s: float = WAIT_S
) -> InteractionOutcome:
    """Call a context-menu command on a user."""
    channel, person = place_user(hub, channel_id, user)
    resolved = resolved_users([hub.world.user(target)])
    return await _call_on(hub, channel, person, (command, 2), target, resolved, timeout_s)


async def click(
    hub: Hub,
    channel_id: int,
    message_id: int,
    custom_id: str,
    *,
    values: Sequence[str] | None = None,
    user: int = YOU_ID,
    timeout_s: float = WAIT_S,
) -> InteractionOutcome:
    """Click a button of a message or an ephemeral answer, or a select with `values`."""
    message = hub.interactions.find_hidden(message_id) or message_in(hub, channel_id, message_id)
    component = _find_component(message.components, custom_id)
    if component is None:
        raise ValueError(f"component {custom_id!r}: message {message.id} has none with that id")
    data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component.get("id", 1)}
    if values is not None:
        data["values"] = list(values)
    channel = hub.world.channel(message.channel_id)
    opened = _open(hub, InteractionKind.COMPONENT, hub.world.user(user), channel, data, message)
    return await _outcome(hub, opened, timeout_s)


async def submit_modal(
    hub: Hub, interaction_id: int, values: dict[str, str], *, timeout_s: float = WAIT_S
) -> InteractionOutcome:
    """Submit the form in the bot's answer to an interaction, with `values` by custom id."""
    modal = hub.interactions.get(interaction_id)
    if modal.callback != CallbackKind.MODAL:
        raise ValueError(f"interaction {modal.id}: was not answered by a modal")
    rows = [
        {"type": 1, "id": n, "components": [{"type": 4, "id": n + 100, "custom_id": key, "value": value}]}
        for n, (key, value) in enumerate(values.items(), 1)
    ]
    data = {"custom_id": modal.callback_data["custom_id"], "components": rows}
    opened = _open(hub, InteractionKind.MODAL, modal.user, modal.channel, data, modal.source)
    opened.trigger = modal
    return await _outcome(hub, opened, timeout_s)


async def wait_for_answer(hub: Hub, interaction_id: int, *, timeout_s: float = WAIT_S) -> Json | None:
    """Original answer once its text is present; None for other answers (autocomplete, modal, deferred update).

    Raises:
        TimeoutError: The bot did not answer in time.
    """
    interaction = hub.interactions.get(interaction_id)
    async with asyncio.timeout(timeout_s):
        while not interaction.is_acknowledged or interaction.is_deferred:
            await hub.feed.wait(
                lambda _: interaction.is_acknowledged and not interaction.is_deferred,
                timeout_s,
                interaction.channel.id,
            )
    return _original_payload(hub, interaction)


def answers(hub: Hub, interaction_id: int) -> list[Json]:
    """Every answer to an interaction, follow-ups and ephemeral answers included, oldest first."""
    interaction = hub.interactions.get(interaction_id)
    return [hub.payloads.message(find_answer(hub, interaction, each)) for each in interaction.answer_ids]


def _call_command(
    hub: Hub, channel_id: int, user_id: int, line: str, values: Json, focused: str | None = None
) -> Interaction:
    """The interaction of a slash command, followed by subcommand names if any; `focused` is being typed."""
    channel, user = place_user(hub, channel_id, user_id)
    name, *path = line.removeprefix("/").split()
    data = command_data(hub.commands.find(name, guild_id=channel.guild_id), path, values, focused)
    add_resolved(data, hub.world, hub.payloads)
    kind = InteractionKind.COMMAND if focused is None else InteractionKind.AUTOCOMPLETE
    return _open(hub, kind, user, channel, data)


async def _call_on(
    hub: Hub, channel: Channel, user: User, named: tuple[str, int], target_id: int, resolved: Json, timeout_s: float
) -> InteractionOutcome:
    command = hub.commands.find(*named, channel.guild_id)
    data: Json = {key: command[key] for key in ("id", "name", "type", "guild_id") if key in command}
    data |= {"target_id": str(target_id), "resolved": resolved}
    return await _outcome(hub, _open(hub, InteractionKind.COMMAND, user, channel, data), timeout_s)


def _open(
    hub: Hub, kind: InteractionKind, user: User, channel: Channel, data: Json, source: Message | None = None
) -> Interaction:
    interaction = hub.interactions.open(kind, user, channel, data, source)
    if source is not None and source.flags & MessageFlag.EPHEMERAL:
        interaction.hidden[source.id] = source
    hub.counters["interactions"] += 1
    payload = interaction_payload(interaction, hub.payloads)
    hub.feed.publish(Event("INTERACTION_CREATE", payload, channel_id=channel.id))
    return interaction


async def _outcome(hub: Hub, interaction: Interaction, timeout_s: float) -> InteractionOutcome:
    """Acknowledgement of the bot; `TimeoutError` without an acknowledgement."""
    if not interaction.is_acknowledged:
        await hub.feed.wait(lambda _: interaction.is_acknowledged, timeout_s, interaction.channel.id)
    return InteractionOutcome(
        id=interaction.id,
        callback=int(interaction.callback or 0),
        data=interaction.callback_data,
        message=_original_payload(hub, interaction),
        ephemeral=interaction.original_id in interaction.hidden,
    )


def _original_payload(hub: Hub, interaction: Interaction) -> Json | None:
    if interaction.original_id is None:
        return None
    return hub.payloads.message(original_answer(hub, interaction))


def _find_component(components: Sequence[Json], custom_id: str) -> Json | None:
    for component in components:
        if component.get("custom_id") == custom_id:
            return component
        nested = [*(component.get("components") or ()), *filter(None, [component.get("accessory")])]
        inner = _find_component(nested, custom_id)
        if inner is not None:
            return inner
    return None
