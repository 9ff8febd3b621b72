"""Slash command and words of the importer: how far the past is imported."""

from __future__ import annotations

from actors.part import Answer, ArgumentValues, Command, Invocation, Wording, Words
from messages.past import IMPORTER, ExportImported, ImportDescribed, StartImport


def _start(call: Invocation, _arguments: ArgumentValues) -> StartImport:
    return StartImport(
        request_id=call.request_id, reply_to=call.reply_to, window=call.window, manages_server=call.manages_server
    )


def describe_progress(reply: ImportDescribed, wording: Wording) -> Answer:
    """Words for the state of an import."""
    lines = [_STATES[reply.state].format(kept=reply.kept, done=reply.places_done, places=reply.places)]
    if reply.state == "reading" and reply.per_second:
        left = f"; about {reply.estimate:,} are left, {_duration(reply.left_s)}" if reply.left_s else ""
        lines.append(f"{reply.per_second:,.0f} messages a second{left}.")
    if reply.note:
        lines.append(wording.note(wording.sanitise(reply.note)))
    return Answer("\n".join(lines))


_STATES = {
    "none": "The past is not imported yet; `agent import discord` or /import starts the import.",
    "listing": "Channels and threads are being listed.",
    "reading": "The past is imported, newest first: {kept:,} messages so far; {done:,} of {places:,} places are done.",
    "stopped": "The import is paused: {kept:,} messages so far; {done:,} of {places:,} places are done.",
    "done": "The past is imported: {kept:,} messages of {places:,} channels and threads.",
}


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def _describe_export(reply: ExportImported, _wording: Wording) -> Answer:
    files = "1 file" if reply.files == 1 else f"{reply.files:,} files"
    return Answer(
        f"{files} with {reply.messages:,} messages: {reply.kept:,} were new and are in the logs of "
        f"{reply.windows:,} windows now."
    )


PROGRESS = Words(reply=ImportDescribed, answer=describe_progress)
EXPORTED = Words(reply=ExportImported, answer=_describe_export)
COMMANDS = (
    Command(
        name="import",
        description="Import all messages from before I came, and show the progress; for managers of the server",
        to=IMPORTER,
        request=_start,
        reply=ImportDescribed,
        answer=describe_progress,
    ),
)
