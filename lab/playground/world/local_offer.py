"""Offer of a model on this machine: name, files to fetch, and the download."""

from __future__ import annotations

import threading
from collections.abc import Callable


class LocalOffer:
    """Model offered by the page beside the bot's own; fetched only with a person's consent. Any thread may ask."""

    def __init__(self, name: str, notice: str, is_here: Callable[[], bool], fetch: Callable[[], object]) -> None:
        """Begin without a download.

        Args:
            name: Name for the command `/model`.
            notice: File, licence, size, address and folder, for the person asked.
            is_here: True if the file is on this machine.
            fetch: Fetches the file, in a thread of its own; raises OSError or ValueError with words for a person.
        """
        self.name = name
        self._notice = notice
        self._is_here = is_here
        self._fetch = fetch
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._problem = ""

    def begin(self) -> None:
        """Begin to fetch the file, unless present or under way."""
        with self._lock:
            if self._is_fetching or self._is_here():
                return
            self._problem = ""
            self._thread = threading.Thread(target=self._run, name="fetch-model", daemon=True)
            self._thread.start()

    def describe(self) -> dict[str, object]:
        """The offer, for the page."""
        is_fetching = self._is_fetching  # before the look at the file, which is kept at the end of the thread
        return {
            "name": self.name,
            "notice": self._notice,
            "is_here": self._is_here(),
            "is_fetching": is_fetching,
            "problem": self._problem,
        }

    @property
    def _is_fetching(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._fetch()
        except (OSError, ValueError) as error:
            self._problem = str(error)
