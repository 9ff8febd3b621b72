"""User event: a person's message as recorded in a window's log."""

from __future__ import annotations

from collections.abc import Collection

from domain.log.event import Event
from domain.log.metadata import MetaValue
from domain.log.off_record import MESSAGE_KEY
from domain.turn.attachments import attachments_meta
from messages.base import Address, RequestId, Surface, TurnId
from messages.context import Quote, UserMessage
from messages.discord import PostMessage, UserMessageLogged, UserMessageNotLogged
from messages.turn import LoggedEvent


def user_meta(message: UserMessage, *, shows_quote: bool) -> dict[str, MetaValue]:
    """The metadata of the message's event.

    Args:
        message: Message of the user.
        shows_quote: Whether the conversation shows the quoted message anyway.
    """
    meta: dict[str, MetaValue] = {
        "author": message.author_name,
        "author_id": message.author_id,
        "message_id": message.message_id,
    }
    if message.audience:
        meta["audience"] = message.audience
    if message.tables:
        meta["tables"] = list[MetaValue](message.tables)
    if message.reply_to_message_id:
        meta["reply_to"] = message.reply_to_message_id
    if message.attachments:
        meta["attachments"] = attachments_meta(message.attachments)
    if message.typed_chars is not None:
        meta["typed"] = message.typed_chars
    if message.told_chars:
        meta["told"] = message.told_chars
    if not message.may_run:
        meta["viewer"] = True
    if message.is_off_record:
        meta |= {MESSAGE_KEY: True, "viewer": True}
    if message.quote is not None:
        meta["quote"] = _quote_meta(message.quote, is_shown=shows_quote and not message.is_off_record)
    return meta


def confirmation(message: UserMessage) -> UserMessageLogged:
    """Confirmation to the surface that the message is logged: no further search is needed."""
    return UserMessageLogged(window=message.window, message_id=message.message_id)


def storage_failure(message: UserMessage) -> UserMessageNotLogged:
    """Report to the surface that the message could not be logged: the surface must find it again."""
    return UserMessageNotLogged(window=message.window, message_id=message.message_id)


def overheard_meta(message: UserMessage, stops: Collection[TurnId], open_count: int) -> dict[str, MetaValue]:
    """Further metadata of the event of an unanswered message: all effects of the message in a single step.

    Args:
        message: Message of the user.
        stops: Turns that the message stops.
        open_count: How much was to be done before it.
    """
    meta: dict[str, MetaValue] = {"overheard": True, "open": open_count + bool(message.refusal)}
    if stops:
        meta["stops"] = list[MetaValue](stops)
    if message.refusal:
        meta["refusal"] = message.refusal
    return meta


def news_of(logged: Event, path: str, line: int) -> LoggedEvent:
    """Event in the form for subscribers."""
    return LoggedEvent(
        id=logged.id,
        kind=logged.kind.value,
        path=path,
        line=line,
        at=logged.at,
        author=str(logged.meta_dict().get("author", "")) or logged.kind.value,
        text=logged.content,
        meta_json=logged.meta_json,
    )


def not_stored(message: UserMessage, reason: str, reply_to: Address) -> PostMessage:
    """Notice to the author of a message that could not be logged; a later life may name another reason."""
    notice = f"I cannot store messages of this window at the moment, so I {_when(message)}: "
    return PostMessage(
        request_id=RequestId(f"refusal-{message.message_id}"),
        reply_to=reply_to,
        window=message.window,
        text=f"{notice}{reason}",
        nonce=f"x{message.message_id[-18:]}",
        answers_message_id=message.message_id,
        mark=notice.strip(),
    )


def _when(message: UserMessage) -> str:
    """Fate of a message that cannot be stored: found again in Discord's history, but for commands and terminals."""
    is_command = message.typed_chars == 0 and not (message.attachments or message.told_chars)
    is_lost = is_command or message.window.surface is Surface.CLI
    return "do not answer now" if is_lost else "answer this message later"


def _quote_meta(quote: Quote, *, is_shown: bool) -> dict[str, MetaValue]:
    meta: dict[str, MetaValue] = {"message_id": quote.message_id, "author": quote.author_name}
    if quote.author_id:
        meta["author_id"] = quote.author_id
    return meta | {"text": quote.text, "shown": is_shown}
