from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from actors.gateway.config import PLACES
from tests.actors.gateway.raw import BODY, answer_on, request
from tests.actors.gateway.rig import GatewayRig
from tests.patience import eventually

ALICE, BOB = "alice-key-0123456789", "bobby-key-0123456789"
KEYS = {ALICE: "alice/", BOB: "bob/"}
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
MODELS = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n"
ANOTHER = """
import os, socket, sys
os.setgid(65533), os.setuid(65533)
connection = socket.socket()
connection.connect(("127.0.0.1", int(sys.argv[1])))
connection.sendall(sys.argv[2].encode())
sys.stdout.write(connection.makefile("rb").read().decode())
"""


@contextlib.contextmanager
def gateway(keys: dict[str, str] | None = None, **config: Any) -> Iterator[GatewayRig]:
    rig = GatewayRig(keys=keys or {}, **config)
    try:
        yield rig
    finally:
        rig.stop()


def models(key: str = "") -> bytes:
    return MODELS + (f"Authorization: Bearer {key}\r\n".encode() if key else b"") + b"\r\n"


def is_ended(connection: socket.socket) -> bool:
    """True once the other side has ended the connection; answers before that are passed over."""
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass
    return True


def table(tmp_path: Path, uid: int, peer: socket.socket, inode: int = 77) -> Path:
    def kernel_address(endpoint: tuple[str, int]) -> str:
        word = int.from_bytes(socket.inet_aton(endpoint[0]), sys.byteorder)
        return f"{word:08X}:{endpoint[1]:04X}"

    own, other = kernel_address(peer.getsockname()), kernel_address(peer.getpeername())
    path = tmp_path / "tcp"
    path.write_text(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        f"   0: {own} {other} 01 00000000:00000000 00:00000000 00000000 {uid:5} 0 {inode} 1 0 20 4 0 10 -1\n"
    )
    return path


