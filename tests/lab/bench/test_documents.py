"""The benchmark of documents reads one, with commands beside it."""

from __future__ import annotations

from lab.bench.documents import compare


def test_a_document_is_read_and_commands_run_beside_it() -> None:
    figures = compare(pages=2)

    assert figures.pages == 2
    assert figures.chars > 2 * 40 * 80
    assert figures.seconds > 0
    assert figures.cpu_s > 0
    assert figures.peak_bytes > 1 << 20
    assert figures.command_ms > 0
    assert figures.beside_ms > 0
