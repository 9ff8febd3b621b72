"""Working directories of commands: one for each window, made when first needed."""

from __future__ import annotations

import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from actors.shell.refused import RefusedError
from domain.log.window import LOG_ROOT, log_folder
from messages.base import Surface, Window

log = logging.getLogger(__name__)

OUTPUT_FOLDER = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Working directory and HOME of one window's commands."""

    cwd: Path
    """Where they start."""
    home: Path
    """Their HOME: never the operator's, so that no dotfile of theirs is read or written."""
    is_windows_own: bool = True
    """Whether it is there for the window; else it is the folder of the command line's caller."""


class Workplaces:
    """Table of working directories; makes them.

    A Discord window has `<work_root>/<surface>/<id>`, private to the agent's user, with a link `logs` to the logs so
    that pointers (`logs/…`) work there. The command line works in its caller's directory and leaves nothing in it:
    home and kept output are then in a temporary directory that ends with the actor.
    """

    def __init__(self, *, work_root: Path, data_root: Path, cli_workdir: Path | None) -> None:
        self._work_root = work_root.absolute()
        self._logs = data_root.absolute() / LOG_ROOT
        self._cli_workdir = cli_workdir
        self._temporary: Path | None = None

    def open(self, window: Window, logs: Path | None = None) -> Workplace:
        """The directories of `window`, which exist now.

        Args:
            window: Whose.
            logs: Where the link `logs` is to lead; None for all logs.

        Raises:
            RefusedError: there can be none.
        """
        if window.surface is Surface.CLI:
            return self._of_command_line()
        try:
            folder = workdir(self._work_root, window)
        except ValueError as error:
            raise RefusedError(str(error)) from None
        try:
            for directory in (self._work_root, folder.parent, folder):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._link_logs(folder, logs or self._logs)
        except OSError as error:
            raise RefusedError(f"Working directory cannot be made: {error}") from error
        return Workplace(cwd=folder, home=folder)

    def close(self) -> None:
        """Remove what is temporary."""
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            shutil.rmtree(temporary, onerror=lambda _function, path, _error: log.warning("cannot remove %s", path))

    def _of_command_line(self) -> Workplace:
        if self._cli_workdir is None:
            raise RefusedError("No working directory was given for commands of the command line.")
        if not self._cli_workdir.exists():
            raise RefusedError(f"Working directory does not exist: {self._cli_workdir}")
        if self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="agent-cli-"))
        return Workplace(cwd=self._cli_workdir, home=self._temporary, is_windows_own=False)

    def _link_logs(self, folder: Path, logs: Path) -> None:
        """See that `logs` points to the logs; what a command has put there instead of a link is left alone."""
        link = folder / LOG_ROOT.name
        if link.is_symlink():
            if link.readlink() == logs:
                return
            link.unlink()
        elif link.exists():
            log.warning("%s is not a link, so pointers into the logs do not work there", link)
            return
        link.symlink_to(logs)


def workdir(work_root: Path, window: Window) -> Path:
    """Where the commands of a Discord window run; it need not exist.

    Raises:
        ValueError: a surface without a directory of its own, or an id that is no Discord snowflake.
    """
    return work_root / log_folder(window).relative_to(LOG_ROOT)
