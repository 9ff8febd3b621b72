"""Hard-link farm: for each group of windows that may read the same, the logs of others that they may read.

`views/<key>/<surface>/<context id>/<name>.md` is another name of that window's log file. Everything here is derived
from the logs; whoever deletes it loses nothing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from actors.memory.search.visibility import parsed_label
from domain.log.window import LOG_ROOT, log_folder
from domain.policy.audience import NO_VIEW, in_view, view_key
from messages.base import Window

log = logging.getLogger(__name__)

FOLDER = "views"
MOST_KNOWN = 100_000
"""Links that are remembered as made, so that a turn costs no look at the disk."""


class Views:
    """Folders of hard links, kept in step with what the index knows of windows and their readers."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / FOLDER
        self._keys: set[str] = set()
        self._linked: set[tuple[str, str]] = set()
        self._is_able = True

    def open(self) -> None:
        """Learn which views there are.

        Raises:
            OSError: the folder cannot be made or read.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        (self._folder / NO_VIEW).mkdir(mode=0o700, exist_ok=True)
        self._keys = {name for name in _listed(self._folder) if name != NO_VIEW}

    def open_for(self, window: Window, label: str, connection: apsw.Connection) -> None:
        """Make sure that there is a view for `window`, which `label` reads."""
        key = view_key(window, label if parsed_label(label) else "")
        if key == NO_VIEW or key in self._keys:
            return
        self._keys.add(key)
        (self._folder / key).mkdir(mode=0o700, exist_ok=True)
        for path, source_label in connection.execute(
            "SELECT path, audience FROM files JOIN windows ON windows.id = files.window"
        ):
            if in_view(parsed_label(str(source_label)), key):
                self._link(key, str(path))

    def add_log(self, path: str, label: str) -> None:
        """A log, new or known, of a window that `label` reads."""
        audience = parsed_label(label)
        for key in self._keys:
            if in_view(audience, key):
                self._link(key, path)

    def readers_changed(self, window: Window, label: str, paths: list[str]) -> None:
        """Put a window's logs where they belong now, and take them away from everywhere else."""
        audience = parsed_label(label)
        for key in self._keys:
            if not in_view(audience, key):
                self._remove_window(key, window)
        for path in paths:
            self.add_log(path, label)

    def sweep(self, connection: apsw.Connection) -> Iterator[None]:
        """Remove what does not belong, a window's folder at a time: links of logs that are gone or not to be read."""
        for key in sorted(self._keys):
            for surface in _listed(self._folder / key):
                for context_id in _listed(self._folder / key / surface):
                    self._sweep_window(key, f"{surface}/{context_id}", connection)
                    yield

    def _sweep_window(self, key: str, window_key: str, connection: apsw.Connection) -> None:
        labels = list(connection.execute("SELECT audience FROM windows WHERE key = ?", (window_key,)))
        may_stay = bool(labels) and in_view(parsed_label(str(labels[0][0])), key)
        for name in _listed(self._folder / key / window_key):
            link = self._folder / key / window_key / name
            log_file = self._root / LOG_ROOT / window_key / name
            if not may_stay or not _is_same(link, log_file):
                link.unlink(missing_ok=True)
                self._linked.discard((key, f"{LOG_ROOT}/{window_key}/{name}"))
                if may_stay and log_file.exists():
                    self._link(key, f"{LOG_ROOT}/{window_key}/{name}")

    def _link(self, key: str, path: str) -> None:
        if (key, path) in self._linked or not self._is_able:
            return
        link = self._folder / key / Path(path).relative_to(LOG_ROOT)
        try:
            link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.link(self._root / path, link, follow_symlinks=False)
        except FileExistsError:
            pass  # From an earlier life; the sweep sees whether it is still the same file.
        except FileNotFoundError:
            return
        except OSError as error:
            self._is_able = False
            log.warning("views/ cannot be kept, so commands see their own window's logs only: %s", error.strerror)
            return
        if len(self._linked) >= MOST_KNOWN:
            self._linked.clear()
        self._linked.add((key, path))

    def _remove_window(self, key: str, window: Window) -> None:
        folder = self._folder / key / log_folder(window).relative_to(LOG_ROOT)
        for name in _listed(folder):
            (folder / name).unlink(missing_ok=True)
            self._linked.discard((key, f"{log_folder(window)}/{name}"))


def _is_same(link: Path, log_file: Path) -> bool:
    try:
        return os.path.samestat(link.lstat(), log_file.lstat())
    except FileNotFoundError:
        return False


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
