from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.kernel import Actor
from actors.part import SHIPPED_SKILLS
from messages.memory import FoundMemory, MemoriesFound, SearchMemory
from messages.socket import Refused
from tests.skills.sandboxed import door_to, run_script

SCRIPT = SHIPPED_SKILLS / "memory-search" / "scripts" / "search.py"


def memory(line: int, excerpt: str, author: str = "Alice", *, pinned: bool = False, cut: bool = False) -> FoundMemory:
    return FoundMemory(
        path="logs/discord-channel/1/20261120T091500Z_0001.md",
        line=line,
        at=datetime(2026, 11, 20, 9, 15, 59, 123_000, tzinfo=UTC),
        role="user",
        author=author,
        window="discord-channel/1",
        pinned=pinned,
        excerpt=excerpt,
        truncated=cut,
        score=0.5,
        similarity=0.5,
        recency=0.5,
        repetition=0.0,
    )


class FakeMemoryActor(Actor):
    """Knows three things; refuses to be asked for `nonsense`, and finds nothing for `silence`."""

    def handle(self, message: SearchMemory) -> None:
        known = (
            memory(42, "tea at five\n\nor at six", pinned=True),
            memory(7, f"asked by {message.window.id} for {message.query}", "Bob\n the \x1b[31mbuilder", cut=True),
            memory(9, "third"),
        )
        if message.query == "nonsense":
            self.tell(message.reply_to, Refused(request_id=message.request_id, reason="nonsense is not searched for"))
            return
        matches = () if message.query == "silence" else known[: message.limit]
        note = "searched by words only" if message.query == "silence" else ""
        self.tell(message.reply_to, MemoriesFound(request_id=message.request_id, memories=matches, note=note))


@pytest.fixture
def door() -> Iterator[Path]:
    """The socket of a window whose memory search is the fake's."""
    with door_to(FakeMemoryActor, "memory.search", SearchMemory) as path:
        yield path


def search(command: str, door: Path | None) -> subprocess.CompletedProcess[str]:
    """Run `search.py` as the agent's tool does."""
    return run_script(SCRIPT, command, door, Path("/"))


@pytest.mark.req("S0-14", "S0-16", "X-10")
def test_memories_are_printed_with_place_time_author_and_excerpt(door: Path) -> None:
    done = search('"$S" "when is tea" -n 2', door)

    assert done.stderr == ""
    assert done.stdout == (
        "logs/discord-channel/1/20261120T091500Z_0001.md:42  2026-11-20 09:15 UTC  Alice  pinned\n"
        "    tea at five\n"
        "\n"
        "    or at six\n"
        "logs/discord-channel/1/20261120T091500Z_0001.md:7  2026-11-20 09:15 UTC  Bob the [31mbuilder  cut\n"
        "    asked by 100000000000000001 for when is tea\n"
    )
    assert done.returncode == 0


def test_words_need_no_quotes_and_ten_are_asked_for_by_default(door: Path) -> None:
    done = search('python3 -I "$S" when is tea', door)

    assert done.stdout.count("logs/") == 3
    assert "for when is tea" in done.stdout


def test_nothing_found_is_said_with_what_the_search_did_without(door: Path) -> None:
    done = search('"$S" silence', door)

    assert done.stdout.startswith("Nothing was found that bears on this and may be shown here. Answer from")
    assert done.stderr == "note: searched by words only\n"
    assert done.returncode == 0


def test_a_refusal_is_an_error(door: Path) -> None:
    done = search('"$S" nonsense', door)

    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: nonsense is not searched for\n")


def test_wrong_usage_is_said_and_nothing_is_asked(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "x -n 0", "x -n 201", "x -n many", "x --depth 3"]
    for options in cases:
        with subtests.test(options=options):
            done = search(f'"$S" {options}', None)

            assert done.returncode == 2
            assert "usage: search.py" in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(door: Path) -> None:
    done = search('set -o pipefail; "$S" tea | head -n 1', door)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
