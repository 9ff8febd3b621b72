"""Server of a model and its embeddings on loopback, in a separate process: counts the requests."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field

from lab.bench.facts.rules import CallKind, answer_call, kind_of
from lab.bench.facts.vectors import answer
from lab.loopback_model.answers import Behaviour, Raw, Received
from lab.loopback_model.server import LoopbackModel

COUNTS = "/v1/counts"


@dataclass(slots=True)
class Counted:
    """Calls since the start; used in the server's thread."""

    calls: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    """Number of embedded texts."""

    def behave(self, request: Received) -> Behaviour:
        """Answer a request."""
        if request.path == COUNTS:
            return self._tell_counts()
        kind = kind_of(request)
        self.calls[kind] += 1
        if kind is CallKind.EMBED:
            texts_or_text = request.body.get("input") or []
            texts = [texts_or_text] if isinstance(texts_or_text, str) else [str(text) for text in texts_or_text]
            self.texts += len(texts)
            return Raw(answer(texts, is_base64=request.body.get("encoding_format") == "base64"), "application/json")
        if kind is CallKind.OTHER:
            return Raw(b'{"object":"list","data":[{"id":"loopback","object":"model"}]}', "application/json")
        return answer_call(kind, request)

    def _tell_counts(self) -> Raw:
        counts = {"calls": dict(self.calls), "texts": self.texts}
        return Raw(json.dumps(counts).encode(), "application/json")


def main() -> None:
    """Serve until stdin ends; print the base of the paths on stdout."""
    arguments = json.loads(sys.argv[1])
    sys.setswitchinterval(0.05)
    with LoopbackModel(Counted().behave, latency_s=arguments["latency_s"], kept_requests=1) as model:
        sys.stdout.write(f"{model.api_base}\n")
        sys.stdout.flush()
        reading = threading.Thread(target=sys.stdin.read)
        reading.start()
        reading.join()
