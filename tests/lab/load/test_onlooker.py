"""The onlooker of a load: reads and requests are those of an open page."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lab.load.onlooker import Onlooker
from tests.patience import PATIENCE_S

WINDOW = "discord-thread/123456789012345678"


@pytest.fixture
def requests() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def root(requests: list[tuple[str, str]], tmp_path: Path) -> Iterator[Path]:
    """A data root with an observer that records each request and key."""
    is_over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            requests.append((self.path, self.headers["Authorization"]))
            self.send_response(200)
            if self.path == "/events":
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(b"event: actors\ndata: {}\n\nevent: turn\ndata: {}\n\n")
                self.wfile.flush()
                is_over.wait(PATIENCE_S)
                return
            body = json.dumps({"window": WINDOW}).encode()
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/?token=abc"
    (tmp_path / "observer.json").write_text(json.dumps({"url": url}))
    yield tmp_path
    is_over.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_it_asks_what_an_open_page_asks(root: Path, requests: list[tuple[str, str]]) -> None:
    onlooker, pause = Onlooker(root), threading.Event()
    with onlooker.looking():
        for _ in range(int(PATIENCE_S * 50)):
            if onlooker.events == 2 and onlooker.answers >= 4:
                break
            pause.wait(0.02)
    wanted = {"/events", "/memory?window=", f"/log?window={WINDOW.replace('/', '%2F')}", "/reminders", "/usage"}
    assert {path for path, _ in requests} == wanted
    assert {key for _, key in requests} == {"Bearer abc"}
    assert onlooker.events == 2


def test_a_process_without_the_loop_is_no_cheap_observer() -> None:
    with pytest.raises(LookupError, match="no thread 'observer'"):
        Onlooker.share(os.getpid())
