"""Answers of the bot to interactions: callbacks, follow-ups, and edits of both; ephemeral ones reach the page only."""

from __future__ import annotations

from lab.playground.acts.interaction_payload import metadata_of
from lab.playground.hub import Hub
from lab.playground.world.errors import unknown_message
from lab.playground.world.interactions import CallbackKind, Interaction
from lab.playground.world.records import Draft, Message, MessageFlag, MessageKind


def acknowledge(hub: Hub, interaction: Interaction, draft: Draft | None) -> Message | None:
    """Message made by the callback (from `draft`), or the message of the component; None for choices and modals."""
    message = None
    if interaction.callback in (CallbackKind.MESSAGE, CallbackKind.DEFERRED_MESSAGE) and draft is not None:
        interaction.is_deferred = interaction.callback is CallbackKind.DEFERRED_MESSAGE
        if interaction.is_deferred:
            draft.flags = (draft.flags & MessageFlag.EPHEMERAL) | MessageFlag.LOADING
        message = _answer(hub, interaction, draft)
    elif interaction.callback in (CallbackKind.DEFERRED_UPDATE, CallbackKind.UPDATE):
        message = interaction.source
    if message is not None:
        interaction.original_id = message.id
    payload = {
        "id": str(interaction.id),
        "callback": interaction.callback,
        "user_id": str(interaction.user.id),
        "data": interaction.callback_data,
    }
    hub.tell_page("PLAYGROUND_INTERACTION", payload, interaction.channel)
    return message


def follow_up(hub: Hub, interaction: Interaction, draft: Draft) -> Message:
    """Follow-up message; after a deferral, the first follow-up fills the deferred answer instead."""
    if not interaction.is_deferred:
        return _answer(hub, interaction, draft)
    original = original_answer(hub, interaction)
    original.attachments, original.embeds, original.components = draft.attachments, draft.embeds, draft.components
    change_answer(hub, interaction, original, draft.content)
    return original


def original_answer(hub: Hub, interaction: Interaction) -> Message:
    """Message behind `@original`, else 10008."""
    if interaction.original_id is None:
        raise unknown_message()
    return find_answer(hub, interaction, interaction.original_id)


def find_answer(hub: Hub, interaction: Interaction, message_id: int) -> Message:
    """Answer of this interaction by id, ephemeral answers included, else 10008."""
    hidden = interaction.hidden.get(message_id)
    if hidden is not None:
        return hidden
    is_source = interaction.source is not None and interaction.source.id == message_id
    if message_id not in interaction.answer_ids and not is_source:
        raise unknown_message()
    return hub.world.message(interaction.channel, message_id)


def change_answer(hub: Hub, interaction: Interaction, message: Message, content: str | None) -> None:
    """Announce an edit of an answer; the first edit ends a deferral."""
    if message.id == interaction.original_id:
        interaction.is_deferred = False
    if message.id in interaction.hidden:
        hub.world.revise(message, content)
        _tell_hidden(hub, "UPDATE", interaction, message)
    else:
        hub.edit(message, content)


def delete_answer(hub: Hub, interaction: Interaction, message: Message) -> None:
    """Delete an answer."""
    if message.id == interaction.original_id:
        interaction.is_deferred = False
    if interaction.hidden.pop(message.id, None) is not None:
        _tell_hidden(hub, "DELETE", interaction, message)
    else:
        hub.delete(interaction.channel, message.id)


def _answer(hub: Hub, interaction: Interaction, draft: Draft) -> Message:
    is_slash = interaction.data.get("type", 1) == 1
    draft.kind = MessageKind.CHAT_INPUT_COMMAND if is_slash else MessageKind.CONTEXT_MENU_COMMAND
    if interaction.source is not None:
        draft.kind, draft.reference = MessageKind.REPLY, (interaction.channel.id, interaction.source.id)
    draft.interaction = metadata_of(interaction)
    if draft.flags & MessageFlag.EPHEMERAL:
        message = hub.world.compose(interaction.channel, draft)
        interaction.hidden[message.id] = message
        _tell_hidden(hub, "CREATE", interaction, message)
    else:
        message = hub.post(interaction.channel, draft)
    interaction.answer_ids.append(message.id)
    return message


def _tell_hidden(hub: Hub, what: str, interaction: Interaction, message: Message) -> None:
    payload = {
        **hub.payloads.message(message),
        "visible_to": str(interaction.user.id),
        "guild_id": str(interaction.channel.guild_id),
    }
    hub.tell_page(f"PLAYGROUND_EPHEMERAL_{what}", payload, interaction.channel)
