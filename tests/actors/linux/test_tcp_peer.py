from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from actors.linux.tcp_peer import tells_uids, uid_of_peer


def test_the_owner_of_a_connection_of_this_process_is_its_user() -> None:
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with (
            socket.create_server((host, 0), family=family) as listener,
            socket.create_connection(listener.getsockname()[:2]) as client,
        ):
            server, _ = listener.accept()
            with server:
                assert uid_of_peer(client.getsockname()[:2], server.getsockname()[:2]) == os.geteuid()


def test_a_connection_of_ipv4_to_a_socket_of_ipv6_is_found() -> None:
    with socket.socket(socket.AF_INET6) as listener:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(("::", 0))
        listener.listen()
        with socket.create_connection(("127.0.0.1", listener.getsockname()[1])) as client:
            server, peer = listener.accept()
            with server:
                assert peer[0] == "::ffff:127.0.0.1"
                assert uid_of_peer(peer[:2], server.getsockname()[:2]) == os.geteuid()
                assert client.getsockname()[1] == peer[1]


def test_a_socket_that_its_process_closed_has_no_owner() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        own = client.getsockname()
        server, _ = listener.accept()
        client.close()
        with server:
            assert uid_of_peer(own, server.getsockname()) is None


def test_of_an_address_of_another_machine_nothing_is_told(subtests: pytest.Subtests) -> None:
    for address in ["10.0.0.1", "192.0.2.7", "2001:db8::1"]:
        with subtests.test(address=address):
            assert uid_of_peer((address, 5000), ("127.0.0.1", 80)) is None


def test_a_table_of_another_form_tells_nothing(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, text in enumerate(
        ["", "no table\n", "head\n 0: 0100007F:0001 0100007F:0002 01 x y z\n", "h\n" + "x " * 12 + "\n"]
    ):
        with subtests.test(text=text):
            root = tmp_path / str(number)
            root.mkdir()
            (root / "tcp").write_text(text)

            assert uid_of_peer(("127.0.0.1", 1), ("127.0.0.1", 2), (root / "tcp", root / "missing")) is None


def test_the_kernel_tells_of_loopback_and_of_no_address_that_is_not_here() -> None:
    assert tells_uids("127.0.0.1", os.geteuid())
    assert not tells_uids("127.0.0.1", os.geteuid() + 1)
    assert not tells_uids("192.0.2.1", os.geteuid())
