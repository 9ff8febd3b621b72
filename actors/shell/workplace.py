"""Working directories of commands: one per window, made when first needed, and emptied at people's request."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import stat
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.linux.disk import RealDisk, make_folders
from actors.linux.folder import open_folder, remove_tree
from actors.linux.private_folder import PRIVATE, TemporaryFolder, make_private
from actors.shell.refused import RefusedError
from domain.log.window import LOG_ROOT, OWN_LOGS, log_folder
from domain.log.window_folders import ATTACHMENTS_ROOT, attachments_folder, output_folder
from messages.base import Surface, Window

log = logging.getLogger(__name__)

TRASH = ".emptied"
"""Folder in the work root for emptied folders until their removal. No command sees this folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Working directory and HOME of a window's commands, and the agent's own folders readable there."""

    cwd: Path
    """Start directory of commands."""
    home: Path
    """HOME of commands: never the operator's, so no dotfile of the operator's is read or written."""
    output: Path
    """Folder of full output: written by the agent, read-only for commands."""
    mounts: tuple[tuple[str, str], ...] = ()
    """Folders of the agent's own, and where a sandbox is to show each."""
    is_windows_own: bool = True
    """True if the folder is the window's; False if the folder is the command line caller's."""


class Workplaces:
    """Table of working directories; makes them, while no command of their window runs.

    A Discord window has `<work_root>/<surface>/<id>`, private to the agent's user, with links `logs` to the logs and
    `.log` to its own, so pointers work there. Attachments and kept output are in folders of the agent's own below
    the data root. A sandbox also mounts the attachments at `attachments/`, over a folder made for this;
    without a sandbox a link leads there. The command line works in its caller's directory and leaves no files there:
    home and kept output are then in a temporary directory that ends with the actor.
    """

    def __init__(
        self, *, work_root: Path, data_root: Path, cli_workdir: Path | None, can_overlay: bool = False
    ) -> None:
        """Nothing is made yet.

        Args:
            work_root: Holds the working directories.
            data_root: Holds the logs, the attachments and the kept output.
            cli_workdir: Where commands of the command line run; None for nowhere.
            can_overlay: Whether a folder can be shown at another path, as a sandbox does.
        """
        self.work_root = work_root.absolute()
        self._data_root = data_root.absolute()
        self._logs = self._data_root / LOG_ROOT
        self._cli_workdir = cli_workdir
        self._can_overlay = can_overlay
        self._temporary: TemporaryFolder | None = None
        self._reserved: list[Path] = []
        self._copies: dict[tuple[str, bytes], Path] = {}
        self._numbers = itertools.count()
        self._trash_lock = threading.Lock()
        self._is_trash_to_go = self._is_removing = False

    def open(self, window: Window, logs: Path | None = None) -> Workplace:
        """Directories of `window`, made if missing.

        Args:
            window: Owner of the directories.
            logs: Target of the link `logs`; None for all logs.

        Raises:
            RefusedError: the directories cannot be made.
        """
        if window.surface is Surface.CLI:
            return self._of_command_line()
        try:
            folder = workdir(self.work_root, window)
        except ValueError as error:
            raise RefusedError(str(error)) from None
        attachments, output = self._data_root / attachments_folder(window), self._data_root / output_folder(window)
        try:
            # A disk that is full when the folder has to be emptied has no room for another one.
            for directory in (folder, attachments, self.work_root / TRASH):
                make_private(directory)
            if not output.is_dir():
                make_folders(RealDisk(), output)
            folder.chmod(PRIVATE)  # a command may have shut it
            self._link_logs(folder, logs or self._logs, window)
            self._show(folder, str(ATTACHMENTS_ROOT), attachments)
        except OSError as error:
            raise RefusedError(f"Working directory cannot be made: {error}") from error
        return Workplace(
            cwd=folder,
            home=folder,
            output=output,
            mounts=((str(attachments), str(folder / ATTACHMENTS_ROOT)), (str(output), str(output))),
        )

    def empty(self, window: Window) -> Path:
        """Put an empty folder in the place of a window's, while none of its commands runs; open no file inside.

        The old content is removed in the background, with kept output. Attachments and logs are the words and files of
        people, and stay.

        Returns:
            The folder.

        Raises:
            RefusedError: the folder cannot be replaced.
        """
        try:
            folder, output = workdir(self.work_root, window), self._data_root / output_folder(window)
        except ValueError as error:
            raise RefusedError(str(error)) from None
        try:
            _remove(output)
            trash = self.work_root / TRASH
            make_private(trash)
            if folder.is_symlink() or folder.exists():
                if not folder.is_symlink():
                    folder.chmod(PRIVATE)  # a command may have shut it, and then it cannot be moved
                folder.rename(trash / f"{window.id}-{os.getpid()}-{next(self._numbers)}")
        except OSError as error:
            raise RefusedError(f"The working directory cannot be emptied: {error}") from error
        self.remove_trash()
        with suppress(OSError):  # a full disk has no room for it yet; `open` makes it
            make_private(folder)
        return folder

    def remove_trash(self) -> None:
        """Remove emptied folders, also an earlier agent's, in a single thread: two would disturb each other."""
        if not (self.work_root / TRASH).is_dir():
            return
        with self._trash_lock:
            self._is_trash_to_go = True
            if not self._is_removing:
                self._is_removing = True
                threading.Thread(target=self._go_on_removing, name="shell-trash", daemon=True).start()

    def reserve(self, files: Iterable[Path], folders: Iterable[Path]) -> tuple[str, ...]:
        """Put empty files and folders in free places of the command line's folder, as mount points for a sandbox.

        Raises:
            OSError: a file or folder cannot be made.
        """
        for place in files:
            place.touch(mode=0o600, exist_ok=False)
            self._reserved.append(place)
        for place in folders:
            place.mkdir(mode=PRIVATE)
            self._reserved.append(place)
        return tuple(map(str, self._reserved))

    def put_copies(self, copies: Iterable[tuple[str, bytes]]) -> tuple[tuple[str, str], ...]:
        """Put content into files of the command line's temporary folder; the file of each path.

        Raises:
            OSError: that cannot be done.
        """
        return tuple((self._put_copy(path, content), path) for path, content in copies)

    def close(self) -> None:
        """Remove temporary files."""
        for place in self._reserved:
            with contextlib.suppress(OSError):  # it has come into use
                if place.is_dir():
                    place.rmdir()
                elif place.stat().st_size == 0:
                    place.unlink()
        self._reserved.clear()
        self._copies.clear()
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            temporary.cleanup()

    def _put_copy(self, path: str, content: bytes) -> str:
        if (place := self._copies.get((path, content))) is None:
            assert self._temporary is not None, "the folder of the command line was opened"
            folder = Path(self._temporary.name, "copies")
            folder.mkdir(mode=PRIVATE, exist_ok=True)
            place = folder / str(len(self._copies))
            place.write_bytes(content)
            self._copies[path, content] = place
        return str(place)

    def _go_on_removing(self) -> None:
        while True:
            with self._trash_lock:
                self._is_removing = self._is_trash_to_go
                if not self._is_trash_to_go:
                    return
                self._is_trash_to_go = False
            try:
                _remove_all(self.work_root / TRASH)
            except Exception:  # else nobody would ever remove anything again
                log.exception("the emptied folder was not removed; the next emptying tries again")

    def _of_command_line(self) -> Workplace:
        if self._cli_workdir is None:
            raise RefusedError("No working directory was given for commands of the command line.")
        if not self._cli_workdir.exists():
            raise RefusedError(f"Working directory does not exist: {self._cli_workdir}")
        if self._temporary is None:
            self._temporary = TemporaryFolder("agent-cli-")
        temporary = Path(self._temporary.name)
        home, output = temporary / "scratch", temporary / "output"
        for folder in (home, output):
            folder.mkdir(mode=PRIVATE, exist_ok=True)
        return Workplace(
            cwd=Path(os.path.realpath(self._cli_workdir)),
            home=home,
            output=output,
            mounts=((str(output), str(output)),),
            is_windows_own=False,
        )

    def _show(self, folder: Path, name: str, target: Path) -> None:
        """Ensure that `name` in the folder can lead to `target`; a command's replacement is moved aside."""
        place = folder / name
        if not self._can_overlay:
            _link(place, target)
            return
        try:
            place.mkdir(mode=PRIVATE)
        except FileExistsError:
            if not stat.S_ISDIR(place.lstat().st_mode):
                place.rename(folder / f"{name}.moved-{os.getpid()}-{next(self._numbers)}")
                place.mkdir(mode=PRIVATE)

    def _link_logs(self, folder: Path, logs: Path, window: Window) -> None:
        """Ensure that `logs` points to the logs, and `.log` to the window's own.

        A command's replacement for a link is left alone.
        """
        _link(folder / LOG_ROOT.name, logs)
        _link(folder / OWN_LOGS.name, logs / log_folder(window).relative_to(LOG_ROOT))


