"""Slash command of the shell: have a window's working folder emptied, also when it is too full for any command."""

from __future__ import annotations

from actors.part import Answer, Command
from messages.shell import SHELL, EmptyFolder, FolderEmptied

COMMANDS = (
    Command(
        name="empty",
        description="Delete this conversation's working folder and kept output; attachments and logs stay",
        to=SHELL,
        request=lambda call, _: EmptyFolder(request_id=call.request_id, reply_to=call.reply_to, window=call.window),
        reply=FolderEmptied,
        answer=lambda _reply, _wording: Answer("The working folder is empty."),
        refused="Not emptied",
    ),
)
