"""Stand-in for the object store: it keeps everything in memory, and can be told to refuse or to be silent."""

from __future__ import annotations

from dataclasses import dataclass, field

from actors.kernel import Actor
from messages.base import Message, Window
from messages.objects import (
    FetchText,
    FileVersion,
    ListOutputs,
    ListVersions,
    LoadObjects,
    NewVersion,
    ObjectsLoaded,
    OutputRow,
    OutputsListed,
    RoundStored,
    Showing,
    StoreRound,
    TextFetched,
    VersionsListed,
)
from messages.socket import Refused


@dataclass
class Kept:
    """Stored state of one window."""

    rounds: list[bytes] = field(default_factory=list)
    snapshot: bytes = b""
    before: int = 0
    """Rounds that the snapshot stands for."""
    versions: list[NewVersion] = field(default_factory=list)
    outputs: list[OutputRow] = field(default_factory=list)
    showings: list[Showing] = field(default_factory=list)

    @property
    def last(self) -> int:
        """Number of the newest round."""
        return self.before + len(self.rounds)


@dataclass
class Shelf:
    """State that outlives the stand-in, and its behaviour."""

    windows: dict[Window, Kept] = field(default_factory=dict)
    trouble: str = ""
    """Why everything is refused; empty for all is well."""
    is_silent: bool = False

    def of(self, window: Window) -> Kept:
        """Stored state of a window."""
        return self.windows.setdefault(window, Kept())


class StandInStore(Actor):
    """Owner of a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        super().__init__()
        self._shelf = shelf

    def handle(self, message: Message) -> None:
        """Answer, refuse, or say nothing."""
        if self._shelf.is_silent:
            return
        reply_to = message.reply_to  # type: ignore[attr-defined]
        if self._shelf.trouble:
            request_id = message.request_id  # type: ignore[attr-defined]
            self.tell(reply_to, Refused(request_id=request_id, reason=self._shelf.trouble))
            return
        self.tell(reply_to, self._answer(message))

    def _answer(self, message: Message) -> Message:
        match message:
            case LoadObjects():
                kept = self._shelf.of(message.window)
                return ObjectsLoaded(
                    request_id=message.request_id,
                    last_round=kept.last,
                    snapshot=kept.snapshot,
                    rounds=tuple(kept.rounds),
                    last_file=max((int(each.version.object[1:]) for each in kept.versions), default=0),
                    last_output=max((int(each.object[1:]) for each in kept.outputs), default=0),
                )
            case StoreRound():
                return self._store(message)
            case FetchText():
                return self._fetch(message)
            case ListVersions():
                versions = [each.version for each in self._shelf.of(message.window).versions]
                found = tuple(each for each in versions if each.object == message.object and each.no > message.after)
                kept_numbers = tuple(each.no for each in found if each.status == "text")
                return VersionsListed(request_id=message.request_id, versions=found, kept=kept_numbers, shown=())
            case ListOutputs():
                outputs = self._shelf.of(message.window).outputs
                wanted = tuple(each for each in outputs if message.only in (0, int(each.object[1:])))
                return OutputsListed(request_id=message.request_id, outputs=wanted)
            case _:
                raise NotImplementedError(message)

    def _store(self, message: StoreRound) -> Message:
        kept = self._shelf.of(message.window)
        if message.round != kept.last + 1:
            reason = f"round {message.round}: {kept.last + 1} is the next one"
            return Refused(request_id=message.request_id, reason=reason)
        kept.rounds.append(message.entries)
        if message.snapshot:
            kept.snapshot, kept.before, kept.rounds = message.snapshot, kept.last, []
        kept.versions += message.versions
        kept.outputs += message.outputs
        kept.showings += message.showings
        return RoundStored(request_id=message.request_id, round=message.round)

    def _fetch(self, message: FetchText) -> Message:
        found: FileVersion | None = None
        text: str | None = None
        for each in self._shelf.of(message.window).versions:
            version = each.version
            if message.object not in ("", version.object):
                continue
            if message.no and version.no != message.no:
                continue
            if message.content_hash and not version.content_hash.startswith(message.content_hash):
                continue
            if message.at is not None and version.valid_from > message.at:
                continue
            found, text = version, each.text
        if found is None:
            return Refused(request_id=message.request_id, reason=f"{message.object}: there is no such version")
        return TextFetched(request_id=message.request_id, version=found, text=text)
