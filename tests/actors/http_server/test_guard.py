from __future__ import annotations

import pytest

from actors.http_server.guard import is_loopback_host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:80", "localhost:9", "LOCALHOST"])
def test_this_machines_names_are_known(host: str) -> None:
    assert is_loopback_host(host)


@pytest.mark.parametrize(
    "host", ["", "example.org", "127.0.0.1.example.org", "127.0.0.1:0", "[::1", "10.0.0.1:80", "a:b"]
)
def test_others_are_not(host: str) -> None:
    assert not is_loopback_host(host)