def workdir(work_root: Path, window: Window) -> Path:
    """Working directory of a Discord window's commands; the directory need not exist.

    Raises:
        ValueError: a surface without a directory of its own, or an id that is no Discord snowflake.
    """
    return work_root / log_folder(window).relative_to(LOG_ROOT)


def _remove(folder: Path) -> None:
    """Remove a folder of the agent's own, if present."""
    with suppress(FileNotFoundError):
        parent = open_folder(str(folder.parent))
        try:
            remove_tree(folder.name, parent)
        finally:
            os.close(parent)


def _link(link: Path, target: Path) -> None:
    if link.is_symlink():
        if link.readlink() == target:
            return
        link.unlink()
    elif link.exists():
        log.warning("%s is not a link, so pointers that begin with it do not work there", link)
        return
    link.symlink_to(target)


def _remove_all(trash: Path) -> None:
    try:
        parent = open_folder(str(trash))
    except OSError as error:
        log.warning("the emptied folder cannot be removed: %s", error)
        return
    try:
        for name in os.listdir(parent):  # noqa: PTH208 - a descriptor
            try:
                remove_tree(name, parent)
            except OSError as error:  # the next time tries again
                log.warning("%s cannot be removed yet: %s", trash / name, error)
    finally:
        os.close(parent)
