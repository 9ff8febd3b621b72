"""Judge of histories: a window's history at the end of its process, held against a fresh fold of its logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from actors.context.actor import ContextActor
from actors.context.log.scan import log_names
from domain.log.event import Event
from domain.log.parser import parse
from domain.log.window import log_folder
from domain.turn.conversation import Conversation, fold_events

BEHIND = 2
"""Events that may be in a log and not in memory: the process died while they were written, or synced."""


def unlike_their_logs(actors: Iterable[object], data: Path) -> Iterator[str]:
    """Windows whose history is the fold of none of their logs, allowing for a log ahead of the history.

    A window without a usable log reads the log anew before the next event.
    """
    for actor in actors:
        if not isinstance(actor, ContextActor) or not (actor.conversation.turns and actor.log_path):
            continue
        folder = data / log_folder(actor.window)
        # A process that dies while it begins a window anew may have the log before in memory.
        logs = [[each.event for each in parse((folder / name).read_bytes()).events] for name in log_names(folder)[-2:]]
        if not any(is_fold(actor.conversation, log) for log in logs):
            yield f"the history of {actor.window.address.key} is not what its log says"


def is_fold(conversation: Conversation, log: list[Event]) -> bool:
    """True if a conversation equals the fold of a log without its last events; forgotten turns are the oldest."""
    for behind in range(min(BEHIND, len(log)) + 1):
        fresh = fold_events(conversation.make_empty(), log[: len(log) - behind])
        turns = conversation.turns
        is_same = fresh.turns[len(fresh.turns) - len(turns) :] == turns and len(turns) <= len(fresh.turns)
        if is_same and (fresh.debts(), fresh.pending, fresh.model, fresh.used) == (
            conversation.debts(),
            conversation.pending,
            conversation.model,
            conversation.used,
        ):
            return True
    return False
