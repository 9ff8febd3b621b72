"""Onlooker: reads the observer's events for as long as a load lasts, as an open page does."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

SETTINGS = "[observer]\nenabled = true\n"
MOST_SHARE = 0.02
"""Of the agent's CPU that the loop of the observer may take."""
_LOOP = "observer"
"""Name of its thread."""
_FILE = "observer.json"
_PATIENCE_S = 30.0
_CHUNK_BYTES = 65_536


class Onlooker:
    """One open page."""

    def __init__(self, data_root: Path) -> None:
        """It looks at the agent on `data_root`, which is online."""
        self._url = urlsplit(str(json.loads((data_root / _FILE).read_text())["url"]))
        self._connection = http.client.HTTPConnection(self._url.netloc, timeout=_PATIENCE_S)
        self._thread = threading.Thread(target=self._read, name="onlooker", daemon=True)
        self._is_over = threading.Event()
        self.events = 0
        """That it was told of."""

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """Look until the end of the block."""
        self._thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            self._connection.close()
            self._thread.join(_PATIENCE_S)

    @staticmethod
    def share(pid: int) -> float:
        """Which part of the CPU that the agent has used so far its observer's loop has used; 0 where /proc is not."""
        used = [_used(place) for place in Path(f"/proc/{pid}/task").glob("*/stat")]
        whole = sum(ticks for _, ticks in used)
        return sum(ticks for name, ticks in used if name == _LOOP) / whole if whole else 0.0

    def _read(self) -> None:
        token = parse_qs(self._url.query)["token"][0]
        self._connection.request("GET", "/events", headers={"Authorization": f"Bearer {token}"})
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):  # it was closed
            response = self._connection.getresponse()
            while not self._is_over.is_set() and (chunk := response.read1(_CHUNK_BYTES)):
                self.events += chunk.count(b"\nevent: ") + chunk.startswith(b"event: ")


def _used(place: Path) -> tuple[str, int]:
    """A thread's name, and the clock ticks that it has used."""
    try:
        before, _, behind = place.read_text().rpartition(")")
    except OSError:  # it has just ended
        return "", 0
    fields = behind.split()
    return before.partition("(")[2], int(fields[11]) + int(fields[12])
