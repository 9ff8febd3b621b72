"""Check of the keyword index against the turns: each turn's words are indexed once more apart, and the two compared.

No sum can be kept of the keyword index while it is written, so after an end that was not in good order this tells.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import zip_longest

import apsw

from actors.memory.derived.database import open_scratch
from actors.memory.index.seal import AlteredIndexError
from actors.memory.index.session import moment
from actors.memory.index.turns import storable
from domain.memory.hybrid_text import keyword_text
from domain.memory.keywords import TOKENIZER

ROWS_AT_ONCE = 500
TERMS_AT_ONCE = 20
_ROWS = "SELECT id, author, timestamp, content FROM turns WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
_COUNT = "SELECT count(*) FROM turns WHERE id <= ?"
_EXPECTED = f"CREATE VIRTUAL TABLE words USING fts5(content, content='', tokenize='{TOKENIZER}')"
_INSTANCES = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab(main, words, instance)"
# The sum is over row and place of each occurrence; both factors are primes.
_TERMS = """
SELECT term, count(*), sum((doc * 2654435761 + offset * 40503) & 0xffffffff) FROM temp.instances
WHERE term > ? AND doc <= ? GROUP BY term ORDER BY term LIMIT ?
"""


def check_words(
    connection: apsw.Connection, rows_at_once: int = ROWS_AT_ONCE, terms_at_once: int = TERMS_AT_ONCE
) -> Iterator[None]:
    """Check the words of all turns present at the beginning, in steps of some milliseconds; rows may come and go.

    If such a turn goes meanwhile, and a difference shows, the check begins again.

    Raises:
        AlteredIndexError: the keyword index does not agree with the turns.
    """
    while (difference := (yield from _difference(connection, rows_at_once, terms_at_once))) is not None:
        row, count, term = difference
        if _count(connection, row) == count:
            raise AlteredIndexError(f"the keyword index does not hold the turns' words; the first differs at {term!r}")


def _difference(
    connection: apsw.Connection, rows_at_once: int, terms_at_once: int
) -> Generator[None, None, tuple[int, int, str] | None]:
    """Last row and number of the rows checked, and the first differing term; None without a difference."""
    last = int(str(next(iter(connection.execute("SELECT coalesce(max(id), 0) FROM turns")))[0]))
    count = _count(connection, last)
    expected = open_scratch()
    try:
        yield from _fill(expected, connection, last, rows_at_once)
        for each in (connection, expected):
            list(each.execute(_INSTANCES))
        term = ""
        while True:
            there = list(connection.execute(_TERMS, (term, last, terms_at_once)))
            yield  # a word that nearly all turns have takes a tenth of a second
            wanted = list(expected.execute(_TERMS, (term, last, terms_at_once)))
            for one, other in zip_longest(there, wanted):
                if one != other:
                    return last, count, str((one or other)[0])
            if not wanted:
                return None
            term = str(wanted[-1][0])
            yield
    finally:
        expected.close()


def _fill(expected: apsw.Connection, connection: apsw.Connection, last: int, at_once: int) -> Iterator[None]:
    list(expected.execute(_EXPECTED))
    row = 0
    while turns := list(connection.execute(_ROWS, (row, last, at_once))):
        numbers = [int(str(number)) for number, *_ in turns]
        texts = storable([keyword_text(str(who), moment(int(str(at))), str(text)) for _, who, at, text in turns])
        with expected:
            list(
                expected.executemany(
                    "INSERT INTO words(rowid, content) VALUES (?, ?)", zip(numbers, texts, strict=True)
                )
            )
        row = numbers[-1]
        yield


def _count(connection: apsw.Connection, last: int) -> int:
    return int(str(next(iter(connection.execute(_COUNT, (last,))))[0]))
