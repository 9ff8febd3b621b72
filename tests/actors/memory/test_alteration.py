"""An index altered by another program: altered content is never shown, and the index is soon restored."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import apsw
import pytest

from actors.memory import store
from actors.memory.index.seal import row_seal
from actors.memory.store import SCRUBBED_AT_ONCE
from messages.base import Surface, Window
from messages.memory import SearchMemory
from messages.model import ModelRequest
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.rig import PUBLIC, MemoryRig
from tests.actors.memory.test_faults import HOUR_S, index_of, is_well, later
from tests.actors.memory.test_memory_actor import THREAD, excerpts

SECRET = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000055")
PRIVATE = "1:910000000000000055:private"
SAID = """
SELECT f.path, t.line, w.key, t.timestamp, t.status, t.pinned, t.hash, t.role, t.event, t.turn, t.author, t.content,
  (SELECT embedding FROM vectors v WHERE v.id = t.vector), (SELECT hash FROM vectors v WHERE v.id = t.vector)
FROM turns t JOIN files f ON f.id = t.file JOIN windows w ON w.id = t.window ORDER BY f.path, t.line
"""
WORDS = "SELECT term, doc, cnt FROM vocabulary"

ALTERATIONS = {
    "words of a turn": "UPDATE turns SET content = replace(content, 'Zorro', 'Morro')",
    "a letter that is none": "UPDATE turns SET content = CAST(x'4d79206361e9' AS TEXT) WHERE content LIKE '%Zorro%'",
    "author": "UPDATE turns SET author = 'Mallory'",
    "time": "UPDATE turns SET timestamp = timestamp + 1000000 WHERE id = 1",
    "role": "UPDATE turns SET role = 'agent'",
    "event": "UPDATE turns SET event = 'e' || event WHERE id = 1",
    "turn": "UPDATE turns SET turn = 't' || turn WHERE id = 1",
    "line": "UPDATE turns SET line = line + 1000 WHERE id = 1",
    "hash": "UPDATE turns SET hash = x'00' WHERE id = 1",
    "seal": "UPDATE turns SET seal = x'00' WHERE id = 1",
    "pin": "UPDATE turns SET pinned = 1 WHERE id = 1",
    "window of a turn": "UPDATE turns SET window = (SELECT min(id) FROM windows)",
    "window that is none": "PRAGMA foreign_keys = off; UPDATE turns SET window = 77 WHERE id = 1",
    "window that is no number": "PRAGMA foreign_keys = off; UPDATE turns SET window = 'none' WHERE id = 1",
    "file of a turn": "UPDATE turns SET line = line + id * 1000, file = (SELECT min(id) FROM files)",
    "names of windows": "UPDATE windows SET key = 'discord-channel/1' WHERE key = 'discord-channel/910000000000000055'",
    "window of a file": "UPDATE files SET window = (SELECT min(id) FROM windows)",
    "path of a file": "UPDATE files SET path = path || 'x' WHERE id = 1",
    "another's vector": "UPDATE turns SET vector = (SELECT max(id) FROM vectors)",
    "numbers of a vector": "UPDATE vectors SET embedding = CAST(substr(embedding, 5) || substr(embedding, 1, 4) AS BLOB)",
    "hash of a vector": "UPDATE vectors SET hash = CAST(substr(hash, 1, 15) || x'00' AS BLOB) WHERE id = 1",
    "sum of a vector": "UPDATE vectors SET sum = sum + 1 WHERE id = 1",
    "keyword": "DELETE FROM words WHERE rowid = 1; INSERT INTO words(rowid, content) VALUES (1, 'nonsense')",
    "length of a turn": "UPDATE words_docsize SET sz = x'7f' WHERE id = 1",
    "what was taken back": "DELETE FROM tombstones; DELETE FROM pins; INSERT INTO pins VALUES ('p', 1, 1, 1, 'p', 1)",
}


def alter(root: Path, change: str) -> None:
    """Have another program do something to the index."""
    other = apsw.Connection(str(index_of(root)))
    list(other.execute(change))
    list(other.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    other.close()


def index_content(root: Path) -> tuple[list[object], list[object]]:
    """All that the index says, but for the numbers of its rows."""
    other = apsw.Connection(str(index_of(root)), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(other.execute(SAID)), list(other.execute(WORDS))
    finally:
        other.close()


def with_words(root: Path) -> MemoryRig:
    rig = MemoryRig(root)
    rig.exchange("My cat is called Zorro", "Fine.", CHANNEL)
    rig.exchange("The code of the safe is Zorro 1234", "I keep it.", SECRET, audience=PRIVATE)
    rig.advance(5)
    return rig


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> MemoryRig:
    """A life that has ended, after a comparison of the logs: from now on nothing about the logs is new."""
    root = tmp_path_factory.mktemp("template")
    rig = with_words(root)
    rig.stop()
    rig = MemoryRig(root, clock=later(rig))
    rig.advance(5)
    rig.stop()
    return rig


def copies(template: MemoryRig, folder: Path, changes: Mapping[str, str]) -> Iterator[tuple[str, str, Path]]:
    """Name and statement of each change, with a copy of the template's folder for it."""
    for number, (name, change) in enumerate(changes.items()):
        yield name, change, Path(shutil.copytree(template.root, folder / str(number)))


