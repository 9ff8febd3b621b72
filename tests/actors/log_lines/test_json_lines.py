from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, LoopThread
from actors.log_lines.json_lines import JsonLines
from lab.playground.server import PlaygroundServer
from messages.base import Address, Message, Surface, Window
from tests.actors.kernel.players import AT_ONCE
from tests.e2e.stage import Process
from tests.patience import PATIENCE_S, eventually

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="1310000000000000001")
KEY = "discord-thread/1310000000000000001"
log = logging.getLogger("actors.of.a.test")


class Turned(Message, frozen=True, kw_only=True):
    """Names a window and its turn."""

    window: Window = WINDOW
    turn_id: str = "t1"


class Ran(Message, frozen=True, kw_only=True):
    """Names a turn by its other name, and no window."""

    run_id: str = "t2"


class Bare(Message, frozen=True, kw_only=True):
    """Names nothing."""


class Writer(Actor):
    """Does with each message as a test has it."""

    def __init__(self, handle: Callable[[Message], object]) -> None:
        super().__init__()
        self._handle = handle

    def handle(self, message: Message) -> None:
        self._handle(message)


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Output of the log's stream."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def system() -> Iterator[ActorSystem]:
    actors = ActorSystem(workers=1)
    actors.start()
    yield actors
    actors.stop()


def lines_of(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def said_by(
    system: ActorSystem, stream: io.StringIO, address: Address, message: Message, handle: Callable[[Message], object]
) -> dict[str, Any]:
    """The first line that an actor's handling of a message gives."""
    system.register(ActorSpec(address.kind, lambda _key: Writer(handle), policy=AT_ONCE))
    system.tell(address, message)
    system.drain(PATIENCE_S)
    return lines_of(stream)[0]


def warn(_message: Message) -> None:
    log.warning("it is %s", "so")


@pytest.mark.parametrize(
    ("address", "message", "place"),
    [
        (Address("writer"), Turned(), {"actor": "writer", "window": KEY, "turn": "t1"}),
        (Address("writer", "a"), Ran(), {"actor": "writer/a", "turn": "t2"}),
        (Address("writer"), Bare(), {"actor": "writer"}),
        (Address("context", KEY), Bare(), {"actor": f"context/{KEY}", "window": KEY}),
    ],
)
def test_a_line_names_the_actor_and_what_its_message_names(
    system: ActorSystem, stream: io.StringIO, address: Address, message: Message, place: dict[str, str]
) -> None:
    line = said_by(system, stream, address, message, warn)

    assert line.pop("at").endswith("Z")
    assert line == {"level": "WARNING", "logger": "actors.of.a.test", "text": "it is so"} | place


@pytest.mark.crashes
def test_a_crash_names_the_turn_that_was_in_hand_and_brings_its_trace(system: ActorSystem, stream: io.StringIO) -> None:
    def crash(_message: Message) -> None:
        raise OSError("no disk")

    line = said_by(system, stream, Address("writer"), Turned(), crash)

    assert (line["actor"], line["window"], line["turn"]) == ("writer", KEY, "t1")
    assert "no disk" in line.get("trace", "") + line["text"]


def test_a_line_of_an_actors_loop_names_the_actor(system: ActorSystem, stream: io.StringIO) -> None:
    class Looped(Actor):
        def on_start(self) -> None:
            self.loop = LoopThread("looped", self)
            self.loop.start()

        def handle(self, _message: Message) -> None:
            self.loop.submit(self.warn()).result(PATIENCE_S)

        async def warn(self) -> None:
            log.warning("on a loop")

        def on_stop(self) -> None:
            self.loop.stop(PATIENCE_S)

    system.register(ActorSpec("looped", lambda _key: Looped()))
    system.tell(Address("looped"), Turned())
    system.drain(PATIENCE_S)

    (line,) = lines_of(stream)
    assert (line["text"], line["actor"]) == ("on a loop", "looped")
    assert line.keys().isdisjoint({"window", "turn"})


def test_a_line_of_no_actors_names_none(stream: io.StringIO) -> None:
    log.warning("main")

    (line,) = lines_of(stream)
    assert line.keys() == {"at", "level", "logger", "text"}


def test_what_a_host_says_is_not_laid_at_the_door_of_who_passes_it_on(system: ActorSystem, stream: io.StringIO) -> None:
    def pass_on(_message: Message) -> None:
        log.warning("[host 1] no disk", extra={"is_from_host": True})

    line = said_by(system, stream, Address("writer"), Turned(), pass_on)

    assert line.keys() == {"at", "level", "logger", "text"}


def test_whatever_a_text_holds_a_line_is_one_line_of_ascii() -> None:
    text = "two\nlines \u2028 Grüße 👋 \ud800 100 %s"

    written = JsonLines().format(logging.LogRecord("a", logging.WARNING, "", 0, "%s", (text,), None))

    assert written.isascii()
    assert "\n" not in written
    assert json.loads(written)["text"] == text


class Wordless:
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


def test_what_cannot_be_put_into_words_is_a_line_that_says_so(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, tuple[object, ...], str]] = [
        ("%d of %s", ("one",), "'%d of %s' at files.py:7 cannot be put into words: TypeError"),
        ("it is %s", (Wordless(),), "'it is %s' at files.py:7 cannot be put into words: RuntimeError"),
        (Wordless(), (), "a message of the type Wordless at files.py:7 cannot be put into words: RuntimeError"),
    ]
    for message, arguments, words in cases:
        with subtests.test(message=message, arguments=arguments):
            written = JsonLines().format(
                logging.LogRecord("a", logging.WARNING, "/x/files.py", 7, message, arguments, None)
            )

            assert json.loads(written)["text"] == words


def test_a_trace_is_in_the_object_and_not_below_it(stream: io.StringIO) -> None:
    try:
        raise ValueError("no")
    except ValueError:
        log.exception("it failed", stack_info=True)

    (line,) = lines_of(stream)
    assert line["text"] == "it failed"
    assert "ValueError: no" in line["trace"]
    assert "Stack (most recent call last)" in line["trace"]


def test_all_that_the_agent_writes_on_stderr_is_json_if_it_is_to_be(tmp_path: Path) -> None:
    server = PlaygroundServer()
    server.start()
    process = Process(server, tmp_path / "data", more='[log]\nformat = "json"\n')
    try:
        with (tmp_path / "stderr").open("wb") as stderr:
            process.start("-v", stderr=stderr)
            eventually(lambda: b"online as " in (tmp_path / "stderr").read_bytes())  # after Discord knows of it
            code = process.terminate()
    finally:
        process.terminate()
        server.stop()

    lines = [json.loads(line) for line in (tmp_path / "stderr").read_text("utf-8").splitlines()]
    assert code == 0
    assert {"at", "level", "logger", "text"} <= set.intersection(*(set(line) for line in lines))
    assert any(line["text"].startswith("online as ") and line["logger"] == "agent" for line in lines)
    assert {line.get("actor") for line in lines} >= {"discord", "memory"}, sys.stderr.write(repr(lines))
