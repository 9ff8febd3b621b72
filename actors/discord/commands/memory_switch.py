"""`/memory off` and `/memory on`: keep no message of a window, or every message again."""

from __future__ import annotations

from functools import partial

from actors.part import Answer, ArgumentValues, Command, Invocation, Wording, Words
from messages.discord import DISCORD, MemorySwitched, SwitchMemory

_REFUSED = "Memory is unchanged"


def _switch(call: Invocation, _arguments: ArgumentValues, *, is_off: bool) -> SwitchMemory:
    return SwitchMemory(
        request_id=call.request_id,
        reply_to=call.reply_to,
        window=call.window,
        is_off=is_off,
        asked_by=call.person_id,
        manages_messages=call.manages_messages,
    )


def _answer(reply: MemorySwitched, _wording: Wording) -> Answer:
    state = "off" if reply.is_off else "on"
    if not reply.is_new:
        return Answer(f"Memory is {state} here already.")
    if not reply.is_off:
        return Answer("Memory is on again here. I do not know the messages in between.")
    return Answer(
        "Memory is off here, in threads of this channel too. Earlier messages stay in the log; `/forget` removes them. "
        "All messages stay in Discord, and a model's provider sees each message that I answer."
    )


def memory_commands(*, has_curated: bool) -> tuple[Command[MemorySwitched], ...]:
    """Commands that switch memory.

    Args:
        has_curated: True if the layer with its own `/memory off` and `/memory on` is on.
    """
    off, on = ("pause", "resume") if has_curated else ("off", "on")
    return (
        Command(
            name=f"memory {off}",
            group_description="Look into what I remember",
            description="Stop keeping messages of this place",
            to=DISCORD,
            request=partial(_switch, is_off=True),
            reply=MemorySwitched,
            answer=_answer,
            refused=_REFUSED,
        ),
        Command(
            name=f"memory {on}",
            description="Keep messages of this place again",
            to=DISCORD,
            request=partial(_switch, is_off=False),
            reply=MemorySwitched,
            answer=_answer,
            refused=_REFUSED,
        ),
    )


SWITCHED = Words(reply=MemorySwitched, answer=_answer)
