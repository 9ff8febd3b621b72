"""Folder of a Ray of one's own: short, private, of an unpredictable name, and gone at the end or the next start."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from actors.cluster.storage import read_note

MOST_PLACE = 23
"""Characters of the path for Ray's folder: a socket's path has 107 at most, and Ray adds 84."""
_PREFIX = "agent-ray-"
_TOKEN_BYTES = 32


class RayFolder:
    """Folder for the sockets and logs of a Ray started by one run of the agent."""

    def __init__(
        self, data_root: Path, temporary: Path | None = None, most_place: int = MOST_PLACE, user: int | None = None
    ) -> None:
        """Begin without a folder.

        Args:
            data_root: Holds the note of an earlier run's folder.
            temporary: Parent folder; the system's own by default.
            most_place: Characters that the path of that folder may have; /tmp stands in for a longer path.
            user: Owner of folders that may be removed; the user of this process by default.
        """
        named = str(temporary or tempfile.gettempdir())
        self._place = named if len(os.fsencode(named)) <= most_place else "/tmp"
        self._user = os.getuid() if user is None else user
        self.data_root = data_root
        self.path: Path | None = None
        """Path of the folder; None before `make`."""

    def make(self) -> Path:
        """Make the folder with an unpredictable name, since every user can write to the system's temporary folder.

        The folder holds a token required by each call to this Ray: otherwise any program that reaches the ports on
        this machine, such as a command with network access, could start processes as the agent.

        Raises:
            OSError: the folder cannot be made.
        """
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._place))
        token = self.path / "token"
        token.touch(mode=0o600)
        token.write_text(os.urandom(_TOKEN_BYTES).hex())
        os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)})
        return self.path

    def remove(self) -> None:
        """Remove the folder, if made."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)

    def remove_leftovers(self) -> None:
        """Remove the folder of a killed earlier run, if it is a folder of this user's.

        Raises:
            OSError: the note of the earlier run cannot be read.
        """
        noted = read_note(self.data_root).folder
        folder = Path(self._place, Path(noted).name)
        if not folder.name.startswith(_PREFIX) or str(folder) != noted:  # never a path that something else wrote
            return
        try:
            owner = folder.lstat().st_uid
        except OSError:
            return
        if owner == self._user:
            shutil.rmtree(folder, ignore_errors=True)
