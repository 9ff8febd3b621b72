"""Server of a model and its embeddings on loopback, in a process of its own: counts the requests."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from lab.bench.facts.rules import CallKind, all_text, answered, kind_of, marks_of, text_of
from lab.bench.facts.vectors import answer
from lab.loopback_model.answers import Behaviour, Raw, Received
from lab.loopback_model.server import LoopbackModel

COUNTS = "/v1/counts"
KEPT = 64


@dataclass(slots=True)
class Counted:
    """Calls since the start; used in the server's thread."""

    calls: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    """That were embedded."""
    shown: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=KEPT))
    """Of the last chats: what the person wrote, and how many marks and characters all of it has."""

    def behave(self, request: Received) -> Behaviour:
        """Answer a request."""
        if request.path == COUNTS:
            return self._told()
        kind = kind_of(request)
        self.calls[kind] += 1
        if kind is CallKind.EMBED:
            given = request.body.get("input") or []
            texts = [given] if isinstance(given, str) else [str(text) for text in given]
            self.texts += len(texts)
            return Raw(answer(texts, is_base64=request.body.get("encoding_format") == "base64"), "application/json")
        if kind is CallKind.OTHER:
            return Raw(b'{"object":"list","data":[{"id":"loopback","object":"model"}]}', "application/json")
        if kind is CallKind.CHAT:
            everything = all_text(request)
            self.shown.append(
                {"user": text_of(request, "user"), "marks": marks_of(everything), "chars": len(everything)}
            )
        return answered(kind, request)

    def _told(self) -> Raw:
        told = {"calls": dict(self.calls), "texts": self.texts, "shown": list(self.shown)}
        return Raw(json.dumps(told).encode(), "application/json")


def main() -> None:
    """Serve until stdin ends; the base of its paths goes to stdout."""
    arguments = json.loads(sys.argv[1])
    sys.setswitchinterval(0.05)
    with LoopbackModel(Counted().behave, latency_s=arguments["latency_s"], kept_requests=1) as model:
        sys.stdout.write(f"{model.api_base}\n")
        sys.stdout.flush()
        reading = threading.Thread(target=sys.stdin.read)
        reading.start()
        reading.join()
