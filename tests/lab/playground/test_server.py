from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.patience import PATIENCE_S, eventually

GENERAL = defaults.GENERAL_ID
JSON = {"Content-Type": "application/json"}


def bot(playground: PlaygroundServer) -> dict[str, str]:
    return {"Authorization": f"Bot {playground.bot_token}"}


def person(playground: PlaygroundServer) -> dict[str, str]:
    return {"Authorization": f"Bearer {playground.person_token}"}


class Answer:
    """An HTTP answer, refusals included."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status
        self.headers: Mapping[str, str] = response.headers
        self.body: bytes = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def call(url: str, headers: dict[str, str] | None = None, body: Any = None, method: str | None = None) -> Answer:
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers or {}, method=method)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE_S) as response:
            return Answer(response)
    except urllib.error.HTTPError as refused:
        with refused:
            return Answer(refused)


def control(playground: PlaygroundServer, act: str, **body: Any) -> Answer:
    return call(f"{playground.origin}/control/{act}", person(playground) | JSON, body)


# life


def test_it_listens_on_loopback_only(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["0.0.0.0", "::", "192.168.1.4", "example.org", ""]
    for host in cases:
        with subtests.test(host=host), pytest.raises(ValueError, match=r"127\.0\.0\.1 only"):
            PlaygroundServer(host=host)


def test_stopping_ends_its_thread_and_frees_its_port_and_can_be_repeated() -> None:
    server = PlaygroundServer()
    server.start()
    port = server.port
    server.stop()
    server.stop()

    assert "playground" not in {thread.name for thread in threading.enumerate()}
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
    with pytest.raises(RuntimeError, match="not running"):
        server.say(GENERAL, "anybody?")


def test_a_taken_port_is_an_error_of_the_start(playground: PlaygroundServer) -> None:
    other = PlaygroundServer(port=playground.port)
    with pytest.raises(OSError, match="ddress already in use"):
        other.start()
    other.stop()


def test_it_can_be_started_again_with_its_messages() -> None:
    server = PlaygroundServer()
    with server:
        server.say(GENERAL, "still here")
    with server:
        assert [m["content"] for m in server.messages(GENERAL)] == ["still here"]


def test_who_connects_in_masses_and_says_nothing_takes_no_more_than_its_share_and_is_closed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with contextlib.ExitStack() as stack, PlaygroundServer(most_connections=8, patience_s=2.0) as server:
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(100)]
        idle[0].sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        idle[0].settimeout(PATIENCE_S)
        eventually(lambda: any("accepts no connections" in record.message for record in caplog.records))
        assert len(os.listdir("/proc/self/fd")) <= before + 100 + 8 + 1  # noqa: PTH208 - the ends of both sides
        assert idle[0].recv(1) == b""
        for each in idle[1:]:
            each.close()

        assert call(f"{server.api_base}/gateway/bot", bot(server)).status == 200
        assert len([record for record in caplog.records if "accepts no connections" in record.message]) == 1


def test_without_descriptors_it_waits_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as stack, PlaygroundServer() as server:
        client = stack.enter_context(socket.socket())
        used = max(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208
        fillers = [os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC) for _ in range(used + 1)]
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(client.fileno() + 1, 16), most[1]))
            client.connect(("127.0.0.1", server.port))
            eventually(lambda: bool(caplog.records))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, most)
            for filler in fillers:
                os.close(filler)
        client.settimeout(PATIENCE_S)
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")

        assert client.recv(8) == b"HTTP/1.1"
        assert [record.name for record in caplog.records] == ["lab.listener"]


def test_stopping_ends_open_feeds(playground: PlaygroundServer) -> None:
    authorization = f"Authorization: Bearer {playground.person_token}"
    with socket.create_connection(("127.0.0.1", playground.port), timeout=PATIENCE_S) as feed:
        feed.sendall(f"GET /feed HTTP/1.1\r\nHost: 127.0.0.1\r\n{authorization}\r\n\r\n".encode())
        received = b""
        while b"PLAYGROUND_HELLO" not in received:
            received += feed.recv(4096)
        playground.stop()
        while chunk := feed.recv(4096):
            received += chunk

    assert b"text/event-stream" in received


# REST


def test_json_has_exactly_the_content_type_and_the_rate_headers_discord_sends(playground: PlaygroundServer) -> None:
    answer = call(playground.api_base + "/users/@me", bot(playground))

    assert answer.headers["Content-Type"] == "application/json"
    assert {f"X-RateLimit-{name}" for name in ("Limit", "Remaining", "Reset", "Reset-After", "Bucket")} <= set(
        answer.headers
    )
    assert answer.json["id"] == str(defaults.BOT_ID)


def test_a_wrong_token_is_unauthorized(playground: PlaygroundServer, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "Bot wrong", "Bot ", "{}", "Bearer {}", "bot {}"]
    for token in cases:
        with subtests.test(token=token):
            token_given = token.format(playground.bot_token)
            answer = call(playground.api_base + "/users/@me", {"Authorization": token_given} if token_given else {})

            assert (answer.status, answer.json["message"]) == (401, "401: Unauthorized")


def test_refusals_have_discords_shape(playground: PlaygroundServer) -> None:
    url = f"{playground.api_base}/channels/{GENERAL}/messages"
    too_long = call(url, bot(playground) | JSON, {"content": "x" * 2001})
    broken = call(url, bot(playground) | JSON, b"{")
    unknown = call(f"{playground.api_base}/channels/1/messages", bot(playground) | JSON, {"content": "x"})

    assert (too_long.status, too_long.json["code"]) == (400, 50035)
    assert too_long.json["errors"]["content"]["_errors"][0]["code"] == "BASE_TYPE_MAX_LENGTH"
    assert (broken.status, broken.json["code"]) == (400, 50109)
    assert (unknown.status, unknown.json["code"]) == (404, 10003)


def test_an_upload_that_says_it_is_too_large_is_refused_unread(playground: PlaygroundServer) -> None:
    with socket.create_connection(("127.0.0.1", playground.port), timeout=PATIENCE_S) as connection:
        head = (
            f"POST /api/v10/channels/{GENERAL}/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bot {playground.bot_token}\r\nContent-Type: application/json\r\n"
            "Content-Length: 99999999\r\n\r\n{"
        )
        connection.sendall(head.encode())
        answer = connection.recv(4096)

    assert b" 413 " in answer.split(b"\r\n")[0]


# who may talk to it


def test_other_sites_and_rebound_names_are_refused(playground: PlaygroundServer, subtests: pytest.Subtests) -> None:
    cases_of_path: list[str] = ["/", "/control/state", "/feed", "/api/v10/gateway"]
    cases_of_headers: list[dict[str, str]] = [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    for path in cases_of_path:
        for headers in cases_of_headers:
            with subtests.test(path=path, headers=headers):
                assert call(playground.origin + path, person(playground) | headers).status == 403


def test_acts_need_a_json_content_type_which_a_foreign_form_cannot_send(playground: PlaygroundServer) -> None:
    url = f"{playground.origin}/control/say"
    body = {"channel_id": str(GENERAL), "text": "x"}

    assert call(url, person(playground) | {"Content-Type": "text/plain"}, body).status == 415
    assert (
        call(
            url, person(playground) | JSON | {"Origin": playground.origin, "Sec-Fetch-Site": "same-origin"}, body
        ).status
        == 200
    )
    assert len(playground.messages(GENERAL)) == 1


# control


def test_the_control_surface_does_what_the_page_offers(playground: PlaygroundServer) -> None:
    place = {"channel_id": str(GENERAL)}
    reason = control(playground, "say", **place, text="hello", attachments=[{"filename": "a.txt", "data": "aGk="}])
    control(playground, "user_edit", **place, message_id=reason.json["id"], text="hello!")
    control(playground, "react", **place, message_id=reason.json["id"], emoji="👍", user_id=None)
    thread = control(playground, "thread", **place, name="t", message_id=reason.json["id"]).json["id"]
    new_user = control(playground, "user", name="Ann").json["id"]
    control(playground, "say", channel_id=thread, text="in it", user_id=new_user, reply_to=None)
    message = call(f"{playground.origin}/control/channels/{GENERAL}/messages", person(playground)).json[0]
    state = call(f"{playground.origin}/control/state", person(playground)).json
    file = call(message["attachments"][0]["url"])

    assert (message["content"], message["reactions"][0]["count"], message["thread"]["id"]) == ("hello!", 1, thread)
    assert (file.body, file.headers["Content-Disposition"]) == (b"hi", "attachment")
    assert playground.messages(int(thread))[-1]["author"]["global_name"] == "Ann"
    assert [t["name"] for t in state["threads"]] == ["t"]
    assert new_user in state["threads"][0]["member_ids"]
    assert state["bot"]["online"] is False
    assert control(playground, "user_delete", **place, message_id=reason.json["id"]).status == 200
    assert playground.messages(GENERAL) == []


def test_a_wrong_act_says_what_is_wrong(playground: PlaygroundServer, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, dict[str, Any], int, str]] = [
        ("say", {"text": "x"}, 400, "missing required field `channel_id`"),
        ("say", {"channel_id": "1", "text": "x"}, 404, "Unknown Channel"),
        ("say", {"channel_id": str(GENERAL), "text": " "}, 400, "empty message"),
        ("say", {"channel_id": "x", "text": " "}, 400, "Expected `int`, got `str` - at `$.channel_id`"),
        ("fault", {"kind": "418"}, 400, "fault kind '418'"),
        ("slash", {"channel_id": str(GENERAL), "command": "nope"}, 400, "has not registered"),
    ]
    for act, body, status, message in cases:
        with subtests.test(act=act, body=body, status=status, said=message):
            answer = control(playground, act, **body)

            assert answer.status == status
            assert message in answer.json["message"]


def test_a_command_that_the_bot_does_not_acknowledge_is_told_after_three_seconds(playground: PlaygroundServer) -> None:
    command = {"name": "later", "description": "d", "options": []}
    playground.run(lambda: playground.hub.commands.put(None, command))

    assert control(playground, "slash", channel_id=str(GENERAL), command="later").json == {"callback": None}


def test_a_message_in_a_channel_is_seen_by_all_whatever_its_flags_say(playground: PlaygroundServer) -> None:
    url = f"{playground.api_base}/channels/{GENERAL}/messages"

    assert call(url, bot(playground) | JSON, {"content": "x", "flags": 1 << 6}).json["flags"] == 0


def test_faults_and_gateway_acts_are_reachable_from_other_processes(playground: PlaygroundServer) -> None:
    control(playground, "fault", kind="503", match="GET /users/@me")
    first = call(playground.api_base + "/users/@me", bot(playground))
    second = call(playground.api_base + "/users/@me", bot(playground))
    acts = [control(playground, act) for act in ("drop", "op7", "op9", "zombie")]

    assert (first.status, second.status) == (503, 200)
    assert [act.json for act in acts] == [{"sockets": 0}] * 4


# page


def test_the_page_and_everything_it_names_is_served_under_a_strict_policy(playground: PlaygroundServer) -> None:
    names = sorted(entry.name for entry in (files("lab.playground") / "page").iterdir())
    page = call(playground.origin + "/", person(playground))
    served = {
        name: call(f"{playground.origin}/page/{name}", person(playground)) for name in names if name != "index.html"
    }

    assert page.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert {answer.status for answer in served.values()} == {200}
    assert served["page.js"].headers["Content-Type"] == "text/javascript; charset=utf-8"
    for name in ("page.css", "log.css", "page.js", "favicon.svg", "icons.svg"):
        assert f"/page/{name}".encode() in page.body
    assert call(f"{playground.origin}/page/other.js", person(playground)).status == 404
    assert call(f"{playground.origin}/page/..%2fserver.py", person(playground)).status == 404


def test_the_page_loads_nothing_from_elsewhere_and_builds_no_html_from_text() -> None:
    sources = {e.name: e.read_text() for e in (files("lab.playground") / "page").iterdir()}

    for name, text in sources.items():
        addresses = text.replace("http://www.w3.org/2000/svg", "")
        if name != "inline.js":  # which recognises links in messages
            assert "://" not in addresses, name
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " style=", "onclick="):
            assert word not in text, f"{word} in {name}"
