"""Traces of turns: each turn as spans of OpenTelemetry's, sent to a collector; read first `spans.py`, then `actor.py`.

Only with `traces.endpoint`. `exporting.py` alone knows the library, which the extra `otel` brings.
"""

from __future__ import annotations
