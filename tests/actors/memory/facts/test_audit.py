"""Audit of the index: each kind of fault is found."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from actors.memory.facts.audit import audit
from tests.actors.memory.facts.rig import IndexRig, row, unit


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE entries SET role = 'fact'", "row 'a': there is no role 'fact'"),
        ("UPDATE entries SET id = ''", "row '': it has no id, or no path"),
        ("UPDATE entries SET path = ''", "row 'a': it has no id, or no path"),
        ("UPDATE entries SET model = ''", "row 'a': of vector and space it has one only"),
        ("UPDATE entries SET vector = x''", "row 'a': of vector and space it has one only"),
        ("UPDATE entries SET vector = x'00'", "row 'a': 1 bytes are no vector: a multiple of 4 is required, and not 0"),
        ("UPDATE entries SET vector = x'00000040'", "row 'a': a vector of the length 2 is none: 1 is required"),
        ("PRAGMA user_version = 9", "its kind and version are 0x52656d46 and 9"),
        ("DROP TABLE entries", "its tables are others"),
        ("UPDATE entries SET content = cast(x'ff' AS TEXT), id = cast(x'ff' AS TEXT)", "can't decode"),
    ],
)
def test_a_fault_of_a_row_or_of_the_file_is_found(tmp_path: Path, statement: str, fault: str) -> None:
    rig = IndexRig(tmp_path)
    rig.put(row("a", unit(1, 0)))
    rig.stop()
    assert audit(rig.path) == []
    connection = apsw.Connection(str(rig.path))
    list(connection.execute(statement))
    connection.close()

    (found,) = audit(rig.path)
    assert fault in found


def test_what_sqlite_itself_finds_is_a_fault(tmp_path: Path) -> None:
    rig = IndexRig(tmp_path)
    rig.put(*(row(f"r{n}", unit(1, n), content="x" * 3_000) for n in range(50)))
    rig.stop()
    data = bytearray(rig.path.read_bytes())
    for at in range(4096 * 8, len(data), 4096):
        data[at : at + 512] = b"\xff" * 512
    rig.path.write_bytes(bytes(data))

    assert audit(rig.path)


def test_a_tree_that_does_not_have_what_its_table_has_is_found(tmp_path: Path) -> None:
    rig = IndexRig(tmp_path)
    rig.put(*(row(f"r{n}", unit(1, n)) for n in range(3)))
    rig.stop()
    of_tree = "FROM sqlite_schema WHERE name = 'entries_by_conversation'"
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("PRAGMA writable_schema = on"))
    (tree,) = connection.execute(f"SELECT * {of_tree}")
    list(connection.execute(f"DELETE {of_tree}"))
    connection.close()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("UPDATE entries SET conversation = 'other' WHERE id = 'r1'"))
    list(connection.execute("PRAGMA writable_schema = on"))
    list(connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", tree))
    connection.close()

    assert any(fault.startswith("database: ") for fault in audit(rig.path))
