"""All open sockets: made on demand, closed after long disuse; all code runs on the actor's loop.

Each socket and each connection takes a descriptor. Together they take a part of the process's descriptors that leaves
enough for the rest of the agent.
"""

from __future__ import annotations

import logging
import os
import resource
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.linux.disk import OPERATOR_KEY
from actors.linux.private_folder import TemporaryFolder, make_private
from actors.socket.door import USUAL_PATIENCE, CarryOut, Door, Patience, Tally
from actors.socket.paths import fits, listener, write_key
from messages.base import Window

log = logging.getLogger(__name__)

SUFFIX = ".sock"
_SECRET_BYTES = 16
_NAME_LENGTH = 2 * _SECRET_BYTES + len(SUFFIX)
ROOT_UID = 0
MOST_DOORS = 1_000
"""However many files may be open."""
_SHARE_OF_DOORS = 4
"""Divisor of the descriptors: at most this share are sockets for listening."""
_SHARE_OF_CONNECTIONS = 8
"""Divisor of the descriptors: at most this share are connections, besides a guaranteed connection for each socket."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """Owner of a socket: each window has a socket, and another with fewer rights for its lanes."""

    window: Window
    is_lane: bool = False


@dataclass(slots=True)
class _Endpoint:
    """Listening socket, with the place."""

    door: Door
    path: Path
    used_at: float


class Doors:
    """Sockets of windows, in a folder that only the agent can list, under names that cannot be guessed."""

    def __init__(
        self,
        folder: Path | None,
        monotonic: Callable[[], float],
        open_files: int | None = None,
        patience: Patience = USUAL_PATIENCE,
    ) -> None:
        """Begin without sockets.

        Args:
            folder: Folder of the windows' sockets; made if missing. None, or a path too long for sockets,
                is replaced by a temporary folder.
            monotonic: Seconds.
            open_files: Descriptors allowed to the process; None to ask the kernel.
            patience: Patience with clients.
        """
        files = most_open_files() if open_files is None else open_files
        self._most = max(1, min(MOST_DOORS, files // _SHARE_OF_DOORS))
        self._wanted = folder
        self._folder = Path()
        self._monotonic = monotonic
        self._temporary: TemporaryFolder | None = None
        self._places: dict[Entrance, _Endpoint] = {}
        self._operator: Door | None = None
        self._operator_path: Path | None = None
        self.tally = Tally(max(1, files // _SHARE_OF_CONNECTIONS), patience)

    def __len__(self) -> int:
        """Number of open sockets of windows."""
        return len(self._places)

    def prepare(self) -> None:
        """Make the folder and remove an earlier life's leftovers; may be tried again.

        Raises:
            OSError: the folder cannot be made or written.
        """
        requested = self._wanted
        if requested is None or not fits(requested / ("x" * _NAME_LENGTH)):
            self._temporary = self._temporary or TemporaryFolder("agent-doors-")
            if requested is not None:
                log.warning("%s is too long a path for sockets; they are in %s", requested, self._temporary.name)
        self._folder = Path(self._temporary.name) if self._temporary is not None else requested or Path()
        make_private(self._folder)
        self._folder.chmod(0o700)
        for left in self._folder.glob(f"*{SUFFIX}"):
            left.unlink(missing_ok=True)

    def open(self, entrance: Entrance, carry_out: CarryOut) -> Path:
        """Path of the listening socket of `entrance`.

        Raises:
            OSError: the socket cannot be made, e.g. because no more files may be open.
        """
        place = self._places.get(entrance)
        if place is not None and not place.path.exists():
            self._close(entrance)
            place = None
        if place is None:
            self._make_room()
            path = self._folder / f"{secrets.token_hex(_SECRET_BYTES)}{SUFFIX}"
            door = self._listen(path, carry_out, frozenset({os.geteuid()}))
            place = self._places[entrance] = _Endpoint(door, path, 0.0)
        place.used_at = self._monotonic()
        return place.path

    def open_operator(self, path: Path, carry_out: CarryOut) -> str:
        """Listen at `path`, and write the key of requests beside the socket; return the key.

        The key excludes clients that can reach the socket but not read a file of the data root. The key is a second
        fence, since a sandbox shows neither to a command.

        Raises:
            OSError: the socket cannot be made.
        """
        key = secrets.token_hex(_SECRET_BYTES)
        write_key(path.with_name(OPERATOR_KEY), key)
        self._operator_path = path
        self._operator = self._listen(path, carry_out, frozenset({os.geteuid(), ROOT_UID}))
        return key

    def used(self, entrance: Entrance) -> None:
        """Note the use of a socket."""
        if (place := self._places.get(entrance)) is not None:
            place.used_at = self._monotonic()

    def close_idle(self, idle_s: float) -> None:
        """Close the sockets without requests and connections for `idle_s` seconds."""
        last = self._monotonic() - idle_s
        for entrance in [each for each, place in self._places.items() if place.used_at < last and not place.door.busy]:
            self._close(entrance)

    def close(self) -> None:
        """Close all sockets and leave no file."""
        for entrance in list(self._places):
            self._close(entrance)
        if self._operator is not None:
            self._operator.close()
        if self._operator_path is not None:
            _remove(self._operator_path)
            _remove(self._operator_path.with_name(OPERATOR_KEY))
        if self._temporary is not None:
            self._temporary.cleanup()

    def _make_room(self) -> None:
        """At the limit, close the socket unused for longest; a socket without a client first.

        A command still running in that window loses the socket; the window's next command gets another.
        """
        if len(self._places) >= self._most:
            self._close(min(self._places, key=lambda each: (self._places[each].door.busy, self._places[each].used_at)))

    def _close(self, entrance: Entrance) -> None:
        place = self._places.pop(entrance)
        place.door.close()
        _remove(place.path)

    def _listen(self, path: Path, carry_out: CarryOut, uids: frozenset[int]) -> Door:
        door = Door(carry_out, uids, self.tally)
        door.listen(listener(path))
        return door


def _remove(path: Path) -> None:
    """Remove an obsolete file; a file that stays is removed at the next start."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s cannot be removed: %s", path, error.strerror)


def most_open_files() -> int:
    """Limit of this process's descriptors."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_DOORS * _SHARE_OF_DOORS if soft == resource.RLIM_INFINITY else soft
