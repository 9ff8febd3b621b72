"""Channel's folder: the place and content of a window's files; an unchanged file is not read again."""

from __future__ import annotations

import errno
import logging
import os
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import Host
from actors.linux.disk import RealDisk, make_folders
from actors.linux.safe_open import read_beneath
from actors.linux.signature import Signature, is_settled, signature, signature_of
from actors.workspace.config import AGENT, CHANNELS, WorkspaceConfig
from domain.workspace.files.history_file import HISTORY_TEMPLATE
from domain.workspace.files.memory_file import MEMORY_TEMPLATE
from domain.workspace.files.session_state import SESSION_TEMPLATE
from messages.base import Window
from messages.shell import SharedFolder

log = logging.getLogger(__name__)

SESSION, MEMORY, HISTORY, ARCHIVE = "SESSION.md", "MEMORY.md", "HISTORY.md", "HISTORY.archive.md"
SOUL, AGENTS = "SOUL.md", "AGENTS.md"
READ_BYTES = 256 * 1024
"""Most bytes of a file; a larger file counts as empty, and `doctor` reports this."""
READ_LINES = 10_000
"""Most lines of a file; a longer file counts as empty too, since a command could write it to cost time."""
TEMPLATES = {SESSION: SESSION_TEMPLATE, MEMORY: MEMORY_TEMPLATE, HISTORY: HISTORY_TEMPLATE}
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class _Known:
    """File as last read."""

    signature: Signature | None
    data: bytes
    is_settled: bool
    flaw: str = ""


class Channel:
    """Reader of a window's files and of the users' shared files.

    A look for a file's changes takes some microseconds and is no wait; reading and making files are. Each system
    call lets other threads go first, so a turn makes as few as possible: one for each file.
    """

    def __init__(self, config: WorkspaceConfig, window: Window, host: Host) -> None:
        """Begin with an empty cache.

        Args:
            config: Place of the files.
            window: Window of the files.
            host: The actor; its clock tells of files so new that their next change may not show.
        """
        self._config = config
        self._host = host
        self.folder = config.folder_of(window)
        self.agent_folder = self.folder / AGENT
        self._known: dict[Path, _Known] = {}
        self._shared: tuple[SharedFolder, ...] | None = None
        self.is_new = False
        """True if this life has made the agent's own folder, so that the folder holds no data of an earlier life."""
        self._trouble: dict[str, str] = {}
        """Name of a missing file -> reason for the last failure to make the file."""

    def ensure(self) -> None:
        """Ensure the folder with its three files, each made of a template if missing.

        A failure is logged once: readers then find an empty file.
        """
        missing = [name for name in TEMPLATES if not os.path.lexists(self.folder / name)]
        if not missing:
            self._trouble.clear()
            return
        trouble = ""
        known = {self._trouble.get(name, "") for name in missing}
        try:
            with self._host.blocking():
                if not self.agent_folder.is_dir():
                    make_folders(self._config.disk or RealDisk(), self.agent_folder)
                    self.is_new = True
                for name in missing:
                    self._create(name, TEMPLATES[name])
        except OSError as error:
            trouble = str(error)
        if trouble and known != {trouble}:
            log.warning("%s: its files cannot be made: %s", self.folder, trouble)
        self._trouble = dict.fromkeys(missing, trouble) if trouble else {}

    def read(self, name: str) -> bytes:
        """Content of one of the window's files, made if missing; empty if unreadable."""
        path = self.folder / name
        seen = signature(path)
        if seen is None and name in TEMPLATES and self._config.lives:
            self.ensure()
            seen = signature(path)
        elif self._trouble:
            self._trouble.pop(name, None)  # the file was made by another writer
        return self._read(path, seen)

    def read_shared(self, name: str) -> bytes:
        """The same of people's."""
        path = self._config.root / name
        return self._read(path, signature(path))

    def shared_folders(self) -> tuple[SharedFolder, ...]:
        """Folders for commands: the users' files to read, the window's own to change; links are followed once."""
        if self._shared is None:
            self._shared = self._shared_folders()
        return self._shared

    def _shared_folders(self) -> tuple[SharedFolder, ...]:
        root = os.path.realpath(self._config.root)
        folders = [SharedFolder(path=root, hidden=(CHANNELS,))]
        if self._config.lives:
            folder = f"{root}/{self.folder.relative_to(self._config.root).as_posix()}"
            folders.append(SharedFolder(path=folder, may_write=True, hidden=(AGENT,)))
        return tuple(folders)

    def _create(self, name: str, template: bytes) -> None:
        """Make a file, which need not be read afterwards: a later write is outside the clock tick of the creation."""
        path = self.folder / name
        try:
            fd = os.open(path, _CREATE, 0o600)
        except FileExistsError:
            return
        try:
            if os.write(fd, template) < len(template):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._known[path] = _Known(signature_of(os.fstat(fd)), template, is_settled=True)
        except OSError:
            path.unlink()
            raise
        finally:
            os.close(fd)

    def _read(self, path: Path, seen: Signature | None) -> bytes:
        known = self._known.get(path)
        if known is not None and known.signature == seen and known.is_settled:
            return known.data
        settled = is_settled(seen, int(self._host.now().timestamp() * 1e9))
        data, flaw = self._look(path) if seen is not None else (b"", "")
        if known is not None and known.data == data:
            data = known.data  # callers recognise the same object
        if flaw and (known is None or known.flaw != flaw):
            log.warning("%s is not read: %s", path, flaw)
        self._known[path] = _Known(seen, data, settled, flaw)
        return data

    def _look(self, path: Path) -> tuple[bytes, str]:
        """Content of a file, and the reason if unreadable."""
        try:
            with self._host.blocking():
                data = read_beneath(path.parent, path.name, READ_BYTES)
        except (ValueError, OSError) as error:
            return b"", str(error)
        if data.count(b"\n") > READ_LINES:
            return b"", f"it has more than {READ_LINES:,} lines"
        return data, ""