def shown_excerpts(request: ModelRequest) -> str:
    return " ".join(excerpts(request))


def test_whatever_is_altered_while_the_agent_is_off_is_never_shown_and_the_index_is_as_it_was_after_the_start(
    template: MemoryRig, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    before = index_content(template.root)
    for name, change, root in copies(template, tmp_path, ALTERATIONS):
        with subtests.test(name):
            alter(root, change)

            rig = MemoryRig(root, clock=later(template))
            rig.hear_readers(SECRET, PRIVATE)
            rig.advance(5)

            is_well(rig, 4)
            rig.stop()
            assert index_content(root) == before
            rig = MemoryRig(root, clock=later(rig))
            words = shown_excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD))
            assert "My cat is called Zorro" in words
            assert "1234" not in words
            rig.stop()


def test_whatever_is_altered_while_the_agent_runs_is_never_shown_and_the_index_is_as_it_was_within_two_comparisons(
    template: MemoryRig, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    before = index_content(template.root)
    for name, change, root in copies(template, tmp_path, ALTERATIONS):
        with subtests.test(name):
            rig = MemoryRig(root, clock=later(template))
            rig.hear_readers(SECRET, PRIVATE)
            rig.advance(5)
            alter(root, change)

            words = shown_excerpts(rig.exchange("What is my cat called?", "I see.", THREAD, audience=PUBLIC))

            for altered in ("Morro", "Mallory", "1234"):
                assert altered not in words
            rig.advance(2 * HOUR_S)
            rig.advance(10)
            is_well(rig, 6)
            rig.stop()
            assert [row for row in index_content(root)[0] if THREAD.id not in str(row)] == before[0]


TURN_GONE = "DELETE FROM words WHERE rowid = 1; DELETE FROM turns WHERE id = 1"
AFTER_A_KILL = {
    **ALTERATIONS,
    "a turn and its words": TURN_GONE,
    "keyword of another turn": "DELETE FROM words WHERE rowid <= 2; INSERT INTO words(rowid, content) "
    "SELECT 3 - id, author || ': ' || content FROM turns WHERE id <= 2",
    "a turn, as if another window's log took it back": "INSERT INTO tombstones "
    f"SELECT event, 'p', 0, (SELECT max(path) FROM files), 2 FROM turns WHERE id = 1; {TURN_GONE}",
    "a turn, as if a log that is none took it back": "INSERT INTO tombstones "
    f"SELECT event, 'p', 0, 'q', 2 FROM turns WHERE id = 1; {TURN_GONE}",
    "pin of a line that says none": "INSERT INTO pins SELECT path, 7777, 1, 1, path, 2 FROM files LIMIT 1",
}


def kill_and_alter(rig: MemoryRig, change: str) -> MemoryRig:
    """The next life after a kill, and after another program has done something to what that left."""
    folder = rig.root / "memory"
    left = {file: file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-shm")}
    rig.stop()
    for file in folder.iterdir():
        file.unlink()
    for file, data in left.items():
        file.write_bytes(data)
    alter(rig.root, change)
    return MemoryRig(rig.root, clock=later(rig))


def is_verified(rig: MemoryRig) -> bool:
    assert rig.memory_store is not None
    return rig.memory_store.index.is_verified()


def moved_aside(root: Path) -> list[str]:
    return [file.name for file in (root / "memory").glob("index.sqlite.unusable-*Z")]


def test_whatever_is_altered_after_a_kill_is_never_shown_and_the_index_is_as_it_was_after_the_start(
    template: MemoryRig, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    before = index_content(template.root)
    for name, change, root in copies(template, tmp_path, AFTER_A_KILL):
        with subtests.test(name):
            rig = MemoryRig(root, clock=later(template))
            rig.advance(5)

            rig = kill_and_alter(rig, change)
            rig.hear_readers(SECRET, PRIVATE)
            rig.advance(5)

            is_well(rig, 4)
            assert index_content(root) == before
            words = shown_excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD))
            assert "My cat is called Zorro" in words
            assert "1234" not in words
            rig.stop()


def test_a_row_whose_seal_was_made_anew_with_it_is_not_what_the_log_says(tmp_path: Path) -> None:
    rig = with_words(tmp_path)
    before = index_content(tmp_path)
    other = apsw.Connection(str(index_of(tmp_path)), flags=apsw.SQLITE_OPEN_READONLY)
    ((path, *columns),) = other.execute(
        "SELECT path, line, event, turn, role, author, timestamp, content, turns.hash FROM turns "
        "JOIN files ON files.id = turns.file WHERE turns.id = 1"
    )
    other.close()
    columns[3] = "agent"
    seal = row_seal(path, *columns).hex()

    rig = kill_and_alter(rig, f"UPDATE turns SET role = 'agent', seal = x'{seal}' WHERE id = 1")
    rig.advance(5)

    assert index_content(tmp_path) == before
    rig.stop()


@pytest.mark.parametrize("has_stopped_before", [False, True])
def test_what_a_kill_leaves_is_kept_if_it_is_what_the_logs_say(tmp_path: Path, *, has_stopped_before: bool) -> None:
    rig = with_words(tmp_path)
    if has_stopped_before:
        rig.stop()
        rig = MemoryRig(tmp_path, clock=later(rig))
        rig.advance(5)

    rig = kill_and_alter(rig, "SELECT 1")
    rig.advance(5)

    is_well(rig, 4)
    assert is_verified(rig)
    assert moved_aside(tmp_path) == []
    rig.stop()


def test_after_a_kill_no_row_is_left_to_a_later_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "SCRUBBED", 1)
    monkeypatch.setattr(store, "SCRUBBED_AT_ONCE", 1)
    rig = kill_and_alter(with_words(tmp_path), "UPDATE turns SET pinned = 1 WHERE id = (SELECT max(id) FROM turns)")
    rig.advance(5)
    assert len(moved_aside(tmp_path)) == 1
    rig.stop()


