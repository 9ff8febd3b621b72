"""Relay: a reminder's confirmation, printed by a command line, posted where the reminder will appear."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors.settings.schema import Settings
    from actors.settings.secret import Secrets
    from messages.discord import PostMessage


def relay(settings: Settings, secrets: Secrets, post: PostMessage, answer_s: float | None = None) -> str:
    """Have a running agent post the confirmation; else post it on Discord, given a token.

    Args:
        settings: Settings with the agent's address.
        secrets: Discord's secrets, for use without an agent.
        post: The printed confirmation.
        answer_s: Longest wait for the agent; None for the usual wait.

    Returns:
        Reason for a failure; empty on success, or without a Discord to post to.
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
