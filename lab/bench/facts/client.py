"""Client of chat completions at almost no cost: a single connection, with sequential requests."""

from __future__ import annotations

import contextlib
import http.client
import json
import select
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Self
from urllib.parse import urlsplit

TIMEOUT_S = 120.0
MODEL = "loopback"


class NoAnswerError(Exception):
    """Missing or wrong answer of a server; the text describes the fault."""


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """Answer of a model."""

    text: str
    took_s: float
    first_text_s: float
    """Seconds until the first words of the answer."""


class Client:
    """One person's program; a context manager, not for several threads."""

    def __init__(self, base: str) -> None:
        """Begin without a connection."""
        parts = urlsplit(base)
        self._path = parts.path.rstrip("/")
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_S)

    def ask(self, conversation: str, words: str, *, stream: bool = False) -> TimedAnswer:
        """Send words in a conversation.

        Raises:
            NoAnswerError: there is no whole answer.
        """
        body: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": words}]}
        if conversation:
            body["memory_id"] = conversation
        if stream:
            body["stream"] = True
        with self._translate_errors():
            self._connect()
            data = json.dumps(body).encode()
            begun = perf_counter()
            self._connection.request(
                "POST", f"{self._path}/chat/completions", data, {"Content-Type": "application/json"}
            )
            response = self._connection.getresponse()
            if response.status != 200:
                raise NoAnswerError(f"status {response.status}: {response.read()[:300].decode('utf-8', 'replace')}")
            return _read_stream(response, begun) if stream else _whole(response, begun)

    def get(self, path: str) -> bytes:
        """Body at a path, below the server's root or, without a slash, below the base.

        Raises:
            NoAnswerError: the status is not 200, or no server listens.
        """
        with self._translate_errors():
            self._connect()
            self._connection.request("GET", path if path.startswith("/") else f"{self._path}/{path}")
            response = self._connection.getresponse()
            data = response.read()
            if response.status != 200:
                raise NoAnswerError(f"{path}: status {response.status}")
            return data

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, http.client.HTTPException, ValueError, LookupError) as error:
            self._connection.close()
            raise NoAnswerError(f"{type(error).__name__}: {error}") from error
        except NoAnswerError:
            self._connection.close()
            raise

    def _connect(self) -> None:
        """Connect before the time is taken, anew where the server has closed an idle connection."""
        if self._connection.sock is not None and select.select([self._connection.sock], [], [], 0)[0]:
            self._connection.close()
        if self._connection.sock is None:
            self._connection.connect()


def _whole(response: http.client.HTTPResponse, begun: float) -> TimedAnswer:
    answer = json.loads(response.read())
    took_s = perf_counter() - begun
    return TimedAnswer(str(answer["choices"][0]["message"]["content"]), took_s, took_s)


def _read_stream(response: http.client.HTTPResponse, begun: float) -> TimedAnswer:
    words, first_s, is_whole = "", 0.0, False
    for line in response:
        data = line.strip().removeprefix(b"data:").strip()
        if data == b"[DONE]":
            is_whole = True
        elif data.startswith(b"{"):
            for choice in json.loads(data)["choices"]:
                words += choice["delta"].get("content") or ""
            first_s = first_s or (perf_counter() - begun if words else 0.0)
    if not is_whole:
        raise NoAnswerError(f"a stream that ended after {len(words)} characters: [DONE] is required")
    return TimedAnswer(words, perf_counter() - begun, first_s)
