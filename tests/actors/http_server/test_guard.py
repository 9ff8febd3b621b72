from __future__ import annotations

import pytest

from actors.http_server.guard import is_loopback_host


def test_this_machines_names_are_known(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["127.0.0.1", "127.0.0.1:80", "localhost:9", "LOCALHOST"]
    for host in cases:
        with subtests.test(host=host):
            assert is_loopback_host(host)


def test_others_are_not(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "example.org", "127.0.0.1.example.org", "127.0.0.1:0", "[::1", "10.0.0.1:80", "a:b"]
    for host in cases:
        with subtests.test(host=host):
            assert not is_loopback_host(host)
