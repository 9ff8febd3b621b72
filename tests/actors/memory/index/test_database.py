"""The index as it is stored: a file of an earlier program is read by this one, or known to be of another version."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import apsw
import pytest

from actors.memory.derived.database import disown
from actors.memory.index import database
from actors.memory.index.database import SCHEMA

STORED = {
    2: "5a297eae36836c46",
    3: "b92867b8117d3bd4",
    4: "1ea246e5c1222dc3",
    5: "1ea246e5c1222dc3",
    6: "1ea246e5c1222dc3",
    7: "1ea246e5c1222dc3",
}
"""Version -> digest of its tables' definitions; files of each lie on people's disks."""


def test_stored_tables_do_not_change_without_their_version() -> None:
    digest = blake2b(SCHEMA.tables.encode(), digest_size=8).hexdigest()

    assert STORED[SCHEMA.version] == digest, "files of this version have other tables: raise its version"


@pytest.mark.req("C-09")
def test_sqlite_vec_is_at_work_in_the_index() -> None:
    connection = apsw.Connection(":memory:")
    SCHEMA.prepare(connection)

    assert str(connection.execute("select vec_version()").fetchall()[0][0]).startswith("v0.1")
    assert connection.execute("select vec_distance_cosine('[1, 0]', '[0, 1]')").fetchall() == [(1.0,)]


@pytest.mark.parametrize("content", [b"\xa5" * 8_192, b"SQLite format 3\0" + b"\xa5" * 8_176])
def test_what_is_no_database_needs_no_note_that_it_is_not_to_be_used(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "memory" / "index.sqlite"
    path.parent.mkdir()
    path.write_bytes(content)
    disown(path, SCHEMA)
    assert path.read_bytes() == content
    index = database.open_or_rebuild(path, datetime.now(UTC))
    index.close()
    assert index.is_new