def test_what_another_program_wrote_just_before_a_stop_does_not_count_as_the_agents_own(tmp_path: Path) -> None:
    rig = with_words(tmp_path)
    before = index_content(tmp_path)
    alter(tmp_path, ALTERATIONS["keyword"])
    rig.stop()

    rig = MemoryRig(tmp_path, clock=later(rig))
    rig.advance(5)

    is_well(rig, 4)
    assert index_content(tmp_path) == before
    rig.stop()


def test_a_program_that_only_reads_alters_nothing(tmp_path: Path) -> None:
    rig = with_words(tmp_path)
    assert rig.memory_store is not None
    for number in range(3):
        index_content(tmp_path)
        list(rig.memory_store.index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        rig.exchange(f"number {number}", "ok")
    assert moved_aside(tmp_path) == []

    alter(tmp_path, ALTERATIONS["keyword"])
    rig.exchange("number 4", "ok")

    assert len(moved_aside(tmp_path)) == 1
    rig.stop()


def spoil(data: bytes) -> bytes:
    return b"\xa5" * len(data)


def halve(data: bytes) -> bytes:
    return data[: len(data) // 2]


def hollow(data: bytes) -> bytes:
    return data[:4096] + b"\xa5" * (len(data) - 4096)


@pytest.mark.parametrize("wreck", [spoil, halve, hollow])
def test_what_was_altered_and_then_is_no_index_any_more_is_made_anew(
    tmp_path: Path, wreck: Callable[[bytes], bytes]
) -> None:
    """No note can be made in it that it is not to be used; that is no reason to crash."""
    rig = with_words(tmp_path)
    alter(tmp_path, ALTERATIONS["author"])
    with index_of(tmp_path).open("r+b") as file:
        wrecked = wreck(file.read())
        file.seek(0)
        file.truncate()
        file.write(wrecked)

    words = shown_excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD))

    assert "Mallory" not in words
    rig.advance(10)
    is_well(rig, 6)
    assert len(moved_aside(tmp_path)) == 1
    rig.stop()


def test_a_defect_in_an_index_that_cannot_be_compared_is_trouble_with_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = with_words(tmp_path)

    def nonsense(*_: object) -> None:
        raise ValueError("nonsense")

    def unreadable() -> None:
        raise apsw.CorruptError("a page of it")

    assert rig.memory_store is not None
    monkeypatch.setattr(rig.memory_store, "remember", nonsense)
    monkeypatch.setattr(rig.memory_store, "check", unreadable)
    rig.exchange("My dog is called Rex", "Fine.", THREAD)

    rig.advance(120)
    is_well(rig, 6)
    rig.stop()


def test_any_byte_may_be_another_one_after_a_stop(
    template: MemoryRig, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    before = index_content(template.root)
    for seed, _, root in copies(template, tmp_path, dict.fromkeys(map(str, range(12)), "")):
        with subtests.test(seed):
            chance = random.Random(int(seed))
            data = bytearray(index_of(root).read_bytes())
            for _ in range(3):
                used = [at for at in range(chance.randrange(len(data)), len(data)) if data[at]]
                data[used[0] if used else 0] ^= 1 << chance.randrange(8)
            index_of(root).write_bytes(data)

            rig = MemoryRig(root, clock=later(template))
            rig.advance(30)

            is_well(rig, 4)
            rig.stop()
            assert index_content(root) == before


def test_an_index_in_which_nothing_was_altered_is_left_as_it_is(tmp_path: Path) -> None:
    rig = with_words(tmp_path)
    for number in range(SCRUBBED_AT_ONCE // 100):
        rig.exchange(f"number {number} \udcff \u00e9", "ok")
    rig.advance(2 * HOUR_S)
    rig.ask(SearchMemory, query="number")
    rig.stop()
    rig = MemoryRig(tmp_path, clock=later(rig))
    rig.advance(HOUR_S)
    rig.stop()
    assert [file.name for file in (tmp_path / "memory").iterdir() if "unusable" in file.name] == []
