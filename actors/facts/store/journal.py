"""Journal of unfinished work for turns: a line for each step, committed when all is done; read again after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from actors.facts.store.naming import turn_entries
from actors.facts.store.recent import RecentTurn, RecentTurns, answer_path, digest_words
from actors.linux.disk import Disk
from actors.linux.notebook import Notebook
from domain.facts.quiet import says_nothing
from messages.base import make_ready

FILE = ".journal.jsonl"
TICK = timedelta(microseconds=1)
"""Difference between the times of two simultaneous facts."""


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change of a conversation's facts, decided and not yet made."""

    old_id: str = ""
    """Id of the outgoing fact; empty for none."""
    new_id: str = ""
    """Id of the new fact; empty for none."""
    text: str = ""


class _Begun(msgspec.Struct, tag="begun", omit_defaults=True):
    turn: str
    conversation: str
    user_text: str
    at: datetime
    model: str = ""
    again: str = ""
    replaces: str = ""


class _Over(msgspec.Struct, tag="over", omit_defaults=True):
    turn: str
    at: datetime
    model: str = ""
    answer_text: str = ""


class _Extracted(msgspec.Struct, tag="extracted"):
    turn: str
    facts: tuple[str, ...]


class _Decided(msgspec.Struct, tag="decided"):
    turn: str
    changes: tuple[Change, ...]
    at: datetime


class _Done(msgspec.Struct, tag="done"):
    turn: str


_Line = _Begun | _Over | _Extracted | _Decided | _Done | RecentTurn
_DECODER = msgspec.json.Decoder(_Line)


@dataclass(slots=True)
class Owed:
    """Kept turn, and the progress of the work."""

    turn: str
    conversation: str
    user_text: str
    at: datetime
    """When the first half was kept, aware UTC."""
    model: str = ""
    again: str = ""
    """Earlier turn with the same question, asked again for another answer; empty for a new question."""
    replaces: str = ""
    """Path of the answer that this turn's answer replaces; empty for none."""
    answer_text: str = ""
    answered_at: datetime | None = None
    """End of the turn; None while it lasts."""
    facts: tuple[str, ...] | None = None
    """Facts in the turn's words; None before extraction."""
    changes: tuple[Change, ...] | None = None
    """Changes for the facts; None before the decision."""
    decided_at: datetime | None = None
    tries: int = 0
    """In this life."""
    refusals: int = 0
    """Last consecutive tries of this life with a permanent refusal by the model's server."""
    not_before: float = 0.0
    """Monotonic time of the next permitted try."""
    are_texts_kept: bool = False
    """True if all texts of the turn were put in files, in this life."""
    is_quiet: bool = field(init=False)
    """True if no model needs to read the words."""
    _lines: list[_Line] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        """Look at the words once."""
        self.is_quiet = says_nothing(self.user_text)


