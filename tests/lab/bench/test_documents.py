"""The benchmark of documents reads one, with commands beside it."""

from __future__ import annotations

from lab.bench.documents import COMMANDS, DOCUMENT, DOCUMENTS, measure


def test_a_document_is_read_and_commands_run_beside_it() -> None:
    progress: list[str] = []
    rows = measure(progress.append, pages=2)

    assert progress == ["a PDF of 2 pages", "commands beside it"]
    assert rows[DOCUMENT]["chars"] > 2 * 40 * 80
    assert rows[DOCUMENT]["unread"] == 0
    assert rows[DOCUMENT]["seconds"] > 0
    assert rows[DOCUMENT]["reader_cpu_s"] > 0
    assert rows[DOCUMENT]["reader_mb"] > 1
    assert rows[COMMANDS]["alone_ms"] > 0
    assert rows[COMMANDS]["beside_ms"] > 0
    assert not DOCUMENTS.is_sound({**rows, DOCUMENT: {**rows[DOCUMENT], "unread": 1}}, quick=False)
