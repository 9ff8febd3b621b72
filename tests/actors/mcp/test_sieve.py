"""Messages that pass, and messages that are dealt with at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from actors.http_client.pacing import Pace
from actors.mcp.errors import SessionOverError
from actors.mcp.sieve import Sieve, lines


@pytest.mark.req("X-261")
@pytest.mark.parametrize(
    ("line", "passes", "replies", "changes"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', True, [], 0),
        (b'{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"no"}}', True, [], 0),
        (b'{"jsonrpc":"2.0","id":null,"result":{}}', False, [], 0),
        (b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}', False, [], 0),
        (b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', False, [], 1),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"}', False, [b'{"jsonrpc":"2.0","id":7,"result":{}}'], 0),
        (
            b'{"jsonrpc":"2.0","id":"x","method":"sampling/createMessage"}',
            False,
            [
                b'{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"this client serves no requests"}}',
            ],
            0,
        ),
        (b'{"jsonrpc":"2.0","id":"' + b"x" * 200 + b'","method":"ping"}', False, [], 0),
        (b"a line of a log", False, [], 0),
        (b"\xff\xfe", False, [], 0),
        (b"[" * 100_000, False, [], 0),
        (b'[{"jsonrpc":"2.0","id":1,"result":{}}]', False, [], 0),
    ],
)
def test_only_answers_pass(line: bytes, passes: bool, replies: list[bytes], changes: int) -> None:
    sent, changed = list[bytes](), list[bool]()
    sieve = Sieve(sent.append, lambda: changed.append(True))

    assert sieve.passes(line) is passes
    assert sent == replies
    assert len(changed) == changes


async def _pieces(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def test_lines_are_whole_however_they_are_cut() -> None:
    async def read() -> list[bytes]:
        return [line async for line in lines(_pieces(b"a", b"b\nc", b"\n\nd\ne"), Pace())]

    assert asyncio.run(read()) == [b"ab", b"c", b"d"]


@pytest.mark.req("X-261")
def test_a_line_that_is_too_long_is_given_up() -> None:
    async def read() -> None:
        async for _ in lines(_pieces(b"x" * 600, b"x" * 600), Pace(), most_bytes=1_000):
            pass

    with pytest.raises(SessionOverError, match="more than 1000 bytes"):
        asyncio.run(read())
