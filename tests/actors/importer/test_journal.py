"""The journal of imports says after any end how far each place was read."""

from __future__ import annotations

from pathlib import Path

from actors.importer.journal import PLACE, ImportJournal
from actors.importer.progress import Reading
from messages.base import Surface, Window
from tests.recording_disk import RecordingDisk

WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="900000000000000000")
OTHER = Window(surface=Surface.DISCORD_THREAD, id="900000000000000001")
READING = Reading(window=WINDOW, top=9, after=2, before=5, stored=3, read=4)


def load_journal(root: Path) -> ImportJournal:
    journal = ImportJournal(root)
    journal.load()
    return journal


def test_what_was_noted_survives_a_power_loss(tmp_path: Path) -> None:
    disk = RecordingDisk()
    journal = ImportJournal(tmp_path, disk)
    journal.load()
    journal.note_state("reading")
    disk.lose_power()
    assert load_journal(tmp_path).state == "reading"
    disk = RecordingDisk()
    ImportJournal(tmp_path, disk).note([READING])
    disk.lose_power()
    again = load_journal(tmp_path)
    assert (again.state, again.readings) == ("reading", {WINDOW: READING})
    again.note_exported([OTHER])
    again = load_journal(tmp_path)
    assert (again.readings, set(again.past)) == ({WINDOW: READING}, {WINDOW, OTHER})
    assert set(load_journal(tmp_path).past) == {WINDOW, OTHER}


def test_a_journal_that_was_shortened_survives_a_power_loss(tmp_path: Path) -> None:
    journal = ImportJournal(tmp_path)
    for before in range(9, 5, -1):
        journal.note([Reading(window=WINDOW, top=9, after=2, before=before)])
    long = (tmp_path / PLACE).stat().st_size
    disk = RecordingDisk()
    ImportJournal(tmp_path, disk).load()
    disk.lose_power()
    assert (tmp_path / PLACE).stat().st_size < long
    assert load_journal(tmp_path).readings[WINDOW].before == 6


def test_a_line_that_a_kill_cut_short_says_nothing(tmp_path: Path) -> None:
    ImportJournal(tmp_path).note([READING])
    whole = (tmp_path / PLACE).read_bytes()
    for cut in range(len(whole)):
        (tmp_path / PLACE).write_bytes(whole + whole.replace(b'"before":5', b'"before":3')[:cut])
        assert load_journal(tmp_path).readings[WINDOW].before in ((5, 3) if cut >= len(whole) - 1 else (5,))


def test_a_line_behind_a_torn_one_is_read(tmp_path: Path) -> None:
    ImportJournal(tmp_path).note([READING])
    with (tmp_path / PLACE).open("ab") as file:
        file.write(b'{"state":"rea')

    ImportJournal(tmp_path).note_exported([OTHER])

    assert set(load_journal(tmp_path).past) == {WINDOW, OTHER}
