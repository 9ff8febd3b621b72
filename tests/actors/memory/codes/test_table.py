"""Growth of the table of codes: no code is copied again, and each stays in its slot."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from actors.memory.codes.file import CodesFile, Purpose
from actors.memory.codes.table import SEGMENT, CodesTable
from domain.memory import vector_codes

DIMS = 24
STEP = 1_000


def test_codes_stay_in_their_slots_over_segments(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((STEP, DIMS)).astype(np.float32)
    frame = vector_codes.fit_frame([vectors], DIMS, rng)
    file = CodesFile.create(tmp_path / "codes", Purpose("model/1", DIMS, STEP), frame)
    codes, table = vector_codes.encode(frame, vectors), CodesTable(frame)
    begins = range(0, 2 * SEGMENT + STEP, STEP)
    for begin in begins:
        table.add(file.append(np.arange(begin, begin + STEP), np.full(STEP, float(begin)), codes))
    assert table.rows.tolist() == list(range(begins[-1] + STEP))
    assert table.times[::STEP].tolist() == [float(begin) for begin in begins]
    for begin in (0, SEGMENT // STEP * STEP, begins[-1]):
        heads, signs, factors = table.codes_at(np.arange(begin, begin + STEP))
        assert (heads == codes.head).all()
        assert (signs == codes.signs).all()
        assert (factors == codes.factors).all()
    question = vector_codes.frame_query(frame, vectors[7])
    uppers = table.look(question, np.ones(table.count, np.bool_))
    assert (uppers.reshape(-1, STEP) == uppers[:STEP]).all()
    file.close()
