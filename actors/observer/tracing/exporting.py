"""Exporter of traces by OTLP over HTTP, with OpenTelemetry's own library."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.util import find_spec

from actors.observer.tracing.spans import TraceSpan

TIMEOUT_S = 3.0
"""Limit in seconds of a call with all attempts."""
SERVICE = "remembrancer"


def lack_of() -> str:
    """Missing dependency, as an instruction for its installation; empty if traces can be exported."""
    try:
        is_there = find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:  # a package above it: other libraries bring parts of OpenTelemetry's
        is_there = False
    if is_there:
        return ""
    return "install the extra `otel`: pip install 'opentelemetry-exporter-otlp-proto-http>=1.30,<2'"


class Exporter:
    """Exporter to a collector; each call may wait for the server, up to `TIMEOUT_S`."""

    def __init__(self, endpoint: str) -> None:
        """Open no connection yet; `OTEL_…` variables read by the library, for example headers, are in force.

        Args:
            endpoint: Address of the collector, without `/v1/traces`.
        """
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

        class Ended(SpanProcessor):
            """Buffer of ended spans for the next call."""

            def __init__(self) -> None:
                self.spans: list[ReadableSpan] = []

            def on_end(self, span: ReadableSpan) -> None:
                self.spans.append(span)

        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # what fails is told by the actor, once
        self._exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=TIMEOUT_S)
        self._ended = Ended()
        resource = Resource.create({"service.name": SERVICE})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(self._ended)
        self._tracer = self._provider.get_tracer(SERVICE)

    def export(self, traces: Sequence[Sequence[TraceSpan]], epoch: float) -> str:
        """Send traces, each with the root first.

        Args:
            traces: Traces to send.
            epoch: Seconds since 1970 at the zero of the spans' clock.

        Returns:
            Reason for a refusal; empty after success.
        """
        from opentelemetry.sdk.trace.export import SpanExportResult

        for spans in traces:
            self._make(spans, epoch)
        ended, self._ended.spans = self._ended.spans, []
        try:
            result = self._exporter.export(ended)
        except Exception as error:  # noqa: BLE001 - the library lets some of its HTTP client's errors out
            return type(error).__name__
        return "" if result is SpanExportResult.SUCCESS else "not taken"

    def close(self) -> None:
        """Close the connections."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call] # the library's

    def _make(self, spans: Sequence[TraceSpan], epoch: float) -> None:
        from opentelemetry.context import Context
        from opentelemetry.trace import Span as OpenedSpan
        from opentelemetry.trace import StatusCode, set_span_in_context

        def ns(at: float) -> int:
            return round((epoch + at) * 1e6) * 1_000  # a float has no more than microseconds

        opened: list[OpenedSpan] = []
        for span in spans:
            context = Context() if span.parent is None else set_span_in_context(opened[span.parent], Context())
            new = self._tracer.start_span(span.name, context, attributes=span.attributes, start_time=ns(span.begin))
            if span.has_failed:
                new.set_status(StatusCode.ERROR)
            opened.append(new)
        for span, new in zip(spans, opened, strict=True):
            new.end(ns(span.end))
