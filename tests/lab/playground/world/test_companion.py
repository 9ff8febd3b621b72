from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world.companion import Companion
from tests.patience import PATIENCE_S


def companion(root: Path) -> Companion:
    return Companion(root, lambda: None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"url": 1}',
        '{"url": "http://example.org/?token=a"}',
        '{"url": "javascript:alert(1)"}',
    ],
)
def test_only_a_loopback_address_is_an_observers(tmp_path: Path, text: str) -> None:
    assert companion(tmp_path).observer_address() == ""
    (tmp_path / "observer.json").write_text(text)
    assert companion(tmp_path).observer_address() == ""


def observed(server: PlaygroundServer) -> tuple[int, str]:
    """Status of the way to the observer, and where it leads."""
    connection = http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=PATIENCE_S)
    connection.request("GET", "/observer", headers={"Authorization": f"Bearer {server.person_token}"})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, response.headers.get("Location", "")


def test_the_way_to_the_observer_is_shown_once_it_is_there(tmp_path: Path) -> None:
    with PlaygroundServer() as server:
        assert observed(server)[0] == 503
        server.accompany(tmp_path, lambda: None)
        assert observed(server)[0] == 503
        (tmp_path / "observer.json").write_text('{"url": "http://127.0.0.1:9/?token=a"}')
        assert observed(server) == (303, "http://127.0.0.1:9/?token=a")
