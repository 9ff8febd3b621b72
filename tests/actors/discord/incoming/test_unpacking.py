"""Unpacking bounds the files in memory, and the windows take turns."""

from __future__ import annotations

import asyncio
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from actors.discord.incoming.disk import Disk
from actors.discord.incoming.fetching import Fetcher, UnfetchedError
from actors.discord.incoming.reading import shelf
from actors.discord.incoming.reading.documents import Documents
from actors.discord.incoming.reading.listening import Listening
from actors.discord.incoming.unpacking import FileBounds, Unpacked, Unpacking
from actors.kernel import Bulkhead, Host
from domain.turn.discord.said import Words
from messages.base import Window
from messages.context import FileKind
from tests.actors.discord.life import thread_window
from tests.patience import PATIENCE_S

MIB = 1 << 20


class Counted(bytearray):
    """Bytes of a file, with who is told when they are gone."""

    def __init__(self, data: bytes, lose: Callable[[int], None]) -> None:
        super().__init__(data)
        self._gone = weakref.finalize(self, lose, len(data))

    def clear(self) -> None:
        super().clear()
        self._gone()


class Cdn:
    """Files by address, and how many bytes of them the reader holds."""

    def __init__(self) -> None:
        self.files: dict[str, Callable[[], bytes]] = {}
        self.held = self.peak = 0
        self.asked: list[str] = []
        self.is_asked = asyncio.Event()
        self.gates: dict[str, asyncio.Event] = {}

    async def fetch(self, address: str, most_bytes: int) -> bytearray:
        self.asked.append(address)
        self.is_asked.set()
        if address in self.gates:
            await self.gates[address].wait()
        await asyncio.sleep(0)
        data = Counted(self.files[address](), self._lose)
        assert len(data) <= most_bytes
        self.held += len(data)
        self.peak = max(self.peak, self.held)
        return data

    def _lose(self, count: int) -> None:
        self.held -= count


@pytest.fixture
def cdn() -> Cdn:
    return Cdn()


def window(number: int) -> Window:
    return thread_window(10**17 + number)


def make(cdn: Cdn, root: Path | None, **options: Any) -> Unpacking:
    disk = Disk(threads=Bulkhead("test"), timeout_s=PATIENCE_S, data_root=root, workdir_of=None)
    return Unpacking(
        fetcher=cast("Fetcher", cdn),
        disk=disk,
        bounds=FileBounds(**({"most_bytes": 8 * MIB, "paste_tokens": 100, "most_lost_s": PATIENCE_S} | options)),
        listening=Listening(cast("Host", None), 0),
        documents=Documents(cast("Host", None)),  # which no test asks anything
    )


def message(cdn: Cdn, number: int, *files: tuple[str, Callable[[], bytes]], size: int = 5) -> Any:
    attachments = []
    for name, content in files:
        url = f"{number}/{name}"
        cdn.files[url] = content
        attachments.append({"filename": name, "url": url, "size": size, "content_type": "text/plain"})
    return SimpleNamespace(id=number, wire={"attachments": attachments})


TYPED = Words("typed", "")


def emojis() -> bytes:
    """Eight MiB, of which Python keeps four bytes a character."""
    return b"a" * (8 * MIB - 4) + "😀".encode()


def test_of_a_message_one_file_is_held_at_a_time_and_little_of_its_text(cdn: Cdn, tmp_path: Path) -> None:
    async def run() -> Unpacked:
        unpack = make(cdn, tmp_path)
        files = [(f"{number}.txt", emojis) for number in range(10)]
        return await unpack.unpack(message(cdn, 1, *files), TYPED, window(1))

    tracemalloc.start()
    try:
        unpacked = asyncio.run(run())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert cdn.peak == 8 * MIB
    assert cdn.held == 0
    assert peak < 40 * MIB, "with what the test makes itself"
    assert cdn.asked == [f"1/{number}.txt" for number in range(10)]
    assert [file.shown_chars for file in unpacked.files] == [400] + [0] * 9
    assert "; the first 400 of 8,388,605 characters follow]" in unpacked.text
    assert {path.stat().st_size for path in (tmp_path / "attachments").rglob("*.txt")} == {8 * MIB}


