"""Slash commands of workspaces: how the work stands, and a cut of the history now."""

from __future__ import annotations

from actors.part import Answer, Argument, ArgumentValues, Command, Invocation, Wording
from messages.turn import CompactWindow, WindowCompacted
from messages.workspace import DescribeSession, SessionDescribed, workspace_of

LONGEST_WORDS = 1_000
_PARTS = {"user_intent": "what people want", "active_files": "files", "said_before": "people's own words"}
"""Part of a handover -> its name for people, if different."""
NOTHING = "The state of the work here is not written down yet."


def _describe(call: Invocation, _values: ArgumentValues) -> DescribeSession:
    return DescribeSession(request_id=call.request_id, reply_to=call.reply_to, window=call.window)


def _word_session(reply: SessionDescribed, _wording: Wording) -> Answer:
    facts = ", ".join(f"{name}: {value}" for name, value in reply.facts)
    return Answer(f"{reply.text.strip() or NOTHING}\n\n{facts}\n{reply.folder}")


def _compact(call: Invocation, values: ArgumentValues) -> CompactWindow:
    return CompactWindow(
        request_id=call.request_id,
        reply_to=call.reply_to,
        window=call.window,
        asked_by=call.person_id,
        words=values.get("words", "").strip(),
    )


def _word_compaction(reply: WindowCompacted, _wording: Wording) -> Answer:
    turns = "1 turn is" if reply.cut_turns == 1 else f"{reply.cut_turns:,} turns are"
    names = [_PARTS.get(name, name.replace("_", " ")) for name in reply.head]
    head = f"preceded by {', '.join(names)}" if names else "without a summary before them"
    owed = f" {reply.trouble[0].upper()}{reply.trouble[1:].rstrip('.')}." if reply.trouble else ""
    return Answer(
        f"{turns} no longer shown to the model; the newest {reply.kept_turns} stay, {head}.{owed} Everything is "
        "still in the log."
    )


SESSION_COMMAND = Command(
    name="session",
    description="Show the state of the work here, kept beyond the conversation",
    to=workspace_of,
    request=_describe,
    reply=SessionDescribed,
    answer=_word_session,
    refused="The state cannot be shown",
)
COMPACT = Command(
    name="compact",
    description="Stop showing older messages to the model, once the state of the work is saved",
    arguments=(
        Argument(
            name="words",
            description="What to keep in mind (optional)",
            longest=LONGEST_WORDS,
            required=False,
        ),
    ),
    request=_compact,
    reply=WindowCompacted,
    answer=_word_compaction,
    refused="Nothing was cut",
    keeps_words=True,
)
COMMANDS = (SESSION_COMMAND,)
