"""Proof that a host has the head's storage at the data root's path, and not some other folder of that name.

The head holds the lock of `agent.lock` while it lives, so a host that gets the lock is elsewhere. Another agent may
hold the lock there, so a random word of this run, in `hosts.lock`, is compared, too. After the word stands the path of
Ray's folder; a later start removes the folder if the agent was killed.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import NamedTuple

from actors.cluster.fence import HOSTS_LOCK
from actors.linux.regular_file import open_regular, read_regular

AGENT_LOCK = "agent.lock"
NOTE_BYTES = 1024
"""Size of the padded note: written over the previous note, it needs no space on a full disk."""
WORD_BYTES = 16


class Note(NamedTuple):
    """Content of `hosts.lock`, written by the head."""

    word: str
    """Random word of the run."""
    folder: str
    """Ray's folder; empty without Ray."""


def new_word() -> str:
    """A word unlike any other run's."""
    return os.urandom(WORD_BYTES).hex()


def write_note(data_root: Path, note: Note) -> None:
    """Record the run that has the data root; for the root's holder only.

    Raises:
        OSError: the note cannot be written.
    """
    fd = open_regular(data_root / HOSTS_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    try:
        os.pwrite(fd, os.fsencode(f"{note.word}\n{note.folder}\n").ljust(NOTE_BYTES), 0)
    finally:
        os.close(fd)


def read_note(data_root: Path) -> Note:
    """Note of the latest run; empty without an earlier run.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        data = read_regular(data_root / HOSTS_LOCK)
    except FileNotFoundError:
        return Note("", "")
    word, folder = (*os.fsdecode(data).split("\n")[:2], "", "")[:2]
    return Note(word.strip(), folder.strip())


def refusal(data_root: Path, word: str) -> str:
    """Reason why a host must not write there; empty for the head's storage.

    Args:
        data_root: As the host sees it.
        word: Of the head's run.
    """
    wanted = f"{data_root} must be the same storage on all machines"
    try:
        fd = os.open(data_root / AGENT_LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return f"no data root: {wanted}, and {AGENT_LOCK} there cannot be opened: {error.strerror}"
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    except OSError as error:
        return f"{data_root} cannot be locked: {error.strerror}"
    else:
        return f"not the head's data root: {wanted}, and no process holds {AGENT_LOCK} here, as the head does there"
    finally:
        os.close(fd)
    try:
        noted = read_note(data_root).word
    except OSError as error:
        return f"{data_root / HOSTS_LOCK} cannot be read: {error.strerror}"
    if noted != word:
        return f"not the head's data root: {wanted}, and {HOSTS_LOCK} here is of another run"
    return ""
