"""Access to the loopback model: the whole address is required, as every user of a machine reaches the port."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import quote, urlsplit

import pytest

from lab.loopback_model.server import Answer, LoopbackModel
from tests.patience import PATIENCE_S

BODY = '{"model": "m", "messages": [{"role": "user", "content": "hello"}]}'


def ask(port: int | None, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request("POST", path, BODY)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_who_has_the_address_is_answered_and_sees_paths_without_its_secret() -> None:
    with LoopbackModel() as model:
        address = urlsplit(model.api_base)
        status, body = ask(address.port, f"{address.path}/chat/completions")
        (received,) = model.requests()

    assert (status, b"echo: hello" in body) == (200, True)
    assert received.path == "/v1/chat/completions"


def test_a_stranger_is_refused_and_takes_nothing_of_the_script(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["/v1/chat/completions", "/", "/?é", "x", "/" + "a" * 43 + "/v1/chat/completions"]
    for path in cases:
        with subtests.test(path=path):
            with LoopbackModel() as model:
                model.script(Answer("for the agent"))
                address = urlsplit(model.api_base)
                refused = ask(address.port, quote(path, safe="/?"))
                assert (model.requests(), model.request_count) == ([], 0)
                _, body = ask(address.port, f"{address.path}/chat/completions")

            assert refused == (401, b"")
            assert b"for the agent" in body


def test_every_server_has_a_secret_of_its_own() -> None:
    models = [LoopbackModel() for _ in range(3)]
    try:
        assert len({model.secret_path for model in models}) == len(models)
    finally:
        for model in models:
            model._loop.close()


def test_an_address_is_taken_for_no_key_of_a_provider() -> None:
    """With letters of base64 one address in 262,144 begins with `sk-`, which settings refuse as a secret."""
    with LoopbackModel() as server:
        assert set(server.secret_path.removeprefix("/")) <= set("0123456789abcdef")


def test_a_stranger_who_speaks_no_http_or_sends_without_end_is_refused_at_once(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"nonsense\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n", b"x" * 70_000]
    for raw in cases:
        with subtests.test(said=raw), LoopbackModel() as model:
            port = urlsplit(model.api_base).port
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
                connection.sendall(raw)
                assert connection.recv(4096).startswith(b"HTTP/1.1 401 ")
