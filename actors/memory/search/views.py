"""Hard-link farm: for each channel the logs of other windows readable by the channel's readers.

`views/<guild>-<channel>/<surface>/<context id>/<name>.md` is another name of a window's log file, or of its copy
without retracted words. All content here is derived; a new life begins without views, since readers are unknown before
Discord has listed them.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import apsw

from actors.linux.folder import open_folder, remove_tree
from actors.linux.private_folder import make_private
from actors.memory.index.seal import key_of_log
from domain.log.window import LOG_ROOT, redacted_path
from domain.policy.audience import NO_VIEW, admits, view_of
from domain.policy.known_readers import KnownReaders
from messages.base import Window
from messages.discord import Readers

log = logging.getLogger(__name__)

FOLDER = "views"
_LOGS_OF = """
SELECT path FROM files JOIN windows ON windows.id = files.window WHERE key IN (SELECT value FROM json_each(?))
"""
MOST_KNOWN = 100_000
"""Links remembered as made, so a turn costs no look at the disk: by 64-bit hashes, 70 bytes each."""


class Views:
    """Folders of hard links, kept in step with the index and the known readers."""

    def __init__(self, root: Path, connection: apsw.Connection, readers: KnownReaders) -> None:
        self._root = root
        self._folder = root / FOLDER
        self._connection = connection
        self._known = readers
        self._views: dict[str, Readers] = {}
        """View -> readers at the time of filling the view."""
        self._linked: set[int] = set()
        """Hashes of view and path, begun anew with each process: the text would need three times the memory."""
        self._is_able = True

    def open(self) -> None:
        """Begin with no view.

        Raises:
            OSError: the folder cannot be emptied or made.
        """
        self.close()
        self._folder.mkdir(mode=0o700)
        (self._folder / NO_VIEW).mkdir(mode=0o700)

    def close(self) -> None:
        """Remove all views, since a view left alone would become stale.

        Raises:
            OSError: the views cannot be removed.
        """
        self._views.clear()
        self._linked.clear()
        remove_views(self._root)

    def open_for(self, window: Window) -> None:
        """Ensure a view for `window`, if its readers are known."""
        readers = self._known.of(window.address.key)
        if readers is not None and view_of(readers) not in self._views:
            self._fill(view_of(readers))

    def add_log(self, path: str) -> None:
        """A log, new or known."""
        source = self._known.of(key_of_log(path))
        for view, target in self._views.items():
            if admits(source, target):
                self._link(view, path)

    def renew_log(self, path: str) -> None:
        """Renew the links of a log with retracted words."""
        for view in self._views:
            self._unlink(view, path)
        self.add_log(path)

    def readers_changed(self, window_keys: Iterable[str]) -> None:
        """Remove logs from views where reading is no longer allowed, then add logs where allowed.

        Raises:
            OSError: a link cannot be removed.
        """
        changed = set(window_keys)
        stale = [view for view, target in self._views.items() if self._known.of_view(view) != target]
        for view in stale:
            self._empty(view)
        for key in changed:
            for view, target in self._views.items():
                if not admits(self._known.of(key), target):
                    self._remove_window(view, key)
        for view in stale:
            if self._known.of_view(view) is not None:
                self._fill(view)
        for key in changed if self._views else ():
            for path in self._paths_of({key}):
                self.add_log(path)

    def sweep(self) -> Iterator[None]:
        """Remove stale links, a window's folder at a time: links of logs that are gone or not to be read."""
        for view in sorted(self._views):
            for surface in _list_names(self._folder / view):
                for context_id in _list_names(self._folder / view / surface):
                    self._sweep_window(view, f"{surface}/{context_id}")
                    yield

    def _fill(self, view: str) -> None:
        """Put all readable logs into a view."""
        target = self._known.of_view(view)
        if target is None:
            return
        self._views[view] = target
        (self._folder / view).mkdir(mode=0o700, exist_ok=True)
        for path in self._paths_of(self._known.admitted_to(target)):
            self._link(view, path)

    def _empty(self, view: str) -> None:
        """Empty a view; its folders stay, as running commands have the folders open."""
        del self._views[view]
        for surface in _list_names(self._folder / view):
            for context_id in _list_names(self._folder / view / surface):
                self._remove_window(view, f"{surface}/{context_id}")

    def _paths_of(self, keys: Collection[str]) -> list[str]:
        """Logs of windows."""
        paths = [str(path) for (path,) in self._connection.execute(_LOGS_OF, (json.dumps(list(keys)),))]
        return [path for path in paths if key_of_log(path) in keys]  # whatever the index says of whose it is

    def _sweep_window(self, view: str, window_key: str) -> None:
        target = self._views.get(view)
        may_stay = target is not None and admits(self._known.of(window_key), target)
        for name in _list_names(self._folder / view / window_key):
            path = f"{LOG_ROOT}/{window_key}/{name}"
            if not may_stay or not _is_same(self._place(view, path), shown_log(self._root, path)):
                self._unlink(view, path)
                if may_stay:
                    self._link(view, path)

    def _link(self, view: str, path: str) -> None:
        if hash((view, path)) in self._linked or not self._is_able or self._lacks_copy(path):
            return
        link = self._place(view, path)
        try:
            make_private(link.parent)
            os.link(shown_log(self._root, path), link, follow_symlinks=False)
        except FileExistsError:
            pass  # Forgotten for want of room; the sweep sees whether it is still the same file.
        except FileNotFoundError:
            return
        except OSError as error:
            self._is_able = False
            log.warning("views/ cannot be kept, so commands see their own window's logs only: %s", error.strerror)
            return
        if len(self._linked) >= MOST_KNOWN:
            self._linked.clear()
        self._linked.add(hash((view, path)))

    def _lacks_copy(self, path: str) -> bool:
        """True if words were taken back from a log, and there is no redacted copy."""
        statement = "SELECT 1 FROM tombstones WHERE path = ? LIMIT 1"
        return bool(list(self._connection.execute(statement, (path,)))) and not (
            (self._root / redacted_path(path)).exists()
        )

    def _remove_window(self, view: str, window_key: str) -> None:
        for name in _list_names(self._folder / view / window_key):
            self._unlink(view, f"{LOG_ROOT}/{window_key}/{name}")

    def _unlink(self, view: str, path: str) -> None:
        self._place(view, path).unlink(missing_ok=True)
        self._linked.discard(hash((view, path)))

    def _place(self, view: str, path: str) -> Path:
        return self._folder / view / Path(path).relative_to(LOG_ROOT)


def remove_views(root: Path) -> None:
    """Remove the views of a killed agent: their readers of that time may have changed.

    Raises:
        OSError: the views cannot be removed.
    """
    if root.is_dir():
        parent = open_folder(str(root))
        try:
            remove_tree(FOLDER, parent)  # also a pipe of that name, for which shutil would wait
        finally:
            os.close(parent)


def shown_log(root: Path, path: str) -> Path:
    """The file that shows a log: its redacted copy if present, else the log."""
    copy = root / redacted_path(path)
    return copy if copy.exists() else root / path


def _is_same(link: Path, log_file: Path) -> bool:
    try:
        return os.path.samestat(link.lstat(), log_file.lstat())
    except FileNotFoundError:
        return False


def _list_names(folder: Path) -> list[str]:
    """Names in a folder of links; empty for a folder that leads out, to a window's real logs."""
    if folder.is_symlink():
        return []
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
