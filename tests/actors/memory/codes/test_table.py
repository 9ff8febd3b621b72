"""Growth of the table of codes: no large array is copied again and again, and every code stays in its slot."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from actors.memory.codes.file import CodesFile, Purpose
from actors.memory.codes.table import CodesTable
from actors.memory.codes.tuning import Tuning
from domain.memory import vector_codes

DIMS = 24
TUNING = Tuning(memory_bytes=20_000_000)


def test_a_large_table_takes_its_room_once_and_keeps_every_code(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((1_000, DIMS)).astype(np.float32)
    frame = vector_codes.fit_frame(vectors, DIMS, rng, TUNING.head)
    file = CodesFile.create(tmp_path / "codes", Purpose("model/1", DIMS, 1_000), frame, TUNING)
    codes, table = vector_codes.encode(frame, vectors), CodesTable(frame, TUNING)
    begins = range(0, 120_000, 1_000)
    copies = 0
    for begin in begins:
        before = table.rows
        table.add(file.append(np.arange(begin, begin + 1_000), np.full(1_000, float(begin)), codes))
        copies += begin > 50_000 and not np.shares_memory(before, table.rows)
    assert copies == 1
    assert table.rows.tolist() == list(range(120_000))
    assert table.times[::1_000].tolist() == [float(begin) for begin in begins]
    for begin in (0, 45_000, 119_000):
        heads, signs, factors = table.codes_at(np.arange(begin, begin + 1_000))
        assert (heads == codes.head).all()
        assert (signs == codes.signs).all()
        assert (factors == codes.factors).all()
    file.close()
