from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.trace import LONGEST_LINE, MOST_LINES, Trace, line, read

SHORT = st.text(max_size=20)
TRACES = st.builds(
    Trace,
    id=SHORT,
    at=SHORT,
    context=SHORT,
    decision=SHORT,
    reasons=st.lists(SHORT, max_size=8).map(tuple),
    tokens=st.dictionaries(SHORT, st.integers(), max_size=3),
)


@given(st.lists(TRACES, max_size=5))
@pytest.mark.req("S1-55")
def test_traces_are_read_as_they_were_written(traces: list[Trace]) -> None:
    assert read(b"".join(map(line, traces))) == tuple(traces)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_file_of_traces(data: bytes) -> None:
    assert len(read(data)) <= data.count(b"\n") + 1


@given(st.text(max_size=2000), st.text(max_size=2000), st.integers(0, 20), st.integers(0, 400))
def test_a_trace_of_any_length_is_one_line_that_can_be_read_again(
    word: str, reason: str, reasons: int, counts: int
) -> None:
    trace_line = line(Trace(word, word, word, word, (reason,) * reasons, {f"{word}{n}": n for n in range(counts)}))

    assert len(trace_line) <= LONGEST_LINE + 1
    assert trace_line.count(b"\n") == 1
    (trace,) = read(trace_line)
    assert word.startswith(trace.id)
    assert all(reason.startswith(each) for each in trace.reasons)


def test_of_reasons_that_are_too_long_in_a_file_the_first_are_kept() -> None:
    (trace,) = read(line(Trace("1", "", "", "rejected", ("\N{PILE OF POO}" * 300, "second") * 4)))

    assert 1 <= len(trace.reasons) < 8


@given(st.lists(TRACES, min_size=1, max_size=3), st.data())
def test_a_last_line_that_is_torn_is_passed_over(traces: list[Trace], data: st.DataObject) -> None:
    whole = b"".join(map(line, traces))
    length = len(line(traces[-1]))

    assert read(whole[: len(whole) - data.draw(st.integers(2, length))]) == tuple(traces[:-1])


def test_a_line_that_is_no_trace_is_passed_over(subtests: pytest.Subtests) -> None:
    for raw in (
        [b"{}", b"[]", b"1", b"null", b"[" * 100_000, b"\xff"]
        + [
            b'{"id": "1", "at": "", "context": "", "decision": "", "reasons": [], "tokens": {"a": %s}}' % value
            for value in (b"Infinity", b"-Infinity", b"NaN", b"1e999", b'"x"', b"null", b"[]")
        ]
        + [b'{"id": "1", "at": "", "context": "", "decision": "", "reasons": 7, "tokens": {}}']
        + [b'{"id": "1", "at": "", "context": "", "decision": "", "reasons": [], "tokens": []}']
    ):
        with subtests.test(raw=raw):
            trace = Trace("2", "now", "operator", "staged", ("why",), {"budget": 3})

            assert read(raw + b"\n" + line(trace)) == (trace,)


@pytest.mark.req("S1-72")
def test_of_very_many_traces_the_newest_are_read() -> None:
    traces = read(b"".join(line(Trace(str(number), "", "", "")) for number in range(10_000)))

    assert len(traces) == MOST_LINES
    assert traces[-1].id == "9999"
