"""Owed work: for late writers, for crashed askers, after failed journals and lost disks."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from actors.edited_file.folder_lock import FolderLocks
from domain.curated import journal
from domain.curated.document import parse_document
from domain.curated.journal import Operation, Step
from domain.curated.table import digest
from messages.base import RequestId
from messages.curated import (
    CURATED,
    AddFact,
    ArchiveFact,
    FactsFlushed,
    FactStaged,
    FactWritten,
    FlushFacts,
    MoveFact,
    RememberFact,
    RemoveFact,
)
from messages.curated_view import CuratedDescribed, DescribeCurated, FaultsListed, ListFaults
from messages.discord import ReadersListed
from messages.socket import Refused
from tests.actors.curated.rig import EVERYBODY, GENERAL, CuratedRig
from tests.pace import paced_s
from tests.patience import PATIENCE_S
from tests.recording_disk import RecordingDisk


class Full:
    """A disk that is full for calls of one name, or for writes of some words."""

    def __init__(self) -> None:
        self.call, self.words = "", b""

    def __call__(self, call: str, data: bytes) -> None:
        if call == self.call and self.words in data:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def facts(rig: CuratedRig, name: str = "MEMORY.md") -> list[str]:
    path = rig.folder / name
    return [page.text for page in parse_document(path.read_bytes() if path.exists() else b"").facts]


def write_journal(folder: Path, *operations: Operation, words: bytes = b"") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / journal.FILE).write_bytes(b"".join(map(journal.line, operations)) + words)


def staged_fact(number: int, text: str = "") -> Operation:
    return Operation(f"o{number}", text or f"fact {number}")


def test_a_name_of_the_journal_is_safe_whoever_made_it(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- of people\n")
    rig.write_index("", "page-table.jsonl")
    rig.stop()
    disk = RecordingDisk()
    rig = CuratedRig(tmp_path, disk=disk)
    rig.prepare()
    rig.remember("a fact")
    disk.lose_power()
    later = CuratedRig(tmp_path)
    later.stop()
    assert facts(later) == ["of people", "a fact"]


def test_the_name_of_a_folder_that_the_first_fact_makes_is_safe(tmp_path: Path) -> None:
    disk = RecordingDisk()
    rig = CuratedRig(tmp_path, disk=disk)
    assert not rig.folder.exists()
    rig.remember("a fact")
    disk.lose_power()
    later = CuratedRig(tmp_path)
    later.stop()
    assert facts(later) == ["a fact"]


def test_a_full_journal_commits_what_waits_and_takes_more(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    over = b"".join(
        journal.line(Operation(f"x{n}", "y" * 1_700)) + journal.line(Operation(f"x{n}", "", step=Step.COMMITTED))
        for n in range(9_130)
    )
    write_journal(rig.folder, staged_fact(0, "waits"), words=over + b"#" * (journal.LIMIT_BYTES - len(over) - 200))
    inode = (rig.folder / journal.FILE).stat().st_ino
    rig.remember("another")
    assert len(rig.answer(FactsFlushed, FlushFacts).committed) == 2
    assert facts(rig) == ["waits", "another"]
    assert (rig.folder / journal.FILE).stat().st_size < journal.LONG_BYTES
    assert (rig.folder / journal.FILE).stat().st_ino == inode


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("power", [False, True])
def test_a_kill_while_a_journal_is_shortened_loses_nothing_that_waits(tmp_path: Path, *, power: bool) -> None:
    over = b"".join(
        journal.line(Operation(f"x{n}", "y" * 900)) + journal.line(Operation(f"x{n}", "", step=Step.COMMITTED))
        for n in range(1_200)
    )
    for at in range(1, 40):
        calls = 0

        def before(_call: str, _data: bytes, at: int = at) -> None:
            nonlocal calls
            calls += 1
            if calls == at:
                raise Killed

        disk = RecordingDisk(before=before)
        rig = CuratedRig(tmp_path / str(at), disk=disk)
        write_journal(rig.folder, staged_fact(0, "waits"), words=over)
        with suppress(Killed):
            rig.remember("another")
        disk.before = lambda _call, _data: None
        if power:
            disk.lose_power()
        later = CuratedRig(tmp_path / str(at))
        later.stop()
        assert facts(later).count("waits") == 1
        if calls < at:
            return


def test_what_is_in_the_index_and_taken_out_by_a_person_does_not_come_back(tmp_path: Path) -> None:
    full = Full()
    rig = CuratedRig(tmp_path, disk=RecordingDisk(before=full))
    rig.remember("a fact")
    full.call, full.words = "write", b'"committed"'
    assert rig.answer(FactsFlushed, FlushFacts).committed == (("global", "a fact"),)
    full.call = ""
    rig.write_index("")
    assert rig.answer(FactsFlushed, FlushFacts).committed == ()
    rig.stop()
    assert facts(rig) == []


def test_a_flush_that_nothing_can_be_opened_for_does_not_block_the_next(tmp_path: Path) -> None:
    full = Full()
    rig = CuratedRig(tmp_path, disk=RecordingDisk(before=full))
    rig.remember("a fact")
    full.call = "make_folder"
    assert rig.answer(FactsFlushed, FlushFacts).notes
    full.call = ""
    assert rig.answer(FactsFlushed, FlushFacts).committed == (("global", "a fact"),)


@pytest.mark.parametrize("text", ["half \\ud800", "two\\nlines", "a\\r\\n# heading"])
def test_a_line_of_the_journal_that_no_file_can_hold_crashes_nothing(tmp_path: Path, text: str) -> None:
    rig = CuratedRig(tmp_path)
    words = f'{{"id": "a", "state": "staged", "text": "{text}"}}\n{{"id": "a", "state": "begun"}}\n'
    write_journal(rig.folder, words=words.encode() + journal.line(staged_fact(1, "good")))
    assert rig.answer(FactsFlushed, FlushFacts).committed == (("global", "good"),)
    assert facts(rig) == ["good"]


def test_what_somebody_writes_late_to_a_version_that_was_displaced_comes_into_the_file(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- zero\n")
    with (rig.folder / "MEMORY.md").open("a") as editor:
        rig.answer(FactWritten, AddFact, scope="global", text="one")
        editor.write("- late\n")
    rig.settle(70)
    assert sorted(facts(rig)) == ["late", "one", "zero"]


def test_no_file_stays_open_for_ever(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    open_files = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(20):
        text = f"fact {number}"
        for words in (text, f"{text} more"):
            rig.answer(FactWritten, AddFact, scope="global", text=words)
            rig.answer(FactWritten, MoveFact, scope="global", fact=words, topic=f"t{number}.md", title="T", gist="")
    rig.settle(130)
    assert len(list(Path("/proc/self/fd").iterdir())) - open_files < 5


def test_a_folder_that_was_emptied_takes_nothing_until_its_disk_is_back(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.answer(FactWritten, AddFact, scope="global", text="one")
    rig.folder.rename(tmp_path / "unmounted")
    rig.folder.mkdir()
    assert not rig.prepare().folders[0].may_write
    for kind in (RememberFact, AddFact):
        assert "mount its disk" in rig.refusal(kind, scope="global", text="two")
    assert "mount its disk" in rig.answer(FactsFlushed, FlushFacts).notes[0]
    rig.stop()
    rig.start()
    assert list(rig.folder.iterdir()) == []
    rig.folder.rmdir()
    (tmp_path / "unmounted").rename(rig.folder)
    rig.answer(FactWritten, AddFact, scope="global", text="two")
    assert facts(rig) == ["one", "two"]


def test_what_waits_is_committed_when_the_disk_comes_after_the_start(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.answer(FactWritten, AddFact, scope="global", text="one")
    write_journal(rig.folder, staged_fact(1, "two"))
    rig.folder.rename(tmp_path / "unmounted")
    rig.folder.mkdir()
    rig.stop()
    rig.start()
    rig.folder.rmdir()
    (tmp_path / "unmounted").rename(rig.folder)
    rig.settle(130)
    assert facts(rig) == ["one", "two"]


@pytest.mark.crashes
def test_who_waits_when_the_actor_crashes_is_answered_and_an_old_timer_wakes_nothing(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- old\n")
    request_id = RequestId("a")
    request = AddFact(text="one", request_id=request_id, reply_to=rig.asker.address, window=GENERAL, scope="global")
    rig.system.tell(CURATED, request)
    rig.system.run()
    rig.system.tell(CURATED, ReadersListed(windows=7))  # type: ignore[arg-type]
    rig.settle(10)
    reply = rig.asker.receive(0, lambda each: getattr(each, "request_id", None) == request_id)
    assert isinstance(reply, Refused)
    assert "interrupted" in reply.reason
    rig.system.tell(CURATED, ReadersListed(windows=EVERYBODY))
    rig.answer(FactWritten, AddFact, scope="global", text="two")
    assert facts(rig) in (["old", "two"], ["old", "one", "two"])


def test_a_file_that_has_a_name_of_the_agents_own_besides_is_used(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- old\n")
    os.link(rig.folder / "MEMORY.md", rig.folder / f".MEMORY.md.{'0' * 32}.agent")
    rig.answer(FactWritten, AddFact, scope="global", text="two")
    assert facts(rig) == ["old", "two"]
    os.link(rig.folder / "MEMORY.md", tmp_path / "elsewhere")
    assert "2 names" in rig.refusal(AddFact, scope="global", text="three")


def test_a_full_file_loses_facts_and_takes_none(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- gone\n\n# All\n" + "x" * (4 * 2**20 + 10) + "\n")
    assert "MiB" in rig.refusal(AddFact, scope="global", text="one")
    rig.answer(FactWritten, RemoveFact, scope="global", fact="gone")


def test_a_full_disk_leaves_no_half_of_a_file_of_the_folder(tmp_path: Path) -> None:
    full = Full()
    (tmp_path / "shop").mkdir()
    rig = CuratedRig(tmp_path, projects={GENERAL.id: tmp_path / "shop"}, disk=RecordingDisk(before=full))
    rig.answer(FactWritten, AddFact, scope="project", text="one")
    memory = tmp_path / "shop" / ".pi" / "memory"
    (memory / ".gitignore").unlink()
    full.call = "write"
    rig.prepare()
    assert not (memory / ".gitignore").exists()
    full.call = ""
    rig.prepare()
    assert "writeback-journal" in (memory / ".gitignore").read_text()
    assert rig.answer(FaultsListed, ListFaults).faults == ()


def test_an_archive_whose_folder_cannot_be_kept_ready_is_refused(tmp_path: Path) -> None:
    full = Full()
    rig = CuratedRig(tmp_path, disk=RecordingDisk(before=full))
    rig.answer(FactWritten, AddFact, scope="global", text="one")
    (rig.folder / "archive").mkdir()
    full.call = "make_folder"
    rig.refusal(ArchiveFact, scope="global", fact="one")
    full.call = ""
    rig.answer(FactWritten, ArchiveFact, scope="global", fact="one")
    assert (facts(rig), facts(rig, "archive/MEMORY.md")) == ([], ["one"])


def test_the_end_commits_a_thousand_facts_in_each_of_three_folders_at_once(tmp_path: Path) -> None:
    repositories = {str(number): tmp_path / str(number) for number in range(2)}
    for repository in repositories.values():
        repository.mkdir()
    rig = CuratedRig(tmp_path, projects=repositories)
    folders = (rig.folder, *(repository / ".pi" / "memory" for repository in repositories.values()))
    for folder in folders:
        write_journal(folder, *map(staged_fact, range(1_000)))
        (folder / "MEMORY.md").write_text("".join(f"- of people {number}\n" for number in range(3_000)))
    assert paced_s(rig.stop) < 5
    for folder in folders:
        assert len(parse_document((folder / "MEMORY.md").read_bytes()).facts) == 4_000


@pytest.fixture
def appending(tmp_path: Path) -> Iterator[Path]:
    """A file that a command appends to without end."""
    path, over = tmp_path / "home" / ".pi" / "agent" / "memory" / "MEMORY.md", threading.Event()
    path.parent.mkdir(parents=True)

    def append() -> None:
        number = 0
        while not over.wait(0.002):
            with path.open("a") as file:
                file.write(f"- line {number}\n")
            number += 1

    thread = threading.Thread(target=append)
    thread.start()
    yield path
    over.set()
    thread.join()


def test_the_end_does_not_wait_for_a_file_that_never_rests(tmp_path: Path, appending: Path) -> None:
    rig = CuratedRig(tmp_path)
    write_journal(appending.parent, *map(staged_fact, range(10)))
    begun = time.monotonic()
    rig.stop()
    assert time.monotonic() - begun < PATIENCE_S, "or it waits as long as the file is written to"


def test_status_is_quick_and_exact_beside_a_full_journal(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    write_journal(rig.folder, *map(staged_fact, range(3)), words=b'{"id": "torn')
    assert rig.answer(CuratedDescribed, DescribeCurated).scopes[0].waiting == 3
    (rig.folder / journal.FILE).unlink()
    (rig.folder / journal.FILE).mkdir()
    assert not isinstance(rig.ask(RememberFact, scope="global", text="x"), FactStaged)
    rig.answer(FactWritten, AddFact, scope="global", text="y")
    assert json.loads((rig.folder / "page-table.jsonl").read_text().splitlines()[0])["pages"] == 2


def test_what_another_program_is_writing_is_not_taken_for_what_a_crash_left(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- one\n")
    rig.stop()
    writer = FolderLocks()
    writer.announce(rig.folder)
    beside = rig.folder / f".MEMORY.md.{'0' * 32}.agent"
    beside.write_text("- one\n- of a person\n")
    rig.start()
    assert beside.exists()
    writer.keep(())
    rig.settle(70)
    assert not beside.exists()


@pytest.mark.parametrize(
    ("expected", "saved", "left"),
    [
        ("- old\n- other\n", "- other\n", ["other"]),
        ("- old\n- other\n", "- new\n- other\n", ["new", "other"]),
        ("- other\n", "- old\n- other\n", ["old", "other"]),
    ],
)
def test_a_fact_that_got_its_day_before_a_crash_is_the_fact_that_a_person_adds_changes_or_deletes(
    tmp_path: Path, expected: str, saved: str, left: list[str]
) -> None:
    rig = CuratedRig(tmp_path, dates=True)
    rig.write_index("- old <!-- confirmed 2026-01-30 -->\n- other\n")
    rig.stop()
    spare = rig.own / digest(os.fsencode(rig.folder / "MEMORY.md"))[:16]
    spare.mkdir(parents=True)
    (spare / f"{'0' * 32}.base").write_text(expected)
    (rig.folder / f".MEMORY.md.{'0' * 32}.agent").write_text(saved)
    rig.start()
    rig.settle()
    assert sorted(facts(rig)) == left
