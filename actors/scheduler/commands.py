"""Slash command of the scheduler: coming reminders with times, each with a button to delete it."""

from __future__ import annotations

from actors.part import Answer, Button, Command, Press, Wording
from messages.scheduler import (
    SCHEDULER,
    DeleteReminder,
    ListedReminder,
    ListReminders,
    ReminderDeleted,
    RemindersListed,
)

DELETE_PREFIX = "unremind:"
"""Prefix of the custom id of a button that deletes a reminder; the reminder's id follows."""
LIMIT = 25
"""Most listed reminders: the possible number of buttons."""
_MOST_CHARACTERS = 120
_LABEL = 40


def _list(reply: RemindersListed, wording: Wording) -> Answer:
    lines = [_line(number, reminder, wording) for number, reminder in enumerate(reply.reminders, 1)]
    if reply.left_out:
        lines.append(wording.note(f"{reply.left_out} later reminders are not shown."))
    if reply.invalid:
        lines.append(wording.note(f"Invalid lines of the file: {len(reply.invalid)}."))
    buttons = [
        Button(_label(number, reminder, wording), DELETE_PREFIX + reminder.id)
        for number, reminder in enumerate(reply.reminders, 1)
        if reminder.is_addressable
    ]
    return Answer("\n".join(lines) or "There are no reminders.", tuple(buttons))


def _line(number: int, reminder: ListedReminder, wording: Wording) -> str:
    due = reminder.next_due
    when = "could not be said" if reminder.failed else "now"
    if due is not None:
        when = f"{wording.moment(due, 'F')} ({wording.moment(due, 'R')})"
    recurs = f", {reminder.recur}" if reminder.recur != "none" else ""
    return f"{number}. {when}{recurs}: {wording.quote(reminder.msg, _MOST_CHARACTERS)}"


def _label(number: int, reminder: ListedReminder, wording: Wording) -> str:
    words = " ".join(wording.sanitise(reminder.msg).split())
    return f"Delete {number}: {words}"[:_LABEL]


def _word_deletion(reply: ReminderDeleted, wording: Wording) -> Answer:
    return Answer(f"Deleted:\n> {wording.quote(reply.line, 2 * _MOST_CHARACTERS)}")


COMMANDS = (
    Command(
        name="reminders",
        description="Show the reminders of this place with their next times",
        to=SCHEDULER,
        request=lambda call, _: ListReminders(
            request_id=call.request_id, reply_to=call.reply_to, window=call.window, limit=LIMIT
        ),
        reply=RemindersListed,
        answer=_list,
    ),
)
PRESSES = (
    Press(
        prefix=DELETE_PREFIX,
        to=SCHEDULER,
        request=lambda call, arguments: DeleteReminder(
            request_id=call.request_id, reply_to=call.reply_to, window=call.window, id=arguments["id"]
        ),
        reply=ReminderDeleted,
        answer=_word_deletion,
        refused="Not deleted",
    ),
)
