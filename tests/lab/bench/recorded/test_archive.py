from __future__ import annotations

import asyncio
import io
import json
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lab.bench.recorded.archive import Exchange, read_archive
from lab.bench.recorded.player import Player

FILE = """
interactions:
- request: {method: post, uri: 'https://h/v1/m%3A0/x?a=b', headers: {}, body: '{"a": 1}'}
  response: {status: {code: 200}, headers: {Content-Type: [text/event-stream], content-length: ['3']}, body: {string: "hé"}}
- request: {method: POST, uri: 'https://h/v1', headers: {}, parsed_body: {b: 2}}
  response: {status: {code: 429}, headers: {retry-after: ['7']}, parsed_body: {created: 1743075630}}
- request: {method: POST, uri: 'https://h/v1', headers: {}, body: {c: 3}}
  response: {status: {code: 200}, headers: {date: ['Thu, 27 Mar 2025 11:40:30 GMT']}, body: {string: !!binary AP8=}}
version: 1
"""


@pytest.mark.req("X-216")
def test_a_folder_and_a_tar_file_give_the_same_exchanges(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.yaml").write_text(FILE)
    packed = tmp_path / "packed.tar.xz"
    with tarfile.open(packed, "w:xz") as archive:
        entry = tarfile.TarInfo("a/one.yaml")
        entry.size = len(FILE.encode())
        archive.addfile(entry, io.BytesIO(FILE.encode()))

    ((name, exchanges),) = read_archive(tmp_path)
    assert [(name, exchanges)] == list(read_archive(packed))
    assert name == "a/one.yaml"
    first, second, third = exchanges
    assert (first.method, first.host, first.path, first.request) == ("POST", "h", "/v1/m:0/x", {"a": 1})
    assert (first.headers, first.body, first.is_stream) == ({"content-type": "text/event-stream"}, "hé".encode(), True)
    assert (second.request, second.status, second.headers) == ({"b": 2}, 429, {"retry-after": "7"})
    assert json.loads(second.body) == {"created": 1743075630}
    assert (third.request, third.body) == ({"c": 3}, b"\x00\xff")
    assert second.at == third.at == datetime(2025, 3, 27, 11, 40, 30, tzinfo=UTC)


def test_what_is_no_archive_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.yaml").write_text("a: 1")
    (tmp_path / "text").write_text("a")
    for name, rule in (
        ("empty", "at least one file"),
        ("other", "a.yaml is not a recording"),
        ("text", "neither a folder"),
    ):
        with pytest.raises(ValueError, match=rule) as error:
            list(read_archive(tmp_path / name))
        assert str(tmp_path / name) in str(error.value)


@pytest.mark.req("X-216")
def test_the_player_gives_the_bytes_as_they_are_in_pieces_and_keeps_the_request() -> None:
    body = bytes(range(256)) * 20
    exchange = Exchange("f", 0, "POST", "https://h/v1", {}, 429, {"retry-after": "7", "content-type": "x/y"}, body)

    async def ask() -> tuple[bytes, list[tuple[str, bytes]]]:
        async with Player() as player:
            player.play(exchange)
            reader, writer = await asyncio.open_connection("127.0.0.1", player.port)
            writer.write(b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
            answer = await reader.readuntil(b"0\r\n\r\n")
            writer.close()
            return answer, [(request.path, request.body) for request in player.requests]

    answer, requests = asyncio.run(ask())
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 429 ")
    assert b"retry-after: 7" in head
    pieces = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        pieces.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]
    assert b"".join(pieces) == body
    assert len(pieces) > 8
    assert requests == [("/a", b"hi")]
