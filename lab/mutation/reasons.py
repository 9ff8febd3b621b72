"""Reasons why no test can notice a mutant: what it changes loses, doubles and alters nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """A mutant, named so that lines may move; those of one function with the same words are one."""

    module: str
    within: str
    what: str


_NEXT_TURN = "what is marked is looked at in the loop's next turn, in which both have been done"
_ORDER_APART = "neither reads what the other writes, and nothing can run or fail between the two"
_ONLY_SHOWN = "it decides only whether an answer points at its question; not known, it does"
_SAME_SORTS = "people are sorted by all such answers together, and their opposites sort them alike"
_READ_IN_FULL = "what the glance lets pass is read in full, which costs time"
_BEGUN_ANEW = "what fails in the first is begun anew with both"
_HOW_OFTEN = "what is trimmed is the same, only more often, which costs time"

_NO_USE = "after a sync that failed the log is of no further use, and nothing runs between the two"

REASONS: Mapping[Key, str] = {
    Key(
        "actors/context/log/file.py",
        "WindowLog.sync",
        "self._disk.sync(fd) ⇄ self._descriptor.is_synced = True: swapped",
    ): _NO_USE,
    Key(
        "actors/discord/incoming/watermarks.py",
        "Watermarks.log",
        "self._readings.note_logs(channel_id) ⇄ self.settle(channel_id, message_id): swapped",
    ): _NEXT_TURN,
    Key(
        "actors/discord/incoming/catch_up.py",
        "CatchUp._meet",
        "self.intake.seen.notice(str(channel.id), newest) ⇄ "
        "self._guilds.put(channel.id, self._number_of_guild(channel.guild.id)): swapped",
    ): _ORDER_APART,
    Key(
        "actors/discord/incoming/catch_up.py",
        "CatchUp._meet",
        "self.intake.seen.notice(str(channel.id), newest): left out",
    ): _ONLY_SHOWN,
    Key(
        "actors/discord/incoming/catch_up.py",
        "CatchUp._missing",
        "self.intake.seen.notice(str(channel_id), message.id): left out",
    ): _ONLY_SHOWN,
    Key(
        "domain/turn/seen.py",
        "SeenMessages.add",
        "self._ids.discard(oldest) ⇄ self.raise_floor(oldest): swapped",
    ): _ORDER_APART,
    Key(
        "domain/turn/conversation.py",
        "Conversation._add_user",
        "self._overheard % TRIM_EVERY == 0: NotEq",
    ): _HOW_OFTEN,
    Key(
        "actors/backup/copying.py",
        "_Copier.make",
        "manifest = Manifest(made_at=shown_time(now), data_root=str(self._root… ⇄ os.sync(): swapped",
    ): _ORDER_APART,
    Key("domain/policy/audience.py", "_sorts_of_roles", "role in each.giving_roles: NotIn"): _SAME_SORTS,
    Key("domain/policy/audience.py", "_sorts_of_roles", "role in each.denied_roles: NotIn"): _SAME_SORTS,
    Key("domain/policy/audience.py", "_sorts_of_roles", "role in each.allowed_roles: NotIn"): _SAME_SORTS,
    Key("domain/policy/audience.py", "_sorts_of_members", "member in each.denied_members: NotIn"): _SAME_SORTS,
    Key("domain/policy/audience.py", "_sorts_of_members", "member in each.allowed_members: NotIn"): _SAME_SORTS,
    Key("domain/reminder/due.py", "Stretch._worth_reading", "line[21:27] == b' time=': NotEq"): _READ_IN_FULL,
    Key(
        "domain/log/format.py",
        "encode_event",
        "require_valid(event) ⇄ stored, meta = (event.content, event.meta_json): swapped",
    ): _ORDER_APART,
    Key(
        "actors/edited_file/rewriting.py",
        "Rewriting.debts",
        "self._displaced = unread ⇄ if not hunks: self.settle(): swapped",
    ): _ORDER_APART,
    Key(
        "actors/context/log/journal.py",
        "Journal.open",
        "self.conversation.seen.raise_floor(self._newest_of_earlier() if after… ⇄ "
        "self.redactions.restore(tombstones_in((logged.event for logged in par…: swapped",
    ): _BEGUN_ANEW,
}
"""Mutant -> why it changes nothing that counts."""
