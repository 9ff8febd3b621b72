"""Removal of forgotten turns from a window's files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from actors.edited_file.displaced import forget_displaced
from actors.kernel import Host
from actors.linux.disk import RealDisk
from actors.linux.safe_open import read_beneath
from actors.workspace.bookkeeping import Bookkeeping
from actors.workspace.channel import ARCHIVE, HISTORY, MEMORY, READ_BYTES, SESSION, TEMPLATES
from actors.workspace.config import WorkspaceConfig
from actors.workspace.files import SPARE, ChannelFiles
from actors.workspace.upkeep.gate import CompactionGate
from actors.workspace.upkeep.state import WorkspaceState
from actors.workspace.upkeep.updates import PENDING
from domain.workspace.files.history_file import without_blocks
from domain.workspace.files.memory_file import entries_of, without_entries
from messages.forget import ForgetDerived, answer_derived
from messages.socket import Refused

Removal = Callable[[bytes, Callable[[str], bool]], tuple[bytes, int]]
REASON = "words that may have been in its input were forgotten"
OWN_LINES = "lines that people and commands wrote into this window's files name no message and stay"


class Forgetting:
    """Removal of entries and blocks from forgotten turns, of SESSION.md, and of every earlier version."""

    def __init__(
        self,
        host: Host,
        config: WorkspaceConfig,
        *,
        files: ChannelFiles,
        state: WorkspaceState,
        gate: CompactionGate,
        folder: Path,
    ) -> None:
        self._host = host
        self._disk = config.disk or RealDisk()
        self._files = files
        self._state = state
        self._gate = gate
        self._folder = folder

    def begin(self, request: ForgetDerived) -> None:
        """Carry out a request; answer once the files are free of the turns, or refuse with the reason."""
        turns = frozenset(str(name) for event in request.events for name in (event.event_id, event.turn_id) if name)
        books = self._state.books
        pending = books.document(PENDING).get("told", [])
        if request.whole_window or (isinstance(pending, list) and not turns.isdisjoint(map(str, pending))):
            books.put_document(PENDING, {}, is_durable=True)
        self._gate.forget(turns)
        books.prune("refused-", 0)
        is_gone = (lambda _mark: True) if request.whole_window else self._state.marks_to_forget(turns)
        # A fold under way may be about to make the archive.
        archives = sorted({ARCHIVE, *(path.name for path in self._folder.glob(f"{Path(ARCHIVE).stem}*.md"))})
        removals: list[tuple[str, Removal]] = [(SESSION, _emptying(SESSION))]
        if request.whole_window:
            removals += [(name, _emptying(name)) for name in (MEMORY, HISTORY, *archives)]
        elif is_gone is not None:
            removals += [(MEMORY, without_entries), (HISTORY, without_blocks)]
            removals += [(name, without_blocks) for name in archives]
        self._remove(request, removals, is_gone or (lambda _mark: False), turns)

    def _remove(
        self,
        request: ForgetDerived,
        removals: list[tuple[str, Removal]],
        is_gone: Callable[[str], bool],
        turns: frozenset[str],
    ) -> None:
        counts: dict[str, int] = {}
        failures: list[str] = []
        left = len(removals)

        def edit(name: str, remove: Removal) -> Callable[[bytes], bytes]:
            def change(data: bytes) -> bytes:
                changed, counts[name] = remove(data, is_gone)
                return changed

            return change

        def end(reason: str) -> None:
            nonlocal left
            left -= 1
            failures.extend(filter(None, (reason,)))
            if not left:
                self._finish(request, turns, sum(counts.values()), failures)

        for name, remove in removals:
            self._files.change(name, edit(name, remove), end)

    def _finish(self, request: ForgetDerived, turns: frozenset[str], count: int, failures: list[str]) -> None:
        books = self._state.books
        if not failures:
            try:
                self._state.forget(turns)
                self._gate.forget(turns)  # once more: a cut that was in hand has read the files as they were
                Bookkeeping(books.folder / "before", self._disk).prune("", 0)
                forget_displaced(self._disk, books.folder / SPARE)
            except OSError as error:
                failures.append(str(error))
        if failures:
            self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=failures[0]))
            return
        self._host.tell(
            request.reply_to,
            answer_derived(request, self._host.address.kind, count, self._note()),
        )

    def _note(self) -> str:
        """Remark on lines not written by the runtime; empty without any."""
        try:
            memory = read_beneath(self._folder, MEMORY, READ_BYTES)
        except (ValueError, OSError):  # too large, or gone: then nothing is known of its lines
            return OWN_LINES
        return OWN_LINES if any(not entry.mark for entry in entries_of(memory)) else ""


def _emptying(name: str) -> Removal:
    """Removal of a file's whole content, such as SESSION.md, since any line may tell of any turn so far."""

    def empty(data: bytes, _is_gone: Callable[[str], bool]) -> tuple[bytes, int]:
        fresh = TEMPLATES.get(name, b"")
        return fresh, int(bool(data) and data != fresh)

    return empty
