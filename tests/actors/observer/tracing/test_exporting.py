from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from actors.observer.tracing.exporting import Exporter, lack_of
from actors.observer.tracing.spans import TraceSpan
from tests.actors.observer.tracing.collector import Collector, attributes

EPOCH = 1_700_000_000.0
TRACE = [
    TraceSpan("turn", 10.0, 12.0, None, attributes={"remembrancer.turn": "t1"}),
    TraceSpan("memory PrepareTurn", 10.0, 10.5, 0),
    TraceSpan("embedder EmbedTexts", 10.125, 10.25, 1, has_failed=True, attributes={"gen_ai.usage.input_tokens": 12}),
]


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        yield made


@pytest.fixture
def exporter(collector: Collector) -> Iterator[Exporter]:
    made = Exporter(collector.address)
    yield made
    made.close()


def test_a_collector_gets_each_turn_as_a_trace_of_its_own(collector: Collector, exporter: Exporter) -> None:
    assert exporter.export([TRACE, TRACE[:1]], EPOCH) == ""

    assert collector.paths == ["/v1/traces"]
    by_name = {span.name: span for span in collector.spans if span.trace_id == collector.spans[0].trace_id}
    root, asked, within = (by_name[span.name] for span in TRACE)
    assert (root.parent_span_id, asked.parent_span_id, within.parent_span_id) == (b"", root.span_id, asked.span_id)
    assert len(collector.spans) == 4
    assert len({span.trace_id for span in collector.spans}) == 2
    assert (root.start_time_unix_nano, root.end_time_unix_nano) == (
        1_700_000_010_000_000_000,
        1_700_000_012_000_000_000,
    )
    assert within.start_time_unix_nano == 1_700_000_010_125_000_000
    assert (root.status.code, within.status.code) == (0, 2)
    assert attributes(root) == {"remembrancer.turn": "t1"}
    assert attributes(within) == {"gen_ai.usage.input_tokens": 12}
    assert attributes(collector.requests[0].resource_spans[0].resource)["service.name"] == "remembrancer"


@pytest.mark.parametrize("status", [400, 404, 503])
def test_what_a_collector_refuses_is_told_and_not_sent_by_itself_again(
    collector: Collector, exporter: Exporter, status: int
) -> None:
    collector.status = status
    assert exporter.export([TRACE], EPOCH)
    collector.status = 200
    assert exporter.export([TRACE[:1]], EPOCH) == ""
    assert [span.name for span in collector.spans] == ["turn"]


def test_a_collector_that_is_not_there_is_told(collector: Collector) -> None:
    exporter = Exporter("http://127.0.0.1:1")
    assert exporter.export([TRACE], EPOCH)
    exporter.close()


@pytest.mark.parametrize("missing", ["opentelemetry.exporter.otlp.proto.http", "opentelemetry.exporter"])
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Other libraries bring a part of OpenTelemetry's packages, so one above the exporter's may be missing too."""
    assert lack_of() == ""
    for name in [name for name in sys.modules if name.startswith(missing)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    assert "opentelemetry-exporter-otlp-proto-http" in lack_of()