@pytest.mark.parametrize(("most", "at_once"), [(8, 8), (32, 2), (100, 1), (1, 8)])
def test_of_all_messages_no_more_is_held_than_the_budget(cdn: Cdn, most: int, at_once: int) -> None:
    async def run() -> None:
        unpack = make(cdn, None, most_bytes=most << 10, held_bytes=64 << 10)  # a thousandth of all
        await asyncio.gather(
            *(
                unpack.unpack(
                    message(cdn, number, *((f"{name}.txt", lambda: b"a" * (most << 10)) for name in range(3))),
                    TYPED,
                    window(number),
                )
                for number in range(1, 21)
            )
        )

    asyncio.run(run())
    assert len(cdn.asked) == 60
    assert cdn.held == 0
    assert cdn.peak <= at_once * most << 10
    assert cdn.peak > 0


@pytest.mark.parametrize("others", [1, 20])
def test_a_small_file_is_not_behind_another_windows_large_ones(cdn: Cdn, others: int) -> None:
    async def run() -> None:
        unpack = make(cdn, None, most_bytes=100 * MIB)  # one at a time
        cdn.gates["1/0.txt"] = asyncio.Event()
        floods = [
            asyncio.create_task(
                unpack.unpack(message(cdn, n, *((f"{i}.txt", lambda: b"a") for i in range(10))), TYPED, window(1))
            )
            for n in range(1, others + 1)
        ]
        await cdn.is_asked.wait()
        bystander = asyncio.create_task(
            unpack.unpack(message(cdn, 99, ("small.txt", lambda: b"hello")), TYPED, window(2))
        )
        await asyncio.sleep(0)
        cdn.gates["1/0.txt"].set()
        assert "hello" in (await bystander).text
        assert cdn.asked.index("99/small.txt") == 1
        await asyncio.gather(*floods)

    asyncio.run(run())
    assert len(cdn.asked) == others * 10 + 1


def test_files_are_told_in_their_order_whatever_becomes_of_each(cdn: Cdn, tmp_path: Path) -> None:
    async def run() -> Unpacked:
        def lose_files() -> bytes:
            raise UnfetchedError("it is gone")

        def broken() -> bytes:
            raise RuntimeError("no good")

        files = [
            ("a.txt", lambda: b"first"),
            ("lost.txt", lose_files),
            ("broken.txt", broken),
            ("data.txt", lambda: b"\x00"),
            ("b.txt", lambda: b"second"),
        ]
        return await make(cdn, tmp_path).unpack(message(cdn, 1, *files), TYPED, window(1))

    unpacked = asyncio.run(run())
    assert unpacked.text.index("first") < unpacked.text.index("second")
    assert [file.filename for file in unpacked.files] == ["a.txt", "lost.txt", "broken.txt", "data.txt", "b.txt"]
    assert [file.kind for file in unpacked.files] == [FileKind.TEXT, *[FileKind.FILE] * 3, FileKind.TEXT]
    assert [file.note for file in unpacked.files] == [
        "",
        "not read: it is gone",
        "not read: reading it went wrong with RuntimeError",
        "not shown: it is no text in UTF-8",
        "",
    ]
    assert [bool(file.path) for file in unpacked.files] == [True, False, False, True, True]


def test_a_disk_that_hangs_is_asked_once_for_a_message(
    cdn: Cdn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def hang(*_: object) -> dict[str, str]:
        asked.append(1)
        raise TimeoutError("it took longer than a moment")

    monkeypatch.setattr(shelf, "keep", hang)

    async def run() -> Unpacked:
        files = [(f"{number}.txt", lambda: b"words") for number in range(3)]
        return await make(cdn, tmp_path).unpack(message(cdn, 1, *files), TYPED, window(1))

    unpacked = asyncio.run(run())
    assert len(asked) == 1
    assert [file.note for file in unpacked.files] == ["it cannot be kept: it took longer than a moment"] * 3
    assert unpacked.text.count("words") == 3


def test_a_cancelled_message_gives_its_turn_on(cdn: Cdn) -> None:
    async def run() -> Unpacked:
        unpack = make(cdn, None, most_bytes=100 * MIB)
        cdn.gates["1/a.txt"] = asyncio.Event()
        first = asyncio.create_task(unpack.unpack(message(cdn, 1, ("a.txt", lambda: b"a")), TYPED, window(1)))
        await cdn.is_asked.wait()
        first.cancel()
        return await asyncio.wait_for(
            unpack.unpack(message(cdn, 2, ("b.txt", lambda: b"hello")), TYPED, window(2)), PATIENCE_S
        )

    assert "hello" in asyncio.run(run()).text
