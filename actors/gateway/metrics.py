"""Metrics of the gateway, in Prometheus's text form."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass(slots=True)
class Metrics:
    """Counts since the start; used on one event loop."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    """By kind (`chat`, `pass`, `own`) and status; 499 if one of both ends broke off."""
    request_s: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds from beginning to end, by kind."""
    recalls: Counter[str] = field(default_factory=Counter)
    """By outcome: `ok`, `note`, `failed`, `late`."""
    injected: int = 0
    """Memories shown to models."""
    unstored: int = 0
    """Turns without a confirmation in time."""
    unread: int = 0
    """Answers that passed and were not kept: no text could be read, or the answer had an error or no end."""
    refused_blocks: int = 0
    """Requests repeated without memories after the server refused the memories."""
    in_flight: int = 0
    recall_s: float = 0.0

    def text(self) -> str:
        """All metrics as text."""
        lines = ["# TYPE gateway_requests_total counter"]
        lines += [
            f'gateway_requests_total{{kind="{kind}",status="{status}"}} {count}'
            for (kind, status), count in sorted(self.requests.items())
        ]
        lines.append("# TYPE gateway_request_seconds_total counter")
        lines += [
            f'gateway_request_seconds_total{{kind="{kind}"}} {seconds:.6f}'
            for kind, seconds in sorted(self.request_s.items())
        ]
        lines.append("# TYPE gateway_recalls_total counter")
        lines += [f'gateway_recalls_total{{outcome="{name}"}} {count}' for name, count in sorted(self.recalls.items())]
        singles: tuple[tuple[str, str, str], ...] = (
            ("gateway_recall_seconds_total", "counter", f"{self.recall_s:.6f}"),
            ("gateway_memories_injected_total", "counter", str(self.injected)),
            ("gateway_turns_not_confirmed_total", "counter", str(self.unstored)),
            ("gateway_answers_not_read_total", "counter", str(self.unread)),
            ("gateway_memories_refused_total", "counter", str(self.refused_blocks)),
            ("gateway_requests_in_flight", "gauge", str(self.in_flight)),
        )
        for name, kind, value in singles:
            lines += [f"# TYPE {name} {kind}", f"{name} {value}"]
        return "\n".join(lines) + "\n"
