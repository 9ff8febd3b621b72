"""Recorded sequence of calls: acts of a real model in an experiment, without any text of the model or of people.

The experiment is of the original of this layer (GPT-4.1, 22 February 2026): a single prompt, so a single turn. A line
below has the calls between two answers of the model; the calls are `r` (read), `g` (search), `l` (list) and `n` (search
by name), each with the file's number, or a folder's letter.
"""

from __future__ import annotations

import re

from lab.bench.objects.story import Act, Step

TIMES = 200
"""Length of the files here as a multiple of the record's, since no model works with files of 26 to 99 bytes."""
FOLDERS = {"a": ".", "e": "early", "k": "late"}
_SHARD_BYTES = (56, 26, 26, 26, 26, 56, 26, 26, 26, 26, 57, *(27,) * 4, 57, *(27,) * 4, 57, 27, 27, 27)
FILES = {
    "early/launch-plan.md": 87 * TIMES,
    "early/risk-register.md": 69 * TIMES,
    "early/architecture.md": 80 * TIMES,
    "late/alerts.log": 75 * TIMES,
    "late/app-08.log": 73 * TIMES,
    "late/app-09.log": 99 * TIMES,
    **{f"late/shards/shard-{number:02}.log": size * TIMES for number, size in enumerate(_SHARD_BYTES)},
}
"""Path -> characters, in the order of their numbers."""
_RECORD = (
    "ge gk na ga ga/le lk ge ge gk gk/g2 g1 g2 g1 g2 g1/g4 g5 g4 g5 g4 g5/g6 g7 g8 g9 g10 g11/g12 g13 g14 g15 g16 g17/"
    "g18 g19 g20 g21 g22 g23/g24 g25 g26 g27 g28 g29/r0 r3 r1 r2/r4 r5 r6 r7 r8 r9/r10 r11 r12 r13 r14 r15/r16/"
    "g16 g16 g16 g16 g16 g16/g6 g7 g8 g9 g10 g11/g6 g7 g8 g9 g10 g11/g6 g7 g8 g9 g10 g11/g6 g7 g8 g9 g10 g11/r17/"
    "g17 g17 g17 g17 g17/r18/g18 g18 g18 g18 g18/r19/g19 g19 g19 g19 g19/r20/g20 g20 g20 g20 g20/r0 r3 r1 r2/"
    "r4 r5 r6 r7 r8 r9/r10 r11 r12 r13 r14 r15/r16/r17 r18 r19 r20/r21 r22 r23 r24 r25 r26/r27 r28 r29/r4/r5/r0/r3/r1/"
    "r2/" + "r3/r0/r1/r2/" * 10 + "r3/r0"
)
_CALL = re.compile(r"([a-z])([a-z]|[0-9]+)")
_ACTS = {"r": Act.PRINT, "g": Act.SEARCH, "n": Act.SEARCH, "l": Act.LIST}


def rounds(most: int | None = None) -> tuple[tuple[Step, ...], ...]:
    """Calls of the experiment, by rounds; the first `most` rounds."""
    return tuple(tuple(map(_step, line.split())) for line in _RECORD.split("/")[:most])


def _step(call: str) -> Step:
    match = _CALL.fullmatch(call)
    if match is None:
        raise ValueError(f"call {call!r}: a letter and a file's number or a folder's letter are required")
    path = tuple(FILES)[int(match[2])] if match[2].isdecimal() else FOLDERS[match[2]]
    return Step(_ACTS[match[1]], path, word={"g": "settle", "n": "nobody-named-so"}.get(match[1], ""))
