"""Every door there is: made on demand, closed when nobody used it for long; all of it runs on the actor's loop."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.socket.door import CarryOut, Door, Tally
from actors.socket.paths import OPERATOR_KEY, fits, listener, write_key
from messages.base import Window

log = logging.getLogger(__name__)

SUFFIX = ".sock"
_SECRET_BYTES = 16
_NAME_LENGTH = 2 * _SECRET_BYTES + len(SUFFIX)
ROOT_UID = 0


@dataclass(slots=True)
class _Endpoint:
    """A window's door and where it is."""

    door: Door
    path: Path
    used_at: float


class Doors:
    """The sockets of windows, in one folder that nobody else can list, under names that nobody can guess."""

    def __init__(self, folder: Path | None, monotonic: Callable[[], float]) -> None:
        """No door yet.

        Args:
            folder: Of the windows' sockets; made if missing. None, or a path that is too long for sockets to be in it,
                is replaced by a temporary folder.
            monotonic: Seconds.
        """
        self._wanted = folder
        self._folder = Path()
        self._monotonic = monotonic
        self._temporary: Path | None = None
        self._places: dict[Window, _Endpoint] = {}
        self._operator: Door | None = None
        self._operator_path: Path | None = None
        self.tally = Tally()

    def __len__(self) -> int:
        """How many windows have a door now."""
        return len(self._places)

    def prepare(self) -> None:
        """Make the folder and remove what an earlier life left in it.

        Raises:
            OSError: it cannot be made or written.
        """
        requested = self._wanted
        if requested is None or not fits(requested / ("x" * _NAME_LENGTH)):
            self._temporary = Path(tempfile.mkdtemp(prefix="agent-doors-"))
            if requested is not None:
                log.warning("%s is too long a path for sockets; they are in %s", requested, self._temporary)
        self._folder = self._temporary or requested or Path()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        for left in self._folder.glob(f"*{SUFFIX}"):
            left.unlink(missing_ok=True)

    def open(self, window: Window, carry_out: CarryOut) -> Path:
        """Where the socket of `window` listens now.

        Raises:
            OSError: it cannot be made, e.g. because no more files may be open.
        """
        place = self._places.get(window)
        if place is not None and not place.path.exists():
            self._close(window)
            place = None
        if place is None:
            path = self._folder / f"{secrets.token_hex(_SECRET_BYTES)}{SUFFIX}"
            door = self._listen(path, carry_out, frozenset({os.geteuid()}))
            place = self._places[window] = _Endpoint(door, path, 0.0)
        place.used_at = self._monotonic()
        return place.path

    def open_operator(self, path: Path, carry_out: CarryOut) -> str:
        """Listen at `path` and put the key that requests must carry beside it; the key.

        The key is what keeps commands out in a sandbox that cannot hide the socket itself (Landlock): they may connect
        to every socket of their user, but not read a file of the data root.

        Raises:
            OSError: it cannot be made.
        """
        key = secrets.token_hex(_SECRET_BYTES)
        write_key(path.with_name(OPERATOR_KEY), key)
        self._operator_path = path
        self._operator = self._listen(path, carry_out, frozenset({os.geteuid(), ROOT_UID}))
        return key

    def used(self, window: Window) -> None:
        """Note that the window's door serves somebody."""
        if (place := self._places.get(window)) is not None:
            place.used_at = self._monotonic()

    def close_idle(self, idle_s: float) -> None:
        """Close the doors that nobody has asked for, asked through or is connected to for `idle_s` seconds."""
        last = self._monotonic() - idle_s
        for window in [each for each, place in self._places.items() if place.used_at < last and not place.door.busy]:
            self._close(window)

    def close(self) -> None:
        """Close them all and leave no file."""
        for window in list(self._places):
            self._close(window)
        if self._operator is not None:
            self._operator.close()
        if self._operator_path is not None:
            self._operator_path.unlink(missing_ok=True)
            self._operator_path.with_name(OPERATOR_KEY).unlink(missing_ok=True)
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _close(self, window: Window) -> None:
        place = self._places.pop(window)
        place.door.close()
        place.path.unlink(missing_ok=True)

    def _listen(self, path: Path, carry_out: CarryOut, uids: frozenset[int]) -> Door:
        door = Door(carry_out, uids, self.tally)
        door.listen(listener(path))
        return door
