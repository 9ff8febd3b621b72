"""FactsActor: sole owner of the facts' files, of the work owed for turns, and of its results."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from actors.facts.asking import Ask, Asking, Steps
from actors.facts.config import FactsConfig
from actors.facts.forgetting import Forgetting
from actors.facts.pipeline import Pipeline
from actors.facts.removal import Removal
from actors.facts.requests import Requests, missing_name
from actors.facts.store.catalogue import Catalogue
from actors.facts.store.files import EntryFiles
from actors.facts.store.git import Git
from actors.facts.store.git_purge import note_purge
from actors.facts.store.indexing import Indexing
from actors.facts.store.journal import Journal
from actors.facts.store.keeper import Keeper
from actors.facts.store.memory_folder import MemoryFolder
from actors.facts.store.snapshot import read_snapshot, write_snapshot
from actors.facts.store.sync import Sync
from actors.facts.store.watcher import Watcher
from actors.facts.turn_work import TurnWork
from actors.facts.turns import Turns
from actors.kernel import Actor, Timer, earliest, not_understood
from actors.linux.disk import Disk, RealDisk
from messages.base import Message, flaw_of
from messages.embedder import EmbeddingFailed, TextsEmbedded
from messages.facts import (
    AddEntry,
    Committed,
    FactsCommand,
    FactsDue,
    FactsMessage,
    FactsTimer,
    FilesChanged,
    ForgetEntry,
    IndexBegun,
    IndexRow,
    ListEntries,
    LoadRows,
    RowsChanged,
    RowsFound,
    RowsLoaded,
    SpaceSeen,
    StoreTurn,
    TurnStored,
)
from messages.forget import ForgetDerived
from messages.model import ModelAnswer, ModelDelta, ModelFailed, ModelReply
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import EventsLogged, TurnEnded

log = logging.getLogger(__name__)

CROSS_OUT_S = 1.0
"""Seconds from a change until the change is safe from a power loss; words of turns are safe at once, and until then the
journal has the data to repair a loss."""
COMPARE_S = 1.0
"""From the last sign of a change to the comparison of all files."""
OPEN_AGAIN_S = 5.0

FactsAnswer = TextsEmbedded | EmbeddingFailed | RowsLoaded | RowsFound | RowsChanged | ModelAnswer | Refused
"""Replies and events that the actor handles."""


class FactsActor(Actor):
    """Memory of conversations, in files: keeps turns, has facts extracted and reconciled, summarises, evicts, commits.

    Owns: everything in `facts.memory_path`.
    Asks: the embedder, the index, and the model, all possibly slow or failing: owed work stays in the journal.
    Crashes on: its own faults; the next life goes on with the journal's work. A full or missing disk is no crash: new
    data is refused meanwhile with the reason, and owed work is tried again.
    """

    def __init__(self, config: FactsConfig, disk: Disk | None = None) -> None:
        """Begin without open files.

        Args:
            config: The operator's decisions, and the actors to ask.
            disk: Disk to write to; None for the real disk.
        """
        super().__init__()
        self._config = config
        self._disk = disk or RealDisk()
        self._asking = Asking(self)
        self._folder = MemoryFolder(config.root, self._disk)
        self._files = EntryFiles(config.root, self._disk)
        self._catalogue = Catalogue()
        self._indexing = Indexing(self._asking, config, self._catalogue)
        self._keeper = Keeper(self._files, self._catalogue, self._indexing)
        self._journal = Journal(config.root, self._disk)
        self._sync = Sync(self._keeper, self._indexing)
        self._work = TurnWork(self, config, self._keeper, self._journal)
        self._pipeline = Pipeline(self, config, self._asking, self._work, changed=self._note_change, wake=self._wake)
        self._turns = Turns(self, self._keeper, self._journal, self._pipeline.take)
        removal = Removal(self._keeper, lambda paths: note_purge(config, paths, self._disk))
        self._requests = Requests(self, self._keeper, self._journal, self._work.evict, removal)
        self._forgetting = Forgetting(self._asking, config, self._requests, self._journal, self._seal)
        commits, watches = config.enable_git_versioning, config.start_watcher
        self._git = Git(self, config.root, self._tell_commit, config.commit_again_s) if commits else None
        self._watcher = Watcher(self, config.root, self._files_changed) if watches else None
        self._timers: dict[FactsTimer, Timer] = {}
        self._is_open = self._is_loaded = False
        self._trouble = ""
        self._git_trouble = self._index_trouble = ""

    def on_start(self) -> None:
        """Open the files, and go on with the work owed by an earlier life."""
        self._indexing.look = self._look
        self._indexing.read = self._row
        self._indexing.wake = self._wake
        self._open()

    def on_stop(self) -> None:
        """Write the snapshot, and let go of everything."""
        with self.blocking():
            for part in (self._watcher, self._git):
                if part is not None and self._is_open:
                    part.stop()
            if self._is_open:
                self._cross_out()
                self._write_snapshot()
            self._folder.close()

    def handle(self, message: FactsMessage | FactsAnswer | TurnEnded | EventsLogged | ForgetDerived) -> None:
        """Take a request, an answer to our request, or a timer."""
        match message:
            case StoreTurn() | AddEntry() | ListEntries() | ForgetEntry():
                self._serve(message)
            case TurnEnded():
                self._turns.note_discord(message)
                self._attempt(self._turns.take_discord)
            case TextsEmbedded() | EmbeddingFailed() | RowsLoaded() | RowsFound() | RowsChanged():
                pass  # An answer behind its deadline.
            case EventsLogged() | ModelDelta() | ModelReply() | ModelFailed() | Refused():
                pass
            case IndexBegun():
                self._asking.begin(self._reload())
            case SpaceSeen(model=model):
                self._indexing.see_space(model)
            case FilesChanged(paths=paths):
                self._hear(paths)
            case Committed(trouble=trouble):
                self._git_trouble = trouble
                self._forgetting.note_commit(trouble)
            case ForgetDerived() if self._is_open or self._open():
                self._turns.forget(message)
                with self.blocking():
                    self._forgetting.begin(message)
            case ForgetDerived():
                self._refuse(message, self._trouble)
            case FactsDue(what=what):
                self._due(what)
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case _:
                not_understood(message)

    # requests

    def _serve(self, message: FactsCommand) -> None:
        if flaw := flaw_of(message) or missing_name(message):
            self._refuse(message, flaw)
        elif not self._is_open and not self._open():
            self._refuse(message, self._trouble)
        else:
            with self._indexing.hold():  # what comes of it is begun behind the answer, for which a client waits
                self._try(message)

    def _try(self, message: FactsCommand) -> None:
        try:
            with self.blocking():
                answer = self._answer(message)
        except (OSError, UnicodeError) as error:
            self._trouble = f"{type(message).__name__}: nothing could be kept: {error}"
            log.warning("%s", self._trouble)
            self._refuse(message, self._trouble)
        else:
            self._trouble = ""
            self.tell(message.reply_to, answer)
            self._attempt(self._turns.write)

    def _answer(self, message: FactsCommand) -> Message:
        match message:
            case StoreTurn():
                self._turns.take(message)
                return TurnStored(request_id=message.request_id)
            case AddEntry():
                added = self._requests.add(message)
                self._files.sync()
                self._note_change()
                return added
            case ListEntries():
                return self._requests.list(message)
            case ForgetEntry():
                return self._forget(message)

    def _forget(self, message: ForgetEntry) -> Message:
        forgotten, note = self._requests.forget(message)
        if isinstance(forgotten, Refused):
            return forgotten
        self._files.sync()
        if message.for_good:
            self._write_snapshot()
        self._note_change()
        return msgspec.structs.replace(forgotten, note=note)

    def _seal(self) -> None:
        """Make sure that no file of the runtime holds words of removed entries."""
        self._journal.shorten()
        self._write_snapshot()
        self._note_change()

    def _refuse(self, message: FactsCommand | ForgetDerived, reason: str) -> None:
        self.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))

    def _attempt(self, do: Callable[[], None]) -> None:
        """Do work without a waiting request; the work is repeated after a failure or a crash."""
        if not self._is_open and not self._open():
            return
        try:
            with self.blocking():
                do()
            self._trouble = ""
        except (OSError, UnicodeError) as error:
            self._trouble = str(error)
            log.warning("a turn could not be kept, which is tried again: %s", error)
            self._set(FactsTimer.RETRY, OPEN_AGAIN_S)

    # opening

    def _open(self) -> bool:
        try:
            with self.blocking():
                self._folder.open()
                self._journal.open()
                self._turns.write_again()
        except (OSError, UnicodeError) as error:
            self._trouble = f"facts.memory_path {str(self._config.root)!r} cannot be used: {error}"
            log.warning("%s", self._trouble)
            self._set(FactsTimer.RETRY, OPEN_AGAIN_S)
            return False
        self._is_open, self._trouble = True, ""
        for part in (self._git, self._watcher):
            if part is not None:
                part.start()
        self._asking.begin(self._load())
        return True

    def _load(self) -> Steps:
        """Load the index's rows, look at changes, then go on with owed work."""
        (answer,) = yield (self._loading(),)
        if not isinstance(answer, RowsLoaded):
            reason = getattr(answer, "reason", "no answer")
            self._index_trouble = f"the index could not be asked for its entries: {reason}"
            log.warning("%s, which is tried again", self._index_trouble)
            self._set(FactsTimer.RETRY, OPEN_AGAIN_S)
            return
        rows, self._index_trouble = answer.rows, ""
        with self.blocking():
            self._sync.load(rows)
        self._sync.embed_missing(rows, self._config.is_current_space)
        with self.blocking():
            self._compare()
            self._forgetting.begin_early()
        self._is_loaded = True
        self._pipeline.go_on()

    def _reload(self) -> Steps:
        """Load entries missing from a new index into it again."""
        (answer,) = yield (self._loading(),)
        if isinstance(answer, RowsLoaded):
            self._sync.put_missing(answer.rows)

    def _loading(self) -> Ask:
        return Ask(self._config.index, LoadRows)

    def _compare(self) -> None:
        try:
            self._sync.compare(read_snapshot(self._config.root))
        except OSError as error:
            self._trouble = str(error)
            log.warning("the files of the facts cannot be listed, which is tried again: %s", error)
            self._set(FactsTimer.COMPARE, OPEN_AGAIN_S)

    def _hear(self, paths: tuple[str, ...]) -> None:
        with self.blocking():
            compares = self._sync.hear(paths)
        if compares:
            self._set(FactsTimer.COMPARE, COMPARE_S)
        self._note_change()

    # for the parts

    def _look(self, path: str) -> None:
        try:
            with self.blocking():
                self._keeper.take(path, self._files.stamp(path))
        except OSError as error:
            log.warning("%s cannot be looked at, which is tried again: %s", path, error)
            self._set(FactsTimer.COMPARE, OPEN_AGAIN_S)

    def _row(self, entry_id: str) -> IndexRow | None:
        item = self._catalogue.get(entry_id)
        try:
            with self.blocking():
                entry = self._keeper.read(item) if item is not None else None
        except OSError as error:
            log.warning("an entry cannot be read: %s", error)
            return None
        return self._keeper.row(item, entry) if item is not None and entry is not None else None

    def _note_change(self) -> None:
        """Note a change in the files."""
        self._set(FactsTimer.CROSS_OUT, CROSS_OUT_S)
        self._set(FactsTimer.SNAPSHOT, self._config.snapshot_s)
        if self._git is not None and self._is_open:
            self._git.commit()

    def _wake(self, delay_s: float) -> None:
        self._set(FactsTimer.RETRY, delay_s)

    def _set(self, what: FactsTimer, delay_s: float) -> None:
        """Set a timer, unless a timer of its kind comes as early."""
        self._timers[what] = earliest(self, self._timers.get(what), delay_s, FactsDue(what=what))

    def _due(self, what: FactsTimer) -> None:
        self._timers.pop(what, None)
        match what:
            case FactsTimer.NEXT:
                self._pipeline.go_on()
            case FactsTimer.SNAPSHOT:
                with self.blocking():
                    self._write_snapshot()
            case FactsTimer.CROSS_OUT:
                with self.blocking():
                    self._cross_out()
            case FactsTimer.COMPARE:
                with self.blocking():
                    self._compare()
            case FactsTimer.RETRY:
                if self._is_open or self._open():
                    if self._index_trouble:
                        self._asking.begin(self._load())
                    self._indexing.retry()
                    self._attempt(self._turns.take_discord)
                    self._pipeline.go_on()

    def _cross_out(self) -> None:
        try:
            self._files.sync()
            self._journal.commit()
        except OSError as error:
            log.warning("finished work cannot be committed, which is tried again: %s", error)
            self._set(FactsTimer.CROSS_OUT, OPEN_AGAIN_S)

    def _write_snapshot(self) -> None:
        try:
            write_snapshot(self._config.root, self._keeper.seen, int(self.now().timestamp() * 1e9), self._disk)
        except OSError as error:
            log.warning("memory_index.json cannot be written: %s", error)

    def _tell_commit(self, trouble: str) -> None:
        self.tell(self.address, Committed(trouble=trouble))

    def _files_changed(self, paths: tuple[str, ...]) -> None:
        self.tell(self.address, FilesChanged(paths=paths))

    def _description(self, message: DescribeYourself) -> SelfDescription:
        parts = self._indexing.trouble, self._pipeline.trouble
        troubles = self._trouble, *parts, self._git_trouble, self._index_trouble
        trouble = "; ".join(each for each in troubles if each)
        return SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(
                ("state", "in trouble" if trouble else "ready"),
                ("is_open", "yes" if self._is_open else "no"),
                ("is_loaded", "yes" if self._is_loaded else "no"),
                ("entries", len(self._catalogue)),
                ("owed_turns", self._pipeline.waiting),
                ("to_be_indexed", self._indexing.waiting),
            ),
            operator_figures=(
                ("conversations", len(self._catalogue.conversations())),
                ("failures", self._pipeline.failures),
                ("given_up", self._pipeline.given_up),
                ("trouble", trouble or "none"),
            ),
        )
