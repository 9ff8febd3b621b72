"""Interactions: what users do with commands and components, and what the bot answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lab.playground.acts.interaction_payload import add_resolved, interaction_payload, metadata_of, resolved_users
from lab.playground.gateway.events import Event
from lab.playground.hub import Hub
from lab.playground.world.commands import command_data
from lab.playground.world.errors import unknown_message
from lab.playground.world.interactions import ACKNOWLEDGE_S, CallbackKind, Interaction, InteractionKind
from lab.playground.world.objects import Json
from lab.playground.world.records import Channel, Draft, Message, MessageFlag, MessageKind, User


class InteractionActs:
    """Interactions that people open, with their answers."""

    def __init__(self, hub: Hub) -> None:
        """No interaction yet.

        Args:
            hub: The playground.
        """
        self._hub = hub

    # users

    def call(self, channel: Channel, user: User, line: str, values: Json, focused: str | None = None) -> Interaction:
        """The interaction of a slash command.

        Args:
            channel: Where.
            user: Who calls it.
            line: Command name, followed by subcommand names if any (`remind list`).
            values: Option name -> value.
            focused: For autocomplete, the option being typed.
        """
        name, *path = line.removeprefix("/").split()
        data = command_data(self._hub.commands.find(name, guild_id=channel.guild_id), path, values, focused)
        add_resolved(data, self._hub.world, self._hub.payloads)
        kind = InteractionKind.COMMAND if focused is None else InteractionKind.AUTOCOMPLETE
        return self._open(kind, user, channel, data)

    def call_on(self, channel: Channel, user: User, name: str, target: Message | User) -> Interaction:
        """The interaction of a context-menu command on a message or a user."""
        on_message = isinstance(target, Message)
        command = self._hub.commands.find(name, 3 if on_message else 2, channel.guild_id)
        data: Json = {key: command[key] for key in ("id", "name", "type", "guild_id") if key in command}
        data["target_id"] = str(target.id)
        if isinstance(target, Message):
            data["resolved"] = {"messages": {str(target.id): self._hub.payloads.message(target)}}
        else:
            data["resolved"] = resolved_users([target])
        return self._open(InteractionKind.COMMAND, user, channel, data)

    def click(self, message: Message, user: User, custom_id: str, values: Sequence[str] | None = None) -> Interaction:
        """The interaction of a button (or, with `values`, a select) of `message`."""
        component = _find_component(message.components, custom_id)
        if component is None:
            raise ValueError(f"component {custom_id!r}: message {message.id} has none with that id")
        data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component.get("id", 1)}
        if values is not None:
            data["values"] = list(values)
        channel = self._hub.world.channel(message.channel_id)
        return self._open(InteractionKind.COMPONENT, user, channel, data, message)

    def submit(self, modal: Interaction, values: dict[str, str]) -> Interaction:
        """The interaction of filling in the form that the bot answered `modal` with; `values` by custom id."""
        if modal.callback != CallbackKind.MODAL:
            raise ValueError(f"interaction {modal.id}: was not answered by a modal")
        rows = [
            {"type": 1, "id": n, "components": [{"type": 4, "id": n + 100, "custom_id": key, "value": value}]}
            for n, (key, value) in enumerate(values.items(), 1)
        ]
        data = {"custom_id": modal.callback_data["custom_id"], "components": rows}
        return self._open(InteractionKind.MODAL, modal.user, modal.channel, data, modal.source)

    async def wait_for_callback(self, interaction: Interaction, timeout_s: float = ACKNOWLEDGE_S) -> Interaction:
        """The same interaction once the bot has acknowledged it, else `TimeoutError`."""
        if not interaction.is_acknowledged:
            await self._hub.feed.wait(lambda _: interaction.is_acknowledged, timeout_s, interaction.channel.id)
        return interaction

    async def wait_for_answer(self, interaction: Interaction, timeout_s: float) -> Message | None:
        """The original answer once it has its text; None when it is no message (autocomplete, modal, deferred update).

        Raises:
            TimeoutError: The bot did not answer in time.
        """
        async with asyncio.timeout(timeout_s):
            await self.wait_for_callback(interaction, timeout_s)
            while interaction.is_deferred:
                await self._hub.feed.wait(lambda _: not interaction.is_deferred, timeout_s, interaction.channel.id)
        return self.original(interaction) if interaction.original_id is not None else None

    # the bot

    def acknowledge(self, interaction: Interaction, draft: Draft | None) -> Message | None:
        """The message the callback made (from `draft`), or the one it is about; None for choices and modals."""
        match interaction.callback:
            case CallbackKind.MESSAGE if draft is not None:
                message = self._answer(interaction, draft)
                interaction.original_id = message.id
            case CallbackKind.DEFERRED_MESSAGE if draft is not None:
                draft.flags = (draft.flags & MessageFlag.EPHEMERAL) | MessageFlag.LOADING
                interaction.is_deferred = True
                message = self._answer(interaction, draft)
                interaction.original_id = message.id
            case CallbackKind.DEFERRED_UPDATE | CallbackKind.UPDATE if interaction.source is not None:
                message = interaction.source
                interaction.original_id = message.id
            case _:
                self._tell(interaction)
                return None
        self._tell(interaction)
        return message

    def follow_up(self, interaction: Interaction, draft: Draft) -> Message:
        """The follow-up; the first one after a deferral fills the deferred answer instead."""
        if interaction.is_deferred:
            original = self.original(interaction)
            original.attachments = draft.attachments
            self.change(interaction, original, draft.content, draft)
            return original
        return self._answer(interaction, draft)

    def original(self, interaction: Interaction) -> Message:
        """Message that `@original` means, else 10008."""
        if interaction.original_id is None:
            raise unknown_message()
        return self.find(interaction, interaction.original_id)

    def find(self, interaction: Interaction, message_id: int) -> Message:
        """An answer of this interaction, ephemeral ones included, else 10008."""
        hidden = interaction.hidden.get(message_id)
        if hidden is not None:
            return hidden
        is_source = interaction.source is not None and interaction.source.id == message_id
        if message_id not in interaction.answer_ids and not is_source:
            raise unknown_message()
        return self._hub.world.message(interaction.channel, message_id)

    def change(self, interaction: Interaction, message: Message, content: str | None, draft: Draft | None) -> None:
        """Edit an answer, with embeds and components of `draft` if given; the first edit ends a deferral."""
        if draft is not None:
            message.embeds, message.components = draft.embeds, draft.components
        if message.id == interaction.original_id:
            interaction.is_deferred = False
        if message.id in interaction.hidden:
            self._hub.world.revise(message, content)
            self._tell_hidden("UPDATE", interaction, message)
        else:
            self._hub.edit(message, content)

    def delete(self, interaction: Interaction, message: Message) -> None:
        """Delete an answer."""
        if message.id == interaction.original_id:
            interaction.is_deferred = False
        if interaction.hidden.pop(message.id, None) is not None:
            self._tell_hidden("DELETE", interaction, message)
        else:
            self._hub.delete(interaction.channel, message.id)

    # inside

    def _answer(self, interaction: Interaction, draft: Draft) -> Message:
        draft.kind = (
            MessageKind.CHAT_INPUT_COMMAND if interaction.data.get("type", 1) == 1 else MessageKind.CONTEXT_MENU_COMMAND
        )
        if interaction.source is not None:
            draft.kind, draft.reference = MessageKind.REPLY, (interaction.channel.id, interaction.source.id)
        draft.interaction = metadata_of(interaction)
        if draft.flags & MessageFlag.EPHEMERAL:
            message = self._hub.world.compose(interaction.channel, draft)
            interaction.hidden[message.id] = message
            self._tell_hidden("CREATE", interaction, message)
        else:
            message = self._hub.post(interaction.channel, draft)
        interaction.answer_ids.append(message.id)
        return message

    def _open(
        self, kind: InteractionKind, user: User, channel: Channel, data: Json, source: Message | None = None
    ) -> Interaction:
        interaction = self._hub.interactions.open(kind, user, channel, data, source)
        if source is not None and source.flags & MessageFlag.EPHEMERAL:
            interaction.hidden[source.id] = source
        self._hub.counters["interactions"] += 1
        payload = interaction_payload(interaction, self._hub.payloads)
        event = Event("INTERACTION_CREATE", payload, channel_id=channel.id)
        self._hub.feed.publish(event)
        return interaction

    def _tell_hidden(self, what: str, interaction: Interaction, message: Message) -> None:
        payload = {
            **self._hub.payloads.message(message),
            "visible_to": str(interaction.user.id),
            "guild_id": str(interaction.channel.guild_id),
        }
        self._hub.tell_page(f"PLAYGROUND_EPHEMERAL_{what}", payload, interaction.channel)

    def _tell(self, interaction: Interaction) -> None:
        payload = {
            "id": str(interaction.id),
            "callback": interaction.callback,
            "user_id": str(interaction.user.id),
            "data": interaction.callback_data,
        }
        self._hub.tell_page("PLAYGROUND_INTERACTION", payload, interaction.channel)


def _find_component(components: Sequence[Json], custom_id: str) -> Json | None:
    for component in components:
        if component.get("custom_id") == custom_id:
            return component
        nested = [*(component.get("components") or ()), *filter(None, [component.get("accessory")])]
        inner = _find_component(nested, custom_id)
        if inner is not None:
            return inner
    return None
