"""Access: the person with the printed address and the bot with its token; all others are refused."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.patience import PATIENCE_S

GENERAL = defaults.GENERAL_ID
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "a" * 22,
}
Answer = tuple[int, dict[str, str], bytes]


def ask(
    playground: PlaygroundServer, method: str, path: str, headers: dict[str, str] | None = None, body: str | None = None
) -> Answer:
    """Response to one request; redirects are not followed."""
    connection = http.client.HTTPConnection("127.0.0.1", playground.port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def routes(playground: PlaygroundServer) -> Iterator[tuple[str, str]]:
    """Method and an example path of every route that the server has."""
    for route in playground.application().router.routes():
        assert route.resource is not None
        path = re.sub(
            r"\{(\w+)\}", lambda name: "1" if name[1].endswith("_id") else "page.js", route.resource.canonical
        )
        yield route.method if route.method != "*" else "GET", path


def strangers(playground: PlaygroundServer) -> dict[str, dict[str, str]]:
    """Headers of callers who know what anybody on the machine could know."""
    cookie = f"playground-{playground.port}"
    return {
        "nothing": {},
        "empty": {"Authorization": "Bearer ", "Cookie": f"{cookie}="},
        "wrong bearer": {"Authorization": "Bearer playground-token"},
        "wrong bot": {"Authorization": "Bot playground-token"},
        "wrong cookie": {"Cookie": f"{cookie}=playground-token; token=x"},
        "odd cookie": {"Cookie": f"{cookie}=\xe9\xff"},
        "the bot's as a person": {"Authorization": f"Bearer {playground.bot_token}"},
        "the person's as the bot": {"Authorization": f"Bot {playground.person_token}"},
        "a cookie of another name": {"Cookie": f"playground={playground.person_token}"},
        "a socket": UPGRADE,
        "its own page": {"Origin": playground.origin, "Sec-Fetch-Site": "same-origin"},
    }


def entrance(playground: PlaygroundServer) -> Answer:
    return ask(playground, "GET", playground.page_url.removeprefix(playground.origin))


def test_no_route_answers_a_stranger(playground: PlaygroundServer) -> None:
    known = list(routes(playground))
    unknown = [
        ("GET", "/nothing"),
        ("GET", "/api/v10/nothing"),
        ("POST", "/"),
        ("GET", "/gateway/x/y"),
        ("PUT", "/feed"),
    ]
    let_in = [
        f"{method} {path} with {what}: {status}"
        for method, path in (*known, *unknown, ("GET", "/?token=playground-token"), ("GET", "/?token="))
        for what, headers in strangers(playground).items()
        if (status := ask(playground, method, path, {"Content-Type": "application/json", **headers}, "{}")[0])
        not in (401, 403)
    ]

    assert len(known) > 60
    assert let_in == []
    assert playground.messages(GENERAL) == []


def test_a_stranger_meets_no_fault_that_waits_for_the_bot(playground: PlaygroundServer) -> None:
    playground.inject("503", "GET /users/@me")
    stranger = ask(playground, "GET", "/api/v10/users/@me")
    of_the_bot = ask(playground, "GET", "/api/v10/users/@me", {"Authorization": f"Bot {playground.bot_token}"})

    assert (stranger[0], of_the_bot[0]) == (401, 503)


def test_the_printed_address_gives_a_strict_cookie_and_leads_to_a_clean_one(playground: PlaygroundServer) -> None:
    status, headers, _ = entrance(playground)
    cookie, *attributes = headers["Set-Cookie"].split("; ")

    assert (status, headers["Location"]) == (303, "/")
    assert set(attributes) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    page = ask(playground, "GET", "/", {"Cookie": cookie})
    assert (page[0], playground.person_token.encode() in page[2]) == (200, False)
    request_body = json.dumps({"channel_id": str(GENERAL), "text": "hello"})
    act = ask(playground, "POST", "/control/say", {"Cookie": cookie, "Content-Type": "application/json"}, request_body)
    assert act[0] == 200
    assert [message["content"] for message in playground.messages(GENERAL)] == ["hello"]


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_the_cookie_does_not_open_the_door_to_other_sites(
    playground: PlaygroundServer, headers: dict[str, str]
) -> None:
    cookie = entrance(playground)[1]["Set-Cookie"].split("; ")[0]

    for path in ("/", "/control/state", "/feed"):
        assert ask(playground, "GET", path, {"Cookie": cookie, **headers})[0] == 403


def test_who_opens_the_printed_address_from_a_file_or_another_page_gets_in_without_a_redirect(
    playground: PlaygroundServer,
) -> None:
    address = playground.page_url.removeprefix(playground.origin)
    status, headers, body = ask(playground, "GET", address, {"Sec-Fetch-Site": "cross-site"})

    assert (status, b'content="0; url=/"' in body) == (200, True)
    assert "SameSite=Strict" in headers["Set-Cookie"]
    assert ask(playground, "GET", address, {"Origin": "http://evil.example"})[0] == 403


def test_the_bot_is_no_person_and_the_person_no_bot(playground: PlaygroundServer) -> None:
    as_bot = {"Authorization": f"Bot {playground.bot_token}"}
    as_person = {"Authorization": f"Bearer {playground.person_token}"}

    assert ask(playground, "GET", "/control/state", as_bot)[0] == 401
    assert ask(playground, "GET", "/api/v10/users/@me", as_person)[0] == 401
    assert ask(playground, "GET", "/control/state", as_person)[0] == 200
    assert ask(playground, "GET", "/api/v10/users/@me", as_bot)[0] == 200


def test_an_attachment_is_had_by_the_address_that_was_given_for_it_only(playground: PlaygroundServer) -> None:
    for name in ("mine.txt", "ours é.txt"):
        playground.say(GENERAL, "a file", attachments=[(name, name.encode())])
    first, second = [
        message["attachments"][0]["url"].removeprefix(playground.origin) for message in playground.messages(GENERAL)
    ]
    signature = first.partition("?")[2]

    assert ask(playground, "GET", first)[2] == b"mine.txt"
    assert ask(playground, "GET", second)[2] == "ours é.txt".encode()
    for forged in (second.partition("?")[0], f"{second.partition('?')[0]}?{signature}", f"{first}0"):
        assert ask(playground, "GET", forged)[0] == 401


def test_every_playground_has_keys_of_its_own() -> None:
    servers = [PlaygroundServer(port=1) for _ in range(20)]
    keys = {key for server in servers for key in (server.page_url, server.bot_token, server.gateway_url)}

    assert len(keys) == 3 * len(servers)
    assert min(len(server.person_token) for server in servers) > 40
    assert not [server for server in servers if server.person_token in repr(server.hub.keys)]
