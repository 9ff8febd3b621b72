"""Slash commands, the message menu's entry and the confirming button of forgetting."""

from __future__ import annotations

import re
from collections.abc import Callable

from actors.forget.wording import CONFIRM_PREFIX, answer_carried_out, answer_expired, answer_list, answer_preview
from actors.part import Argument, ArgumentValues, Command, Invocation, Press, Words
from domain.policy.forgetting.buttons import ABOUT_PREFIX, PLACE_PREFIX, parse_place
from domain.text.discord.message_link import parse_message
from messages.base import UserId
from messages.forget import (
    FORGET,
    CarryOutForget,
    ExpiredForgotten,
    ForgetCarriedOut,
    ForgetPreviewed,
    ForgetsListed,
    PreviewForget,
    Scope,
    ScopeKind,
)

_MENTION = re.compile(r"<@!?([0-9]{15,20})>|([0-9]{15,20})")
_NAME_CHARS = 100
_NOT_FORGOTTEN = "Not forgotten"


def _preview(call: Invocation, scope: Scope) -> PreviewForget:
    return PreviewForget(
        request_id=call.request_id,
        reply_to=call.reply_to,
        window=call.window,
        scope=scope,
        asked_by=UserId(call.person_id),
        manages_messages=call.manages_messages,
    )


def _message(call: Invocation, values: ArgumentValues) -> PreviewForget:
    named = parse_message(values["message"])
    is_here = named.channel_id in ("", call.window.id)
    message_id = named.message_id if is_here else f"{named.message_id} of another channel"
    return _preview(call, Scope(kind=ScopeKind.MESSAGE, window=call.window, message_id=message_id))


def _person(call: Invocation, values: ArgumentValues) -> PreviewForget:
    named = values.get("person", "").strip()
    mention = _MENTION.fullmatch(named)
    if not named or (mention is not None and (mention[1] or mention[2]) == call.person_id):
        person_id, name = str(call.person_id), call.person_name[:_NAME_CHARS]
    else:
        person_id, name = ("" if mention is None else mention[1] or mention[2]), ""
    scope = Scope(kind=ScopeKind.PERSON, window=call.window, person_id=person_id, person_name=name)
    return _preview(call, scope)


def _topic(call: Invocation, values: ArgumentValues) -> PreviewForget:
    return _preview(call, Scope(kind=ScopeKind.TOPIC, window=call.window, words=values["words"]))


def _window(call: Invocation, _values: ArgumentValues) -> PreviewForget:
    return _preview(call, Scope(kind=ScopeKind.WINDOW, window=call.window))


def _place(call: Invocation, values: ArgumentValues) -> PreviewForget:
    window, place = parse_place(values["id"])
    return _preview(call, Scope(kind=ScopeKind.TOPIC, window=window, places=(place,)))


def _about_me(call: Invocation, _values: ArgumentValues) -> PreviewForget:
    name = call.person_name[:_NAME_CHARS]
    return _preview(call, Scope(kind=ScopeKind.TOPIC, window=call.window, words=name, person_name=name))


def _confirm(call: Invocation, values: ArgumentValues) -> CarryOutForget:
    return CarryOutForget(
        request_id=call.request_id,
        reply_to=call.reply_to,
        window=call.window,
        preview_id=values["id"][:64],
        asked_by=UserId(call.person_id),
        manages_messages=call.manages_messages,
    )


def _make_command(
    name: str,
    description: str,
    request: Callable[[Invocation, ArgumentValues], PreviewForget],
    *arguments: Argument,
    menu: str = "",
    group_description: str = "",
) -> Command[ForgetPreviewed]:
    """Command with a count, and a button for the act."""
    return Command(
        name=name,
        group_description=group_description,
        description=description,
        arguments=arguments,
        for_viewers=True,
        menu=menu,
        to=FORGET,
        request=request,
        reply=ForgetPreviewed,
        answer=answer_preview,
        refused=_NOT_FORGOTTEN,
    )


COMMANDS = (
    _make_command(
        "forget message",
        "Forget a message, what I answered, and every repetition",
        _message,
        Argument(name="message", description="The message's link or id", longest=200),
        menu="Forget",
        group_description="Take words out of all that I keep, after you have seen what would go",
    ),
    _make_command(
        "forget person",
        "Forget everything a person said here, with every quotation and mention",
        _person,
        Argument(
            name="person",
            description="Mention the person, or give the account's id; leave it out for yourself",
            longest=_NAME_CHARS,
            required=False,
        ),
    ),
    _make_command(
        "forget topic",
        "Forget messages on a topic, as far as your rights reach",
        _topic,
        Argument(name="words", description="The topic, in a few words", longest=1_000),
    ),
    _make_command("forget window", "Forget everything that was ever said here", _window),
)


def _press_of_list(
    prefix: str, request: Callable[[Invocation, ArgumentValues], PreviewForget]
) -> Press[ForgetPreviewed]:
    """Button below a list of memories; pressing counts before forgetting."""
    return Press(
        prefix=prefix,
        for_viewers=True,
        to=FORGET,
        request=request,
        reply=ForgetPreviewed,
        answer=answer_preview,
        refused=_NOT_FORGOTTEN,
    )


PRESSES = (
    _press_of_list(PLACE_PREFIX, _place),
    _press_of_list(ABOUT_PREFIX, _about_me),
    Press(
        prefix=CONFIRM_PREFIX,
        for_viewers=True,
        to=FORGET,
        request=_confirm,
        reply=ForgetCarriedOut,
        answer=answer_carried_out,
        refused=_NOT_FORGOTTEN,
    ),
)
PREVIEWED = Words(reply=ForgetPreviewed, answer=answer_preview)
CARRIED_OUT = Words(reply=ForgetCarriedOut, answer=answer_carried_out)
EXPIRED = Words(reply=ExpiredForgotten, answer=answer_expired)
LISTED = Words(reply=ForgetsListed, answer=answer_list)
