"""Requests to Discord, and servers that lie, are slow or out of order."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from actors.cli.setup import rest
from actors.cli.setup.rest import DiscordError, DiscordRest
from actors.discord.part import USER_AGENT

TOKEN = "a-token-that-nobody-sees"
Answer = tuple[int, bytes, dict[str, str]]


class Server(ThreadingHTTPServer):
    """Gives the answers in their order, the last one for ever; in pieces."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, str]] = []
        self.agents: set[str] = set()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["Authorization"]))
        self.server.agents.add(self.headers["User-Agent"])
        status, data, headers = self.server.answers[0]
        if len(self.server.answers) > 1:
            del self.server.answers[0]
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for at in range(0, len(data), 5000):
            self.wfile.write(data[at : at + 5000])
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def client(server: Server, **limits: Any) -> DiscordRest:
    server.asked.clear()
    return DiscordRest(f"http://127.0.0.1:{server.server_port}/api/", TOKEN, **limits)


def says(said: object, status: int = 200, **headers: str) -> Answer:
    return status, json.dumps(said).encode(), headers


def test_a_long_answer_is_read_to_its_end(server: Server) -> None:
    channels = [{"id": str(number), "type": 0, "name": "x" * 500} for number in range(1000)]
    server.answers = [says(channels)]
    assert client(server).channels("1") == channels


def test_an_answer_without_an_end_is_given_up(server: Server) -> None:
    server.answers = [says("x" * 30_000)]
    with pytest.raises(DiscordError, match="GET /users/@me: more than 20000 bytes"):
        client(server, most_answer_bytes=20_000).me()


def test_who_asks_and_how(server: Server) -> None:
    server.answers = [says([{"user": {"id": "7", "username": "anne"}}])]
    assert [each["user"]["id"] for each in client(server).people("5", "An & n/e")] == ["7"]
    assert server.asked == [("/api/guilds/5/members/search?query=An%20%26%20n/e&limit=25", f"Bot {TOKEN}")]
    assert server.agents == {USER_AGENT}


def test_what_passes_is_waited_for(subtests: pytest.Subtests, server: Server) -> None:
    cases: list[str] = ["0.2", "nan", "-1", "soon"]
    for wait in cases:
        with subtests.test(wait=wait):
            server.answers = [
                says({"retry_after": 1}, 429, **{"Retry-After": wait}),
                (502, b"<html>", {}),
                says({"id": "1", "username": "b"}),
            ]
            assert client(server, longest_wait_s=0.3).me()["id"] == "1"
            assert len(server.asked) == 3


def test_what_does_not_pass_is_said_as_it_is(subtests: pytest.Subtests, server: Server) -> None:
    cases: list[tuple[Answer, str]] = [
        (says({"message": "slow"}, 429), r"GET /users/@me: Discord's rate limit is reached \(429\)"),
        (says({"message": "ill"}, 503), "GET /users/@me: Discord says 503 ill"),
        ((500, b"<html>", {}), "GET /users/@me: status 500, and no JSON"),
    ]
    for answer, rule in cases:
        with subtests.test(answer=answer, rule=rule):
            server.answers = [answer]
            with pytest.raises(DiscordError, match=rule) as caught:
                client(server, longest_wait_s=0.01).me()
            assert len(server.asked) == rest.MOST_TRIES
            assert TOKEN not in str(caught.value)


def test_what_is_no_answer_is_named(subtests: pytest.Subtests, server: Server) -> None:
    cases: list[tuple[Answer, str]] = [
        (says({"message": "401: Unauthorized"}, 401), "Discord does not know this token"),
        (says({"message": "no"}, 403), "GET /users/@me: Discord says 403 no"),
        ((302, b"", {"Location": "http://127.0.0.1:1/"}), "status 302, and no JSON"),
        ((200, b"[" * 100_000, {}), "status 200, and no JSON"),
        (says([]), "does not have the"),
        (says({}), "id, username are required"),
        (says({"id": None, "username": "x"}), "id, username are required"),
        (says({"id": "1&scope=all", "username": "x"}), "id must be a number"),
    ]
    for answer, rule in cases:
        with subtests.test(answer=answer, rule=rule):
            server.answers = [answer]
            with pytest.raises(DiscordError, match=rule):
                client(server).me()
            assert len(server.asked) == 1


