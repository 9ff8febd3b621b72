"""Onlooker: reads the observer's events for as long as a load lasts, and asks what an open page asks meanwhile."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from lab.load.meter import cpu_of_threads

SETTINGS = "[observer]\nenabled = true\n"
MOST_SHARE = 0.02
"""Share of the agent's CPU allowed to the observer's loop."""
_LOOP = "observer"
"""Name of the observer's thread."""
_FILE = "observer.json"
_PATIENCE_S = 30.0
_CHUNK_BYTES = 65_536
_REASONS_EVERY_S = 2.0
"""As the page does while turns end."""
_SUMS_EVERY = 5
"""Number of requests for each request with the usage of calls."""


class Onlooker:
    """Imitation of an open page."""

    def __init__(self, data_root: Path) -> None:
        """Look at the agent on `data_root`, already online."""
        self._url = urlsplit(str(json.loads((data_root / _FILE).read_text())["url"]))
        self._connection = http.client.HTTPConnection(self._url.netloc, timeout=_PATIENCE_S)
        self._asking = http.client.HTTPConnection(self._url.netloc, timeout=_PATIENCE_S)
        self._threads = [
            threading.Thread(target=self._read, name="onlooker", daemon=True),
            threading.Thread(target=self._ask, name="onlooker-asks", daemon=True),
        ]
        self._is_over = threading.Event()
        self.events = 0
        """Number of events received."""
        self.answers = 0
        """Number of answers received."""

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """Look until the end of the block."""
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            self._connection.close()
            for thread in self._threads:
                thread.join(_PATIENCE_S)
            self._asking.close()

    @staticmethod
    def share(pid: int) -> float:
        """Share of the observer's loop in the agent's CPU time so far; 0 without /proc.

        The share excludes work on other threads: taking messages where they are sent, reading logs, and answers.

        Raises:
            LookupError: no thread has the loop's name.
        """
        used = cpu_of_threads(pid)
        if used and _LOOP not in used:
            raise LookupError(f"process {pid} has no thread {_LOOP!r}")
        whole = sum(used.values())
        return used.get(_LOOP, 0.0) / whole if whole else 0.0

    @property
    def _key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {parse_qs(self._url.query)['token'][0]}"}

    def _ask(self) -> None:
        turn = 0
        while not self._is_over.is_set():
            window = self._answer("/memory?window=").get("window", "")
            paths = [f"/log?window={quote(window, safe='')}"] if window else []
            for path in (*paths, "/reminders", *(() if turn % _SUMS_EVERY else ("/usage",))):
                self._answer(path)
            turn += 1
            self._is_over.wait(_REASONS_EVERY_S)

    def _answer(self, path: str) -> dict[str, Any]:
        self._asking.request("GET", path, headers=self._key)
        answer: dict[str, Any] = json.loads(self._asking.getresponse().read())
        self.answers += 1
        return answer

    def _read(self) -> None:
        self._connection.request("GET", "/events", headers=self._key)
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):  # it was closed
            response = self._connection.getresponse()
            while not self._is_over.is_set() and (chunk := response.read1(_CHUNK_BYTES)):
                self.events += chunk.count(b"\nevent: ") + chunk.startswith(b"event: ")
