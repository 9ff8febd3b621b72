"""Relay: a reminder's confirmation, which a command line has printed, said where the reminder will be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors.settings.schema import Settings
    from actors.settings.secret import Secrets
    from messages.discord import PostMessage


def relay(settings: Settings, secrets: Secrets, post: PostMessage) -> str:
    """Have a running agent say it, or where none runs, Discord itself, if there is a token.

    Returns:
        Why it is not said there; empty when it is, or when there is no Discord to say it in.
    """
    from actors.bootstrap import discord_connection
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
    from domain.reminder.text import Confirmation, confirmed
    from messages.base import Surface

    if post.window.surface is Surface.CLI:
        return ""
    said = confirmed(Confirmation(post.text, post.exact))
    try:
        ask_operator(
            settings.data_root,
            "reminders.confirm",
            window=post.window.address.key,
            what=said.what,
            line=said.line,
            notes="\n".join(said.notes),
        )
    except RefusalError as error:
        return str(error)
    except AgentNotRunningError:
        connection = discord_connection(settings, secrets.discord_token or "")
        if not connection.token:
            return ""
        from actors.discord.part import say_once

        return say_once(connection, post.window.id, post.text, post.exact, secrets.environment().values())
    return ""
