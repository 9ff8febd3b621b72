"""State of a window's objects: a fold of entries into files, outputs and the places of shown texts."""

from __future__ import annotations

import msgspec

from domain.objects import lines
from domain.objects.entries import (
    AnyEntry,
    FileLookedAt,
    OutputSeen,
    RoundEnded,
    SessionBegan,
    Switched,
    TurnBegan,
    TurnsLeft,
    VersionSeen,
)
from domain.objects.looked import Signature
from messages.base import EventId, TurnId, make_ready
from messages.objects import FileVersion

CHARS_PER_TOKEN = 4
SHOWN_CHARS = 50_000
"""Most characters of one text; of a longer text the beginning is shown, with a notice."""
SAID_CHARS = 40_000
"""Most characters of lines about files in all that requests show; further changes are only counted."""
NUMBERS = 1_000
"""Number of no longer shown outputs whose numbers are remembered."""
NEWS = 20
"""Largest number of changes of files listed one by one in one request."""
MANAGED_CHARS = 2_000
"""Largest result of a command that only managed objects to stay."""


class FileObject(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Known file, as of the last look."""

    version: FileVersion
    chars: int = 0
    signature: Signature | None = None
    looked_ns: int = 0
    touched: int = 0
    """Last step of the state at which the object was read or asked for; 0 for never."""
    is_present: bool = False
    """True if this session knows of the file."""
    is_active: bool = False
    is_pinned: bool = False


class Output(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Output of a command."""

    no: int
    object: str
    """Name of the object, `t<no>`."""
    event: EventId
    turn: TurnId
    chars: int
    manages: bool = False
    alias: str = ""
    command: str = ""
    """Beginning of the command with this output."""
    touched: int = 0
    is_asked_for: bool = False
    """True if the model has activated the output, so neither turns nor the number of outputs removes the text."""
    is_put_away: bool = False
    """True if the model has deactivated the output."""
    is_pinned: bool = False


class Slot(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Text shown by requests, at one place of the conversation."""

    place: str
    """Event of a result, or the turn with the text at the head."""
    turn: TurnId
    """The turn of the place."""
    object: str
    no: int
    """Version of a file; 1 for an output."""
    chars: int
    born: int
    """Round of the text's arrival."""
    is_own: bool = False
    """True if the text is the result's own."""

    @property
    def tokens(self) -> int:
        """By the 4-characters rule."""
        return min(self.chars, SHOWN_CHARS) // CHARS_PER_TOKEN


class WindowObjects(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Knowledge of one window; `apply` takes the next entry, `domain.objects.ageing` decides the shown texts."""

    log: str = ""
    last_file: int = 0
    last_output: int = 0
    step: int = 0
    round: int = 0
    files: dict[str, FileObject] = msgspec.field(default_factory=dict)
    places: dict[str, str] = msgspec.field(default_factory=dict)
    """Path -> the present file object, or the last."""
    outputs: dict[EventId, Output] = msgspec.field(default_factory=dict)
    """Outputs in requests, the oldest first."""
    turns: list[TurnId] = msgspec.field(default_factory=list)
    """Turns in requests, the oldest first."""
    slots: list[Slot] = msgspec.field(default_factory=list)
    """Every shown text, in the order of the requests."""
    said: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Place -> lines shown there for good."""
    said_chars: int = 0
    """Characters of the lines about files in `said`."""
    news: int = 0
    """Reported changes of this round."""
    unsaid: int = 0
    """Changes of this round that are only counted."""
    withdrawals: int = 0
    """Number of withdrawals of words at the last departure of turns."""
    numbers: dict[EventId, int] = msgspec.field(default_factory=dict)
    """Numbers of outputs no longer shown by requests, in case of a return; the newest outputs."""
    wanting: list[str] = msgspec.field(default_factory=list)
    """Active objects without a shown text yet."""
    is_cut: bool = False
    """True if turns have left since the last round: no cache has the text behind the turns."""

    def file_at(self, path: str) -> FileObject | None:
        """Present file object at `path`, else the last."""
        name = self.places.get(path)
        return None if name is None else self.files[name]

    def output_called(self, name: str) -> Output | None:
        """Output with the name, if requests still show the output."""
        return next((output for output in self.outputs.values() if output.object == name), None)

    def is_shown(self, name: str) -> bool:
        """True if requests show the object's text."""
        return any(slot.object == name and slot.born != CLOSED for slot in self.slots)

    # folding

    def apply(self, entry: AnyEntry) -> None:
        """Take in the next entry, except for a round's decisions."""
        self.step += 1
        match entry:
            case SessionBegan():
                self._begin_session(entry.log)
            case TurnsLeft():
                self._leave(frozenset(entry.turns), is_taken_back=entry.withdrawals != self.withdrawals)
                self.withdrawals = entry.withdrawals
            case TurnBegan():
                at = self.turns.index(entry.before) if entry.before in self.turns else len(self.turns)
                self.turns.insert(at, entry.turn)
            case VersionSeen():
                self._see_version(entry)
            case FileLookedAt():
                file = self.files[entry.object]
                file.signature, file.looked_ns = entry.signature, entry.looked_ns
            case OutputSeen():
                self._see_output(entry)
            case Switched():
                self._switch(entry)
            case RoundEnded():
                self._place_wanting(entry.place)
                if self.unsaid:
                    self._say(entry.place, lines.unlisted_changes(self.unsaid))
                self.round += 1
                self.news = self.unsaid = 0

    def _begin_session(self, log: str) -> None:
        """Begin with no object present; requests of scripts before a first request belong to the new session."""
        is_first = not self.log and not self.turns
        self.log = log
        if is_first:
            return
        self.outputs.clear()
        self.said.clear()
        self.said_chars = self.withdrawals = 0
        self.numbers.clear()
        self.turns.clear()
        self.slots.clear()
        self.wanting.clear()
        for file in self.files.values():
            file.is_present = file.is_active = file.is_pinned = False
            file.touched = 0

    def _leave(self, gone: frozenset[TurnId], *, is_taken_back: bool) -> None:
        """Forget turns; active objects of the turns look for another place, except after a withdrawal."""
        left = [slot for slot in self.slots if slot.turn in gone]
        self.slots = [slot for slot in self.slots if slot.turn not in gone]
        staying = {output.object for output in self.outputs.values() if stays(output)}
        for event in [event for event, output in self.outputs.items() if output.turn in gone]:
            self._unsay(self.said.pop(event, [])[1:])
            if self.outputs[event].object not in staying:
                self.numbers[event] = self.outputs.pop(event).no
        while len(self.numbers) > NUMBERS:
            del self.numbers[next(iter(self.numbers))]
        for turn in gone:
            self._unsay(self.said.pop(turn, []))
        self.turns = [turn for turn in self.turns if turn not in gone]
        for slot in left:
            if is_taken_back and not self._is_pinned(slot.object):
                self._put_away(slot.object)
            elif slot.object in staying or (slot.object in self.files and self.files[slot.object].is_active):
                self._want(slot.object)
        self.is_cut = True

    def _is_pinned(self, name: str) -> bool:
        file = self.files.get(name)
        return file is not None and file.is_pinned

    def _put_away(self, name: str) -> None:
        if file := self.files.get(name):
            file.is_active = False
        if output := self.output_called(name):
            output.is_put_away = True

    def _see_version(self, entry: VersionSeen) -> None:
        version = entry.version
        before = self.files.get(version.object)
        file = before or FileObject(version=version)
        self.files[version.object] = file
        self.last_file = max(self.last_file, int(version.object[1:]))
        was = file.version
        self._place(version, was)
        file.version, file.chars = version, entry.chars
        file.signature, file.looked_ns = entry.signature, entry.looked_ns
        if before is None:
            file.is_present = True
            return
        if version.status == "missing":
            file.is_active = file.is_pinned = False
        if was.content_hash != version.content_hash:
            self._close(version.object)
            if file.is_active:
                self._want(version.object)
        is_news = was.status != "unread" or version.path != was.path or version.status == "missing"
        if file.is_present and entry.place and is_news:
            self._tell(entry.place, lines.describe_change(version, was, entry.chars))

    def _place(self, version: FileVersion, was: FileVersion) -> None:
        """Remember the place of a file; a missing file gives way to the present file."""
        if version.status != "missing":
            if was.path != version.path and self.places.get(was.path) == version.object:
                del self.places[was.path]
            self.places[version.path] = version.object

    def _see_output(self, entry: OutputSeen) -> None:
        self.last_output = max(self.last_output, entry.no)
        output = Output(
            no=entry.no,
            object=f"t{entry.no}",
            event=entry.event,
            turn=entry.turn,
            chars=entry.chars,
            manages=entry.manages and entry.chars <= MANAGED_CHARS,
            alias=entry.alias,
            command=entry.command,
            touched=self.step,
        )
        self.outputs[entry.event] = output
        self.numbers.pop(entry.event, None)
        files = [self.files[name] for name in entry.found]
        for file in files:
            file.is_present = True
        new = [(file.version, file.chars) for file in files if file.version.object != entry.alias]
        about_files = [*lines.list_found(new), *lines.count_unindexed(entry.uncounted)]
        if self.said_chars + sum(map(len, about_files)) > SAID_CHARS:
            self.unsaid += len(new)
            about_files = []
        self.said_chars += sum(map(len, about_files))
        reference = lines.output(entry, self._alias_of(entry.alias))
        self.said[entry.event] = [reference, *about_files, *self.said.get(entry.event, ())]
        name, no = output.object, 1
        if entry.alias:
            file = self.files[entry.alias]
            file.is_present = file.is_active = True
            file.touched = self.step
            name, no = entry.alias, file.version.no
            if name in self.wanting:
                self.wanting.remove(name)
            if self.is_shown(name):
                return
        self._show(entry.event, entry.turn, name, no, entry.chars, is_own=True)

    def _alias_of(self, name: str) -> lines.Aliased | None:
        """File of an output, and True if the text stands there already."""
        if not name:
            return None
        return lines.Aliased(self.files[name].version, is_shown=self.is_shown(name))

    def _switch(self, entry: Switched) -> None:
        file, output = self.files.get(entry.object), self.output_called(entry.object)
        on = entry.to in ("active", "pinned")
        if file is not None:
            file.is_pinned = entry.to == "pinned" or (file.is_pinned and entry.to == "active")
            file.is_active = file.is_active if entry.to == "unpinned" else on
            file.is_present = True
            file.touched = self.step if on else file.touched
        elif output is not None:
            output.is_pinned = entry.to == "pinned" or (output.is_pinned and entry.to == "active")
            if entry.to != "unpinned":
                output.is_asked_for, output.is_put_away = on, not on
            output.touched = self.step if on else output.touched
        if entry.to == "inactive":
            self._close(entry.object)
            if entry.object in self.wanting:
                self.wanting.remove(entry.object)
        elif on and not self.is_shown(entry.object):
            self._want(entry.object)

    # places

    def _place_wanting(self, place: str) -> None:
        """Show active objects without a place at the newest result or turn."""
        turn = self.outputs[EventId(place)].turn if place in self.outputs else TurnId(place)
        for name in self.wanting:
            if file := self.files.get(name):
                self._show(place, turn, name, file.version.no, file.chars)
            elif output := self.output_called(name):
                self._show(place, turn, name, 1, output.chars)
        self.wanting.clear()

    def _show(self, place: str, turn: TurnId, name: str, no: int, chars: int, *, is_own: bool = False) -> None:
        slot = Slot(place=place, turn=turn, object=name, no=no, chars=chars, born=self.round, is_own=is_own)
        later = frozenset(self.turns[self.turns.index(turn) + 1 :]) if turn in self.turns else frozenset()
        at = next((at for at, each in enumerate(self.slots) if each.turn in later), len(self.slots))
        self.slots.insert(at, slot)

    def _close(self, name: str) -> None:
        """Stop showing an object's text; the round finds the texts to send again."""
        for slot in self.slots:
            if slot.object == name:
                slot.born = CLOSED

    def _want(self, name: str) -> None:
        if name not in self.wanting:
            self.wanting.append(name)

    def _tell(self, place: str, line: str) -> None:
        """Report a change of a file, up to the bound."""
        if self.news >= NEWS or self.said_chars + len(line) > SAID_CHARS:
            self.unsaid += 1
        else:
            self.news += 1
            self._say(place, line)

    def _say(self, place: str, line: str) -> None:
        self.said.setdefault(place, []).append(line)
        self.said_chars += len(line)

    def _unsay(self, lines: list[str]) -> None:
        """Lines about files are gone with their place."""
        self.said_chars -= sum(map(len, lines))


CLOSED = -1
"""Round of a slot to be removed in the next round in any case."""


def encode(objects: WindowObjects) -> bytes:
    """A state as bytes."""
    return msgspec.msgpack.encode(objects)


def decode(data: bytes) -> WindowObjects:
    """A state from bytes.

    Raises:
        msgspec.DecodeError: the bytes are no state, or of another version.
    """
    return msgspec.msgpack.decode(data, type=WindowObjects)


def stays(output: Output) -> bool:
    """True if an output's text is wanted although the turn has left."""
    return (output.is_pinned or output.is_asked_for) and not output.is_put_away


make_ready(__name__)
