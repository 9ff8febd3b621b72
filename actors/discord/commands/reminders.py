"""`/reminders`: what will be said when, with a button to delete each."""

from __future__ import annotations

from collections.abc import Awaitable

import discord

from actors.discord.commands.answer import MOST_BUTTONS, Answer, Button, moment
from actors.discord.commands.dispatcher import CommandDispatcher, Invocation
from actors.discord.commands.offer import AnyCommand, slash
from actors.discord.commands.replies import worded
from messages.base import Address
from messages.scheduler import DeleteReminder, ListedReminder, ListReminders, ReminderDeleted, RemindersListed

UNREMIND_PREFIX = "unremind:"
"""Of the custom id of the button that deletes a reminder; the reminder's id follows."""
_SHOWN = 120
_LABEL = 40


class ReminderCommands:
    """The reminders' list, and the buttons below it."""

    def __init__(self, dispatcher: CommandDispatcher, scheduler: Address) -> None:
        self._dispatcher = dispatcher
        self._scheduler = scheduler

    def all(self) -> list[AnyCommand]:
        """The commands to offer."""
        return [slash("reminders", "Show the reminders and when each comes next", self._list)]

    async def _list(self, interaction: discord.Interaction) -> None:
        await self._dispatcher.serve(interaction, self._listing)

    def _listing(self, invocation: Invocation) -> Awaitable[Answer]:
        question = ListReminders(
            request_id=invocation.request_id, reply_to=invocation.reply_to, window=invocation.window, limit=MOST_BUTTONS
        )
        return worded(self._dispatcher.inquire(self._scheduler, question), RemindersListed, self._listed)

    def deletion(self, invocation: Invocation, reminder_id: str) -> Awaitable[Answer]:
        """Have a reminder deleted."""
        question = DeleteReminder(
            request_id=invocation.request_id, reply_to=invocation.reply_to, window=invocation.window, id=reminder_id
        )
        return worded(
            self._dispatcher.inquire(self._scheduler, question), ReminderDeleted, self._deleted, "Not deleted"
        )

    def _listed(self, listed: RemindersListed) -> Answer:
        lines = [self._line(number, reminder) for number, reminder in enumerate(listed.reminders, 1)]
        if listed.left_out:
            lines.append(f"-# {listed.left_out} later ones are left out here.")
        if listed.invalid:
            first = listed.invalid[0].number
            lines.append(
                f"-# Lines of the file that are not understood: {len(listed.invalid)}, the first is number {first}."
            )
        buttons = [
            Button(self._label(number, reminder), UNREMIND_PREFIX + reminder.id)
            for number, reminder in enumerate(listed.reminders, 1)
            if reminder.is_addressable
        ]
        return Answer("\n".join(lines) or "There are no reminders.", tuple(buttons))

    def _line(self, number: int, reminder: ListedReminder) -> str:
        due = reminder.next_due
        when = f"{moment(due, 'F')} ({moment(due, 'R')})" if due is not None else "now"
        recurs = f", {reminder.recur}" if reminder.recur != "none" else ""
        return f"{number}. {when}{recurs}: {self._dispatcher.quoted(reminder.msg, _SHOWN)}"

    def _label(self, number: int, reminder: ListedReminder) -> str:
        words = " ".join(self._dispatcher.shown(reminder.msg).split())
        return f"Delete {number}: {words}"[:_LABEL]

    def _deleted(self, deleted: ReminderDeleted) -> Answer:
        return Answer(f"Deleted:\n> {self._dispatcher.quoted(deleted.line, 2 * _SHOWN)}")
