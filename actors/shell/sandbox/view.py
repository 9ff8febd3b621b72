"""File system view of a command: the visible and changeable parts of the machine; all else is absent, or shut."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from messages.shell import SharedFolder

SYSTEM = ("/usr",)
LINKED_TO_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr on most systems, folders of their own on some."""
CONFIGURATION = ["passwd", "group", "nsswitch.conf", "localtime", "ld.so.cache", "alternatives"]
"""Of /etc; each costs bubblewrap 0.2 ms a command, so the list is short."""
CONFIGURATION_OF_NETWORK = [
    "resolv.conf",
    "hosts",
    "host.conf",
    "gai.conf",
    "services",
    "protocols",
    "ssl/certs",
    "ssl/openssl.cnf",
    "ssl/cert.pem",
    "pki/tls/certs",
    "pki/ca-trust/extracted",
]
"""Paths in /etc for the network, without most of /etc/ssl: a command of a root agent could read the private keys there.
"""


DOOR_CLIENT = "/run/agent/door.py"
"""Place in a sandbox of the module by which scripts of skills ask at the control socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """File system view of a command; absolute paths, each shown at the same path unless noted."""

    cwd: str
    own: tuple[str, ...]
    """May be changed."""
    folders: tuple[str, ...] = ()
    """Readable folders; `own` is mounted over these folders."""
    protected: tuple[str, ...] = ()
    """Read-only paths in changeable folders."""
    readable: tuple[tuple[str, str], ...] = ()
    """Readable paths, each with its place of display; a later entry may lie over an earlier entry."""
    executable: tuple[str, ...] = ()
    """Folders open to commands for reading and running."""
    shared: tuple[SharedFolder, ...] = ()
    """Folders shown at their own paths, anywhere; real paths, like the paths of kept names."""
    hidden: tuple[str, ...] = ()
    """Hidden paths in shown folders."""
    private: tuple[str, ...] = ()
    """Of the agent's own, and real paths; where the system's programs are, too, only what else is named is shown."""
    door: str = ""
    """Path of the control socket; empty for none."""
    has_network: bool = False

    def covered_paths(self) -> list[str]:
        """Outermost paths of `private` that would be shown with the system's programs or with `executable`."""
        visible = (*SYSTEM, *LINKED_TO_SYSTEM, *map(os.path.realpath, self.executable))
        covered = list[str]()
        for path in sorted(self.private):
            if is_below(path, visible) and not is_below(path, tuple(covered)):
                covered.append(path)
        return covered

    def configuration(self) -> tuple[str, ...]:
        """Readable paths in /etc."""
        names = [*CONFIGURATION, *(CONFIGURATION_OF_NETWORK if self.has_network else ())]
        return tuple(f"/etc/{name}" for name in names)


@cache
def programs_elsewhere() -> tuple[str, ...]:
    """Folder of this Python, if outside the system's programs, so scripts of skills find Python."""
    home = os.path.realpath(sys.base_prefix)
    return () if home == "/" or is_below(home, SYSTEM) else (home,)


def search_path(path: str, executable: tuple[str, ...]) -> str:
    """Folders of `path` visible to a command, followed by the folders of `executable` that hold programs.

    A present but shut folder would be worse than a missing folder: bash finds the program and then may not run it.
    """
    folders = _shown_folders(path, (*SYSTEM, *LINKED_TO_SYSTEM, *executable))
    added = [f"{home}/bin" for home in executable if f"{home}/bin" not in folders and Path(home, "bin").is_dir()]
    return os.pathsep.join([*folders, *added])


@lru_cache(maxsize=16)
def _shown_folders(path: str, visible: tuple[str, ...]) -> tuple[str, ...]:
    """Shown folders of `path`; looked at once, since the targets of links stay the same."""
    return tuple(folder for folder in path.split(os.pathsep) if folder and is_below(os.path.realpath(folder), visible))


def is_below(path: str, folders: tuple[str, ...]) -> bool:
    """True if `path` equals or lies in one of `folders`."""
    return any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)
