"""Owed work in memory folders: done when the disk works again, and before the end."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from domain.curated import journal, table
from domain.curated.document import parse_document
from domain.curated.journal import Operation
from messages.curated import CURATED, AddFact, FactWritten
from messages.discord import ReadersListed
from tests.actors.curated.rig import EVERYBODY, GENERAL, CuratedRig
from tests.recording_disk import RecordingDisk

MINUTE_S = 61.0


class Refusing:
    """A disk that refuses calls of one name that are about some words."""

    def __init__(self, call: str, words: bytes) -> None:
        self.call, self.words = call, words
        self.is_on = False
        self.refused = 0

    def __call__(self, call: str, data: bytes) -> None:
        if self.is_on and call == self.call and self.words in data:
            self.refused += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def table_of(rig: CuratedRig) -> bytes:
    path = rig.folder / table.FILE
    return path.read_bytes() if path.exists() else b""


def test_what_an_earlier_life_staged_is_committed_when_the_disk_has_room(tmp_path: Path) -> None:
    full = Refusing("write", b"begun")
    rig = CuratedRig(tmp_path, disk=RecordingDisk(before=full))
    rig.answer(FactWritten, AddFact, scope="global", text="one")
    rig.stop()
    (rig.folder / journal.FILE).write_bytes(journal.line(Operation("o1", "two")))
    full.is_on = True
    rig.start()
    assert full.refused == 1
    full.is_on = False
    rig.settle(MINUTE_S)

    assert [page.text for page in parse_document(rig.index().encode()).facts] == ["one", "two"]
    rig.stop()


def test_what_waited_for_readers_is_committed_when_the_disk_has_room(tmp_path: Path) -> None:
    full = Refusing("write", b"begun")
    rig = CuratedRig(tmp_path, disk=RecordingDisk(before=full))
    rig.write_index("- one\n")
    rig.stop()
    operation = Operation("o1", "two", window=GENERAL.address.key)
    (rig.folder / journal.FILE).write_bytes(journal.line(operation))
    rig.told = ()
    rig.start()
    assert full.refused == 0
    full.is_on = True
    rig.system.tell(CURATED, ReadersListed(windows=EVERYBODY))
    rig.system.run()
    assert full.refused == 1
    full.is_on = False
    rig.settle(MINUTE_S)

    assert [page.text for page in parse_document(rig.index().encode()).facts] == ["one", "two"]
    rig.stop()


def test_a_page_table_that_could_not_be_written_is_written_when_the_disk_has_room(tmp_path: Path) -> None:
    full = Refusing("write", b'"version"')  # which a page table begins with
    rig = CuratedRig(tmp_path, disk=RecordingDisk(before=full))
    rig.write_index("- one\n")
    rig.answer(FactWritten, AddFact, scope="global", text="first words")
    full.is_on = True
    rig.answer(FactWritten, AddFact, scope="global", text="new words")
    rig.settle(2 * MINUTE_S)
    full.is_on = False
    assert b"new words" not in table_of(rig)
    rig.settle(MINUTE_S)

    assert b"new words" in table_of(rig)
    rig.stop()