def test_another_form_than_discords_is_an_error_and_no_crash(subtests: pytest.Subtests, server: Server) -> None:
    cases: list[tuple[Callable[[DiscordRest], object], object]] = [
        (lambda discord: discord.guilds(), {}),
        (lambda discord: discord.guilds(), [1]),
        (lambda discord: discord.guilds(), [{"id": "1"}]),
        (lambda discord: discord.application(), {"id": "1", "flags": "many"}),
        (lambda discord: discord.guild("1"), {"id": "1", "name": "x", "roles": {}}),
        (lambda discord: discord.guild("1"), {"id": "1", "name": "x", "roles": [{"id": "1", "permissions": []}]}),
        (lambda discord: discord.member("1", "2"), {"user": {"id": "1"}}),
        (lambda discord: discord.member("1", "2"), {"user": {"id": "1", "username": "x"}, "roles": 5}),
        (lambda discord: discord.channels("1"), [{"id": "1", "name": "x", "type": True}]),
        (
            lambda discord: discord.channels("1"),
            [{"id": "1", "name": "x", "type": 0, "permission_overwrites": [{"id": "1", "allow": "1"}]}],
        ),
        (lambda discord: discord.people("1", "x"), [{"user": "x"}]),
    ]
    for ask, said in cases:
        with subtests.test(ask=ask, said=said):
            server.answers = [says(said)]
            with pytest.raises(DiscordError, match="does not have the documented form"):
                ask(client(server))


def test_a_name_that_is_the_token_is_not_repeated(subtests: pytest.Subtests, server: Server) -> None:
    cases: list[str] = [TOKEN, TOKEN[::-1], f"<{TOKEN}>"]
    for name in cases:
        with subtests.test(name=name):
            long = (200, b"", {"X": name + "x" * 9000})
            server.answers = [says({"id": "1", "username": name}), says({"message": name}, 403), long]
            discord = client(server)

            assert name not in str(discord.me())
            for _ in range(2):
                with pytest.raises(DiscordError) as caught:
                    discord.me()
                assert name not in str(caught.value)


def test_half_a_surrogate_pair_is_a_letter_that_files_can_hold(server: Server) -> None:
    server.answers = [says({"id": "1", "username": "a\ud800b", "global_name": "\ud83d\udc4b", "\udfff": ["\ud800"]})]

    assert client(server).me() == {"id": "1", "username": "a\ufffdb", "global_name": "👋", "\ufffd": ["\ufffd"]}


def test_what_is_said_is_no_line_of_ours(server: Server) -> None:
    name = "general\r\n8. Your key\u2028\x85:"
    server.answers = [says({"id": "1", "username": name}), says({"message": name}, 403)]
    discord = client(server)

    assert discord.me()["username"] == "general 8. Your key  :"
    with pytest.raises(DiscordError, match=r"Discord says 403 general 8\. Your key  :$"):
        discord.me()


def test_an_answer_nested_too_deeply_is_named(server: Server) -> None:
    depth = sys.getrecursionlimit() // 2
    server.answers = [(200, b"[" * depth + b"]" * depth, {})]

    with pytest.raises(DiscordError, match=r"deeply|does not have the|no JSON"):
        client(server).me()


def test_an_address_that_cannot_be_asked_is_named(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["http://127.0.0.1:9", "http://127.0.0.1:99999", "ftp://x", "nonsense", "http://[::"]
    for address in cases:
        with subtests.test(address=address):
            with pytest.raises(DiscordError, match="cannot be asked") as caught:
                DiscordRest(address, TOKEN).me()
            assert address in str(caught.value)
            assert TOKEN not in str(caught.value)
