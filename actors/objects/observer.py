"""Observer of a window: files named or changed by commands, in their state at the time of a request."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from actors.objects.looking import Looking
from actors.objects.round import Round
from domain.objects.entries import FileLookedAt, OutputSeen, RoundEnded, SessionBegan, TurnBegan, TurnsLeft
from domain.objects.lines import shown_command
from domain.objects.looked import FileLook
from domain.objects.observing import Observed, observe
from domain.objects.path import below
from domain.objects.presented import is_presented
from domain.objects.state import FileObject
from domain.objects.versions import numbered_id
from messages.base import TurnId
from messages.objects import OutputRow
from messages.turn import CallShown, WordRequest

MOST_LOOKS = 2_000
"""Possible file names looked up before a request; further names stay unknown."""
MOST_STEPS = 3
"""Length of a followed chain of renames."""
NEW_FILES = 50
"""New files of a command; further files are only counted."""
LOOKED_AT = 500
"""Inactive files looked at before a request, the most recently touched first."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A call not yet folded."""

    turn: TurnId
    call: CallShown


class Observer:
    """Compares a window's known objects with the window's folder and conversation."""

    def __init__(self, folder: Path, max_files: int) -> None:
        """Begin without a look.

        Args:
            folder: Folder of the window.
            max_files: Limit of known files.
        """
        self._folder = folder
        self.max_files = max_files
        self.looking = Looking(folder)
        self._none: set[str] = set()
        """Names shown to be no files by this request's looks."""
        self._looks = 0

    def fold(self, round_: Round, request: WordRequest, now: datetime) -> RoundEnded | None:
        """Take in changes since the last request; the place of new texts, or None without changes.

        Args:
            round_: Round that takes the entries.
            request: Request to the model.
            now: The time.
        """
        objects = round_.objects
        if request.log != objects.log:
            round_.take(SessionBegan(log=request.log))
        turn_ids = [turn.turn_id for turn in request.turns]
        if gone := tuple(sorted(set(objects.turns) - set(turn_ids))):
            round_.take(TurnsLeft(turns=gone, withdrawals=request.withdrawals))
        known = set(objects.turns)
        began = [turn for turn in turn_ids if turn not in known]
        for turn in reversed(began):
            behind = next((each for each in turn_ids[turn_ids.index(turn) + 1 :]), TurnId(""))
            round_.take(TurnBegan(turn=turn, before=behind))
        fresh = [
            Fresh(turn.turn_id, call)
            for turn in request.turns
            for call in turn.calls
            if call.event not in objects.outputs
        ]
        if not fresh and not began and not gone:
            return None
        newest = fresh[-1].call.event if fresh and fresh[-1].turn == request.turn_id else request.turn_id
        self.look(round_, now, place=newest if fresh or began else "")
        self._none, self._looks = set(), 0
        for each in fresh:
            self._observe(round_, each, request.log, now)
        return RoundEnded(place=newest, cut=request.breaks_from)

    def inside(self, path: str) -> str:
        """Path relative to the window's folder, of an absolute or relative path; empty for a path outside."""
        folder = posixpath.normpath(str(self._folder))
        return below(folder, folder, path)

    # looking

    def look(self, round_: Round, now: datetime, *, place: str) -> None:
        """Look at the known files, and enter their changes.

        Args:
            round_: Round that takes the entries.
            now: The time.
            place: Event after which changes are reported.
        """
        files = self._files_to_look_at(round_.objects.files.values())
        known = {file.version.path: (file.signature, file.looked_ns) for file in files if file.signature is not None}
        names = {file.version.path: file for file in files}
        unread = (path for path, file in names.items() if file.is_active and file.version.status == "unread")
        paths = dict.fromkeys((*self.looking.find_changed(known), *unread))
        looks = {path: self.looking.look(path, reads=_reads(names[path])) for path in paths}
        gone = {path: names[path] for path, look in looks.items() if look is None}
        lost = self._lose(round_, gone, now, place) if gone else set()
        for path, look in looks.items():
            if look is not None and path not in lost:
                self._compare(round_, names[path], look, now, place)
        self._find_again(round_, now, place)

    def _find_again(self, round_: Round, now: datetime, place: str) -> None:
        """Enter missing files found back in their places."""
        objects = round_.objects
        missing = [file for file in objects.files.values() if file.is_present and file.version.status == "missing"]
        for file in missing[-LOOKED_AT:]:
            path = file.version.path
            if objects.file_at(path) is file and self.looking.look(path, reads=False) is not None:
                round_.see(file.version.object, self.looking.look(path, reads=True), now, place)

    def _files_to_look_at(self, files: Iterable[FileObject]) -> list[FileObject]:
        there = [file for file in files if file.is_present and file.version.status != "missing"]
        there.sort(key=lambda file: (not file.is_active, -file.touched))
        active = sum(file.is_active for file in there)
        return there[: max(active, LOOKED_AT)]

    def _compare(self, round_: Round, file: FileObject, look: FileLook, now: datetime, place: str) -> None:
        if round_.see(file.version.object, look, now, place) is None:
            looked_ns = int(now.timestamp() * 1e9)
            entry = FileLookedAt(object=file.version.object, signature=look.signature, looked_ns=looked_ns)
            round_.take(entry)

    def _lose(self, round_: Round, gone: Mapping[str, FileObject], now: datetime, place: str) -> set[str]:
        """Enter files gone from their paths, as moved or missing; returns their old paths.

        A file whose path was taken by a moved file is looked for in turn.
        """
        lost, moved = dict(gone), dict[str, str]()
        pending = lost
        for _ in range(MOST_STEPS):
            places = self._find_places(pending)
            moved |= places
            others = {to: other for to in places.values() if (other := round_.objects.file_at(to)) is not None}
            pending = {to: other for to, other in others.items() if _is_there(other) and to not in lost}
            lost |= pending
            if not pending:
                break
        for path, file in lost.items():
            to = moved.get(path)
            look = self.looking.look(to, reads=_reads(file)) if to is not None else None
            round_.see(file.version.object, look, now, place if file.is_present else "")
        return set(lost)

    def _find_places(self, files: Mapping[str, FileObject]) -> dict[str, str]:
        """Old path -> present path, of files found elsewhere."""
        sought = {
            path: (file.signature, file.version.content_hash)
            for path, file in files.items()
            if file.signature is not None
        }
        return self.looking.find(sought)

    # commands

    def _observe(self, round_: Round, fresh: Fresh, log: str, now: datetime) -> None:
        """Take in an ended command: its files become known, and its result becomes an object."""
        call, objects = fresh.call, round_.objects
        seen = observe(call.command, call.text, str(self._folder))
        names, uncounted = self._discover(round_, seen, call, now)
        alias = self._alias(round_, seen.whole, call)
        before = objects.numbers.get(call.event)
        no = before or objects.last_output + 1
        entry = OutputSeen(
            event=call.event,
            turn=fresh.turn,
            no=no,
            chars=len(call.text),
            ending=_ending(call),
            manages=seen.manages,
            alias=alias,
            found=names,
            uncounted=uncounted,
            command=shown_command(call.command),
        )
        if before:  # Its turn was left out for a while.
            round_.take(entry)
            return
        row = OutputRow(
            object=numbered_id("t", no),
            event=call.event,
            log=log,
            turn_id=fresh.turn,
            call_id=call.call_id,
            at=call.ended_at,
            size=len(call.text),
            outcome=call.outcome,
            exit_code=call.exit_code,
            alias=alias,
            alias_no=objects.files[alias].version.no if alias else 0,
        )
        round_.hear(entry, row)

    def _discover(self, round_: Round, seen: Observed, call: CallShown, now: datetime) -> tuple[tuple[str, ...], int]:
        """Enter files named by a command; their objects, and the number of files left out."""
        objects, names, uncounted = round_.objects, list[str](), 0
        reads = frozenset((*seen.reads, seen.whole, *self.looking.matching(seen.read_patterns, NEW_FILES)))
        since_ns = int(call.asked_at.timestamp() * 1e9)
        for path in dict.fromkeys((*seen.names, *self.looking.matching(seen.patterns, NEW_FILES), *seen.listed)):
            file = objects.file_at(path)
            if file is not None and file.is_present and file.version.status != "unread":
                continue
            look = self._glance(path)
            if look is None:
                continue
            is_read = path in reads or look.signature.mtime_ns >= since_ns
            if file is not None and file.is_present and not is_read:
                continue
            if len(names) >= NEW_FILES or (file is None and len(objects.files) >= self.max_files):
                uncounted += 1
                continue
            if is_read:
                look = self.looking.look(path, reads=True) or look
            name = file.version.object if file is not None else numbered_id("f", objects.last_file + 1)
            was_present = file is not None and file.is_present
            round_.see(name, look, now, call.event if was_present else "")
            if not was_present:
                names.append(name)
        return tuple(names), uncounted

    def _glance(self, path: str) -> FileLook | None:
        """Look of a name, None unless a file; None for all names after `MOST_LOOKS` looks."""
        if path in self._none or self._looks >= MOST_LOOKS:
            return None
        self._looks += 1
        look = self.looking.look(path, reads=False)
        if look is None:
            self._none.add(path)
        return look

    def _alias(self, round_: Round, path: str, call: CallShown) -> str:
        """Name of the file whose text equals a result; empty without a match."""
        file = round_.objects.file_at(path) if path else None
        if file is None or file.version.status != "text":
            return ""
        look = self.looking.look(path, reads=True)
        if look is None or look.text is None or look.content_hash != file.version.content_hash:
            return ""
        return file.version.object if is_presented(look.text, call.text) else ""


def _is_there(file: FileObject) -> bool:
    return file.version.status != "missing"


def _reads(file: FileObject) -> bool:
    """True if a file's text is read: always, except for inactive files known by name only."""
    return file.version.status != "unread" or file.is_active


def _ending(call: CallShown) -> str:
    """Ending of a call, in a word or two."""
    if call.outcome in ("", "exited"):
        return "ended" if call.exit_code is None else f"exit {call.exit_code}"
    return call.outcome
