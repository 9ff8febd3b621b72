"""Selection of the files for a backup of a data root, and their order while the agent may be writing.

No message acknowledged before the backup began is missing, and a message received meanwhile is either in the backup
or known to be missing. The order ensures this:

1. The watermarks ("everything up to here is logged"), the positions of imports and the forget requests come first. A
   watermark older than the logs costs a second look at messages known by their ids; a newer watermark would hide
   messages missing from the copied logs, and a newer request would call words gone that the copied logs hold.
2. Of each window's logs, listed once, the newest comes first. A new log's header names the messages in the
   older logs; copied after the header, the older logs hold all named messages.
3. Attachments and output come after the logs: the agent writes a file before the event that names the file.
4. The reminders' file comes after the logs, so a reminder set by a copied log is in the file. A reminder sent in
   between may be sent once more after a restore; no reminder is lost.

Derived data and the running process's own files are left out, and so are the secrets and each file
in `SECRET_FILES` of `actors.linux.disk`: a backup may lie where other people can read the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from actors.context.log.data_root import UNFINISHED_RESTORE
from actors.context.log.ends import FILE_NAME as ENDS
from actors.context.log.scan import log_names
from actors.facts.index.database import SCHEMA as FACTS
from actors.forget.config import FOLDER as FORGETS
from actors.linux.disk import secret_names
from domain.log.watermark import FILE_NAME as WATERMARKS
from domain.log.window import LOGGED_SURFACES
from domain.log.window_folders import REPLACED
from domain.policy.memory_switch import FILE_NAME as SWITCHES

LOGS = "logs"
IMPORTS = "imports"
WORK = "work"
_OF_THE_PROCESS = (
    *(
        "agent.lock",
        "hosts.lock",
        "agent.sock",
        ".new",
        "sockets",
        "reserve",
        "approvals",
    ),
    *("signs", ".signs.new"),
)
_DERIVED = ("memory", "routes", "views", "redacted", ENDS, f".{ENDS}.new")
_OTHERS = ("playground", "secrets.env", ".cache", f".{WATERMARKS}.new", f".{SWITCHES}.new", UNFINISHED_RESTORE)
"""The data root of `agent try`, secrets, and files that libraries can download again."""
LEFT_OUT = frozenset((*_OF_THE_PROCESS, *_DERIVED, *_OTHERS)) | secret_names()
CHANNELS = ("workspace", "channels")
"""Folders of windows' workspaces; commands write there as the runtime does."""
TRASH = ".emptied"
"""In the folder of working directories: content being removed."""
FIRST = (WATERMARKS, IMPORTS, FORGETS, LOGS)
_FACTS = Path(FACTS.place)
_LAST = (WORK,)
_TAIL_BYTES = 256
_WHOLE = re.compile(rb"\n<!-- end [0-9A-Za-z_-]{1,64} bytes=[0-9]+ hash=[0-9a-f]{16} -->\n\n\Z")
"""Last bytes of a log with a whole last record; no content has such a line."""


def top_names(root: Path) -> list[str]:
    """Names to copy from the data root, in order.

    Raises:
        OSError: the data root cannot be read.
    """
    names = {entry.name for entry in root.iterdir()} - LEFT_OUT
    names = {name for name in names if not name.startswith(REPLACED)}
    between = sorted(names.difference(FIRST, _LAST))
    return [name for name in (*FIRST, *between, *_LAST) if name in names]


def copy_order(folder: tuple[str, ...], names: list[str], path: Path) -> list[str]:
    """Entries of a folder in copying order.

    Args:
        folder: The folder's path below the data root, part by part.
        names: Names in the folder.
        path: Path of the folder.

    Raises:
        OSError: the folder cannot be read.
    """
    if len(folder) == 3 and folder[0] == LOGS and folder[1] in {surface.value for surface in LOGGED_SURFACES}:
        logs = [name for name in log_names(path) if name in names]
        others = sorted(name for name in set(names).difference(logs) if not _is_draft(name))
        return [*reversed(logs), *others]
    if folder == (WORK,):
        return sorted(name for name in names if name != TRASH)
    if folder == _FACTS.parent.parts:  # derived as well; whatever else people keep there is not
        return sorted(name for name in names if not name.startswith(_FACTS.name))
    return sorted(names)


def _is_draft(name: str) -> bool:
    """True for an unfinished log: a backup may find the log under its own name, or not at all."""
    return name.startswith(".") and name.endswith(".new")


def is_log(folder: tuple[str, ...], name: str) -> bool:
    """True if a file is a window's log."""
    return len(folder) == 3 and folder[0] == LOGS and name.endswith(".md")


def is_commands(folder: tuple[str, ...]) -> bool:
    """True if commands write in a folder, whose files may then be of any kind and change at any time."""
    return bool(folder) and (folder[0] in (WORK, "output") or folder[:2] == CHANNELS)


def leftovers(file: Path) -> Iterator[Path]:
    """Files beside the reminders' file, in use by an edit or left behind by an earlier edit."""
    with os.scandir(file.parent) as entries:
        for entry in entries:
            if entry.name.startswith(f".{file.name}.") and entry.name.endswith(".agent"):
                yield Path(entry.path)


def ends_whole(fd: int, size: int) -> bool:
    """True if the last record of a log of `size` bytes is whole."""
    start = max(0, size - _TAIL_BYTES)
    return _WHOLE.search(os.pread(fd, size - start, start)) is not None
