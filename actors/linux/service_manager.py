"""Notifications to the service manager (systemd's sd_notify protocol): ready, alive, stopping, and a line of status.

Source:
    sd_notify(3) and systemd.service(5): a datagram of `NAME=value` lines to the socket that $NOTIFY_SOCKET names.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, MutableMapping

log = logging.getLogger(__name__)

MICROSECONDS = 1_000_000
FEED_S = 5.0
"""Seconds between two signs of life, where the service manager names no time limit."""
EXTENSION_S = 60.0
"""Seconds by which each sign of life extends a start."""
STATUS_CHARS = 200


class ServiceManager:
    """Client of the service manager that started this process; does nothing without a manager. Thread-safe."""

    def __init__(self, address: str, watchdog_s: float, now: Callable[[], float]) -> None:
        """Nothing is sent yet.

        Args:
            address: Path of the socket, with `@` before a name in the abstract namespace; empty for none.
            watchdog_s: Without a sign of life for so long, the service manager ends the process; 0 for no limit.
            now: Steady seconds.
        """
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._feed_s = watchdog_s / 4 or FEED_S
        self._now = now
        self._lock = threading.Lock()
        self._fed_at = float("-inf")
        self._late: tuple[str, ...] = ()
        self._is_ready = self._is_stopping = False
        self._status = ""

    @classmethod
    def of(cls, environ: MutableMapping[str, str], now: Callable[[], float]) -> ServiceManager:
        """Client by `environ`; the variables are removed, as no command is the service."""
        address = environ.pop("NOTIFY_SOCKET", "")
        limit_us = environ.pop("WATCHDOG_USEC", "")
        environ.pop("WATCHDOG_PID", None)
        if not address.startswith(("/", "@")):
            address = ""
        is_number = limit_us.isascii() and limit_us.isdigit()
        return cls(address, int(limit_us) / MICROSECONDS if is_number else 0.0, now)

    def ready(self, status: str) -> None:
        """Report that the service answers; a repeated call changes the status only."""
        with self._lock:
            fields = [] if self._is_ready or self._is_stopping else ["READY=1"]
            self._is_ready = True
            self._status = status
            self._send(*fields, _status(status))

    def look(self, late: tuple[str, ...]) -> None:
        """Give a sign of life if no part is late; to be called more often than signs are due.

        Args:
            late: Names of the parts that do not answer.
        """
        with self._lock:
            if late != self._late:
                self._late = late
                self._send(_status(f"no answer from {', '.join(late)}" if late else self._status or "starting"))
            now = self._now()
            if late or now - self._fed_at < self._feed_s:
                return
            self._fed_at = now
            if self._is_ready or self._is_stopping:
                self._send("WATCHDOG=1")
            else:
                self._send(f"EXTEND_TIMEOUT_USEC={round(EXTENSION_S * MICROSECONDS)}")

    def stopping(self, status: str) -> None:
        """Report the end of the service, in good order or because the service cannot go on."""
        with self._lock:
            fields = [] if self._is_stopping else ["STOPPING=1"]
            self._is_stopping = True
            self._status = status
            self._send(*fields, _status(status))

    def _send(self, *fields: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as out:
                out.sendto("\n".join(fields).encode(), self._address)
        except OSError as error:
            log.warning("the service manager cannot be notified (%s): %s", fields[0], error.strerror or error)


def _status(text: str) -> str:
    return f"STATUS={' '.join(text.split())[:STATUS_CHARS]}"