def test_a_program_of_another_user_of_this_machine_is_not_served() -> None:
    if os.geteuid() != 0:
        pytest.skip("to become another user takes root")
    with gateway(own_uid=65532) as rig:
        said = subprocess.run(
            [
                sys.executable,
                "-I",
                "-c",
                ANOTHER,
                str(rig.port),
                request("POST", "/v1/chat/completions", BODY).decode(),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout

        assert said.startswith("HTTP/1.1 403 ")
        assert "of user 65533: without keys only programs of user 65532" in said
        assert "facts.keys" in said
        assert not rig.facts.asked
        assert not rig.upstream.heard


@pytest.mark.req("X-203")
@pytest.mark.parametrize(
    ("uid", "inode", "is_served", "reason"),
    [
        (1000, 77, True, ""),
        (0, 77, True, ""),
        (1001, 77, False, "of user 1001"),
        (0, 0, False, "of an unknown user"),  # the process has closed it, so the kernel names root
        (65534, 77, False, "of an unknown user"),
    ],
)
def test_the_kernel_s_table_decides_who_is_served(
    tmp_path: Path, uid: int, inode: int, is_served: bool, reason: str
) -> None:
    with gateway(own_uid=1000, uid_tables=(tmp_path / "tcp",)) as rig, rig.raw(b"") as client:
        table(tmp_path, uid, client, inode)
        client.sendall(models())
        head, body, _ = answer_on(client)

    assert head.startswith(b"HTTP/1.1 200 " if is_served else b"HTTP/1.1 403 ")
    assert reason.encode() in body


def test_who_is_asked_once_a_connection(tmp_path: Path) -> None:
    with gateway(own_uid=1000, uid_tables=(tmp_path / "tcp",)) as rig, rig.raw(b"") as client:
        table(tmp_path, 1000, client).rename(tmp_path / "kept")
        (tmp_path / "kept").rename(tmp_path / "tcp")
        client.sendall(models())
        assert answer_on(client)[0].startswith(b"HTTP/1.1 200 ")
        (tmp_path / "tcp").unlink()
        client.sendall(models())
        assert answer_on(client)[0].startswith(b"HTTP/1.1 200 ")


def test_a_kernel_that_tells_nothing_lets_no_one_in(tmp_path: Path) -> None:
    with gateway(uid_tables=(tmp_path / "missing",)) as rig:
        assert rig.send().status == 403


def test_health_keeps_no_connection() -> None:
    with gateway(KEYS) as rig, rig.raw(HEALTH) as client:
        client.settimeout(20)
        assert b" 200 " in client.recv(4_096)
        assert is_ended(client)


def test_a_stranger_has_a_deadline_and_a_client_with_a_key_has_none(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"", b"POST /v1/chat", HEALTH[:-2], models("wrong-key")[:-2]]
    for start in cases:
        with subtests.test(start=start):
            places = replace(PLACES, stranger_s=0.3)
            with gateway(KEYS, places=places) as rig, rig.raw(models(ALICE)) as known, rig.raw(start) as stranger:
                assert b" 200 " in answer_on(known)[0]
                stranger.settimeout(20)
                assert is_ended(stranger)
                known.sendall(models(ALICE))
                assert b" 200 " in answer_on(known)[0]


def test_every_further_head_has_a_deadline_too(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"", MODELS[:20]]
    for start in cases:
        with (
            subtests.test(start=start),
            gateway(KEYS, places=replace(PLACES, idle_s=0.3)) as rig,
            rig.raw(models(ALICE)) as client,
        ):
            client.settimeout(20)
            assert b" 200 " in answer_on(client)[0]
            client.sendall(start)
            assert is_ended(client)


def test_strangers_take_no_place_of_a_client_with_a_key() -> None:
    with gateway(KEYS, places=replace(PLACES, most=150)) as rig, contextlib.ExitStack() as crowd:
        for _ in range(250):
            crowd.enter_context(rig.raw(b""))
        assert b" 200 " in answer_on(crowd.enter_context(rig.raw(models(ALICE))))[0]


def test_a_server_that_is_full_of_clients_takes_no_more_and_gives_a_free_place() -> None:
    with gateway(KEYS, places=replace(PLACES, most=2, most_of_one=2)) as rig:
        known = [rig.raw(models(ALICE)) for _ in range(2)]
        assert all(b" 200 " in answer_on(each)[0] for each in known)
        with rig.raw(models(BOB)) as late:
            late.settimeout(20)
            with contextlib.suppress(ConnectionResetError):
                assert late.recv(4_096) == b""
        for each in known:
            each.close()

        def is_served() -> bool:
            try:
                return rig.send(None, "/v1/models", "GET", Authorization=f"Bearer {BOB}").status == 200
            except OSError:
                return False

        eventually(is_served)


def test_one_key_has_at_most_its_part_of_the_places() -> None:
    with gateway(KEYS, places=replace(PLACES, most_of_one=2)) as rig:
        held = [rig.raw(models(ALICE)) for _ in range(2)]
        assert all(b" 200 " in answer_on(each)[0] for each in held)
        refused = rig.send(None, "/v1/models", "GET", Authorization=f"Bearer {ALICE}")
        served = rig.send(None, "/v1/models", "GET", Authorization=f"Bearer {BOB}")
        for each in held:
            each.close()

    assert (refused.status, refused.headers["Retry-After"], served.status) == (429, "1", 200)
    assert refused.error["type"] == "rate_limit_error"


def test_without_keys_one_user_may_have_all_places() -> None:
    with gateway(places=replace(PLACES, most=6, most_of_one=2)) as rig:
        held = [rig.raw(models()) for _ in range(5)]
        assert all(b" 200 " in answer_on(each)[0] for each in held)
        for each in held:
            each.close()


def test_a_program_that_opens_many_connections_before_it_asks_is_answered_on_all(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, str]] = [{}, KEYS]
    for keys in cases:
        with subtests.test(keys=keys), gateway(keys) as rig, contextlib.ExitStack() as opened:
            connections = [opened.enter_context(rig.raw(b"")) for _ in range(300)]
            for each in connections:
                each.sendall(
                    models(ALICE if keys else "").replace(b"/v1/models", b"/metrics", 1)
                )  # no connection upstream
            assert all(b" 200 " in answer_on(each)[0] for each in connections)


def test_a_head_without_an_end_is_refused_before_it_fills_the_memory() -> None:
    fields = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 8_000) for number in range(20))
    with gateway(KEYS) as rig, rig.raw(b"") as client:
        with contextlib.suppress(ConnectionError):
            client.sendall(MODELS + fields)
        head, body, _ = answer_on(client)

    assert head.startswith(b"HTTP/1.1 431 ")
    assert b"more than 65536 bytes" in body


def test_a_client_whose_head_has_come_does_not_pay_for_a_gateway_that_is_slow(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tcp")
    places = replace(PLACES, stranger_s=0.3)
    with gateway(own_uid=1000, uid_tables=(tmp_path / "tcp",), places=places) as rig, rig.raw(models()) as client:
        threading.Event().wait(0.6)
        (tmp_path / "shown").mkdir()
        text = table(tmp_path / "shown", 1000, client).read_text()
        (tmp_path / "tcp").write_text(text)
        assert b" 200 " in answer_on(client)[0]


def test_line_ends_before_a_request_keep_no_place(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"\r\n\r\n", b"\r\n\r\nGET /he"]
    for start in cases:
        with (
            subtests.test(start=start),
            gateway(KEYS, places=replace(PLACES, stranger_s=0.3)) as rig,
            rig.raw(start) as stranger,
        ):
            stranger.settimeout(20)
            assert is_ended(stranger)