class Journal:
    """The file; a turn's words are on the disk when the call returns, the rest with the next line of words.

    A kill loses no line. A power loss may lose the later steps of a turn; the steps are then repeated. Ids follow from
    the turn, so a repetition creates no duplicate.
    """

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        """Begin without an open file.

        Args:
            root: `facts.memory_path`.
            disk: Disk to write to.
        """
        self._book = Notebook(root / FILE, disk, self._owed_lines)
        self._done: dict[str, Owed] = {}
        """Turns without owed work whose end is not committed, by turn."""
        self.owed: dict[str, Owed] = {}
        """By turn, in order."""
        self.recent = RecentTurns()

    def open(self) -> None:
        """Read the owed work, and keep no other lines.

        Raises:
            OSError: the file cannot be read or written.
        """
        self.owed.clear()
        self._done.clear()
        self.recent = RecentTurns()
        for line in self._book.records(_DECODER.decode):
            self._take(line)
        self.recent.begin_life()
        self._book.rewrite()

    def begin(self, owed: Owed) -> None:
        """Note a turn's first half."""
        self._append(_first_line(owed), is_durable=True)

    def end(self, owed: Owed, *, is_new: bool, answer_text: str, model: str, at: datetime) -> None:
        """Note that a turn is over.

        Args:
            owed: The turn.
            is_new: True to note the turn's first half as well.
            answer_text: Of the model; empty for none.
            model: Model of the answer.
            at: Time of the end, aware UTC.
        """
        over = _Over(owed.turn, at, model, answer_text)
        if is_new:
            self._append(_first_line(owed), over, is_durable=True)
        else:
            self._append(over, is_durable=True)

    def note_facts(self, facts: Mapping[str, tuple[str, ...]]) -> None:
        """Note the facts of each turn's words, so the model is not asked again."""
        self._append(*(_Extracted(turn, texts) for turn, texts in facts.items()), is_durable=False)

    def note_changes(self, changes: Mapping[str, tuple[Change, ...]], at: datetime) -> None:
        """Note the decided changes for each turn, identical after a crash.

        The times of the changes follow one another, from `at` on.
        """
        lines: list[_Line] = []
        for turn, each in changes.items():
            lines.append(_Decided(turn, each, at))
            at += len(each) * TICK
        self._append(*lines, is_durable=False)

    def finish(self, turn: str) -> None:
        """Note that a turn has no owed work any more; `commit` writes the note to the disk."""
        if (owed := self.owed.pop(turn, None)) is not None:
            self._done[turn] = owed

    def forget(self, entry_id: str) -> None:
        """Give up the turns that would bring an entry back, also in a later life; `shorten` removes their lines.

        A turn under way goes on without its words. Call only when the results of all finished work are safe from a
        power loss.

        Raises:
            OSError: no turn is given up in this life; the same call goes on.
        """
        lines: list[_Line] = []
        for owed in self.owed.values():
            changed = {each for change in owed.changes or () for each in (change.new_id, change.old_id)}
            if entry_id in {*turn_entries(owed.turn), *changed}:
                lines.append(_first_line(owed, has_words=False) if owed.answered_at is None else _Done(owed.turn))
        self._append(*map(_Done, self._done), *lines, is_durable=True)
        for recent in list(self.recent):
            if f"__{entry_id}." in f"{recent.words_path} {recent.answer_path}":
                self.recent.drop(recent.turn)

    def commit(self) -> None:
        """Commit finished work; call only when its results are safe from a power loss.

        Raises:
            OSError: the commit may be lost, so that a later life repeats the work.
        """
        if self._done:
            self._append(*map(_Done, self._done), is_durable=False)

    def shorten(self) -> None:
        """Delete all text except for unfinished work.

        Raises:
            OSError: the text may still be there.
        """
        self._book.rewrite()

    def _append(self, *lines: _Line, is_durable: bool) -> None:
        owned = [line for line in lines if line.turn in self.owed or not isinstance(line, _Extracted | _Decided)]
        if not owned:
            return  # The words were forgotten meanwhile.
        self._book.append(*map(_encode, owned), is_durable=is_durable)
        for line in owned:
            self._take(line)

    def _owed_lines(self) -> list[bytes]:
        owed_lines = [line for owed in (*self._done.values(), *self.owed.values()) for line in owed._lines]
        return [_encode(line) for line in (*owed_lines, *self.recent)]

    def _take(self, line: _Line) -> None:
        if isinstance(line, RecentTurn):
            self.recent.put(line)
            return
        if isinstance(line, _Done):
            self.owed.pop(line.turn, None)
            self._done.pop(line.turn, None)
            return
        if isinstance(line, _Begun):
            self._take_begun(line)
        owed = self.owed.get(line.turn)
        if owed is None:
            return
        owed._lines.append(line)
        match line:
            case _Over():
                owed.answer_text, owed.answered_at = line.answer_text, line.at
                owed.model = line.model or owed.model
                if line.answer_text:
                    path = answer_path(owed.conversation, line.turn, line.at)
                    self.recent.answer(owed.again or line.turn, line.answer_text, path, line.at)
            case _Extracted():
                owed.facts = line.facts
            case _Begun():
                pass
            case _Decided():
                owed.changes, owed.decided_at = line.changes, line.at

    def _take_begun(self, line: _Begun) -> None:
        self._done.pop(line.turn, None)  # begun once more, for a late answer
        self.owed[line.turn] = Owed(
            line.turn, line.conversation, line.user_text, line.at, line.model, line.again, line.replaces
        )
        if line.user_text:
            words, at = digest_words(line.user_text), line.at
            recent = RecentTurn(turn=line.turn, conversation=line.conversation, words=words, asked_at=at, at=at)
            self.recent.put(recent)


def _first_line(owed: Owed, *, has_words: bool = True) -> _Begun:
    text = owed.user_text if has_words else ""
    return _Begun(owed.turn, owed.conversation, text, owed.at, owed.model, again=owed.again, replaces=owed.replaces)


def _encode(line: _Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"


make_ready(__name__)
