"""Open questions on the disk, a file each, so a kill loses no question and a grant is used once."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from actors.linux.disk import Disk
from actors.linux.notebook import NoteFolder
from domain.policy.approval import Question

log = logging.getLogger(__name__)

FOLDER = "approvals"
"""Name of the folder, in the data root."""
_MOST_BYTES = 2 * 1024 * 1024


class QuestionNotes:
    """Notes of questions, each whole or not there."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder = folder
        self._disk = disk
        self._notes = NoteFolder(folder, disk, most_bytes=_MOST_BYTES)

    def keep(self, question: Question) -> None:
        """Return when the note would survive a power loss.

        Raises:
            OSError: the note may be lost.
        """
        self._notes.put(_name(question.id), msgspec.json.encode(question), is_durable=True)

    def drop(self, question_id: str) -> None:
        """Return when the note is gone, also after a power loss.

        Raises:
            OSError: the note may come back.
        """
        self._notes.remove(_name(question_id))
        if self._folder.is_dir():
            self._disk.sync_folder(self._folder)

    def earlier(self) -> list[Question]:
        """Questions that an earlier life left, oldest first; an unreadable note is passed over with a warning.

        Raises:
            OSError: the folder cannot be read.
        """
        self._notes.remove_drafts()
        read = (self._read(name) for name in self._notes.names() if name.endswith(".json"))
        return sorted((question for question in read if question is not None), key=lambda question: question.asked_at)

    def _read(self, name: str) -> Question | None:
        data = self._notes.read(name)
        try:
            question = None if data is None else msgspec.json.decode(data, type=Question)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            log.warning("%s is not a note of a question and is skipped: %s", self._folder / name, error)
            return None
        return question if question is not None and _name(question.id) == name else None


def _name(question_id: str) -> str:
    return f"{question_id}.json"
