"""Relay: a reminder's confirmation, which a command line has printed, said where the reminder will be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors.settings.schema import Settings
    from actors.settings.secret import Secrets
    from messages.discord import PostMessage


def relay(settings: Settings, secrets: Secrets, post: PostMessage, answer_s: float | None = None) -> str:
    """Have a running agent say it, or where none runs, Discord itself, if there is a token.

    Args:
        settings: Where the agent is asked.
        secrets: Of Discord, where none runs.
        post: What was printed.
        answer_s: Longest wait for the agent; None for the usual one.

    Returns:
        Why it is not said there; empty when it is, or when there is no Discord to say it in.
    """
    from actors.bootstrap import discord_connection
    from actors.socket.client import ANSWER_S, AgentNotRunningError, AgentSilentError, RefusalError, ask_operator
    from domain.reminder.text import Confirmation, parse_confirmation
    from messages.base import Surface

    if post.window.surface is Surface.CLI:
        return ""
    confirmation = parse_confirmation(Confirmation(post.text, post.exact))
    try:
        ask_operator(
            settings.data_root,
            "reminders.confirm",
            ANSWER_S if answer_s is None else answer_s,
            window=post.window.address.key,
            what=confirmation.what,
            line=confirmation.line,
            notes="\n".join(confirmation.notes),
        )
    except RefusalError as error:
        return str(error)
    except AgentSilentError as error:  # it may be said by that agent yet, and is to be said once
        return f"{error}; the confirmation may still be shown"
    except AgentNotRunningError:
        connection = discord_connection(settings, secrets.discord_token or "")
        if not connection.token:
            return ""
        from actors.discord.part import say_once

        return say_once(connection, post.window.id, post.text, post.exact, secrets.environment().values())
    return ""
