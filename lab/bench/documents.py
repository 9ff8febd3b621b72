"""Benchmark of attached documents: a long PDF is read, and another window runs commands meanwhile."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeVar

from actors.kernel import ActorSpec, ActorSystem, Edge
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.measure import Elapsed, Stopwatch
from lab.bench.process import MeasurementError
from messages.base import RequestId, Surface, Window
from messages.shell import SHELL, DocumentRead, ReadDocument, RunBash

T = TypeVar("T")
Say = Callable[[str], object]
_LINES = 45
_WORDS = "The ferry of the harbour leaves on Tuesdays at six, from the quay in the north of the town."
_COMMANDS = 20
_WAIT_S = 120.0
DOCUMENT, COMMANDS = "document", "commands beside it"


def measure(say: Say, *, pages: int) -> Rows:
    """Row of the reading, and row of a small command in another window, alone and beside it.

    Args:
        say: Told the current step.
        pages: Pages of the PDF.

    Raises:
        MeasurementError: the document was not read.
    """
    data = _pdf(pages)
    with tempfile.TemporaryDirectory(prefix="agent-documents-") as folder:
        say(f"a PDF of {pages} pages")
        read, children_s, own = _stage(Path(folder) / "alone", lambda system, edge: _read(system, edge, data))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        say("commands beside it")
        (alone_ms, beside_ms), _, _ = _stage(
            Path(folder) / "beside", lambda system, edge: _read_beside(system, edge, data)
        )
    return {
        DOCUMENT: {
            "chars": len(read.text),
            "unread": float(bool(read.remark)),
            "seconds": own.wall_s,
            "reader_cpu_s": children_s,
            "reader_mb": peak / 2**20,
            "agent_cpu_ms": own.cpu_s * 1000,
        },
        COMMANDS: {"alone_ms": alone_ms, "beside_ms": beside_ms, "ratio": beside_ms / alone_ms},
    }


def _stage(root: Path, act: Callable[[ActorSystem, Edge], T]) -> tuple[T, float, Elapsed]:
    """Result of `act` with a separate shell; processor time of its children, and times of this process."""
    system = ActorSystem(workers=2)
    config = ShellConfig(work_root=root / "work", data_root=root)
    system.register(ActorSpec(SHELL.kind, lambda _key: ShellActor(config), core=True))
    system.start()
    before, watch = _children_s(), Stopwatch()
    try:
        done = act(system, system.edge("bench"))
        own = watch.read()
    finally:
        system.stop()
    return done, _children_s() - before, own


def _read(system: ActorSystem, edge: Edge, data: bytes) -> DocumentRead:
    _ask(system, edge, data)
    return _answer(edge)


def _read_beside(system: ActorSystem, edge: Edge, data: bytes) -> tuple[float, float]:
    alone = [_command_ms(system, edge, number) for number in range(_COMMANDS)]
    _ask(system, edge, data)
    beside = [_command_ms(system, edge, number) for number in range(_COMMANDS, 2 * _COMMANDS)]
    _answer(edge)
    return median(alone), median(beside)


def _ask(system: ActorSystem, edge: Edge, data: bytes) -> None:
    request = ReadDocument(request_id=RequestId("document"), reply_to=edge.address, window=_window(1), data=data)
    system.tell(SHELL, request)


def _answer(edge: Edge) -> DocumentRead:
    reply = edge.receive(_WAIT_S, lambda message: getattr(message, "request_id", "") == "document")
    if not isinstance(reply, DocumentRead):
        raise MeasurementError(f"the document was not read: {reply}")
    return reply


def _command_ms(system: ActorSystem, edge: Edge, number: int) -> float:
    name = RequestId(f"command-{number}")
    watch = Stopwatch()
    system.tell(SHELL, RunBash(request_id=name, reply_to=edge.address, window=_window(2), command="echo hello"))
    edge.receive(_WAIT_S, lambda message: getattr(message, "request_id", "") == name)
    return 1000 * watch.read().wall_s


def _window(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(10**17 + number))


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _pdf(pages: int) -> bytes:
    """PDF with a number of pages of words, in a font known to every reader."""
    lines = "".join(f"({_WORDS}) Tj T*\n" for _ in range(_LINES))
    content = f"BT /F1 9 Tf 72 780 Td 14 TL\n{lines}ET".encode()
    kids = " ".join(f"{number} 0 R" for number in range(5, 5 + pages))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Length {len(content)} >>\nstream\n{content.decode()}\nendstream",
        *[
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        ]
        * pages,
    ]
    body, places = "%PDF-1.4\n", []
    parts = [body]
    place = len(body)
    for number, text in enumerate(objects, 1):
        part = f"{number} 0 obj\n{text}\nendobj\n"
        places.append(place)
        parts.append(part)
        place += len(part)
    table = "".join(f"{each:010} 00000 n \n" for each in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    end += f"startxref\n{place}\n%%EOF\n"
    return "".join([*parts, end]).encode()


DOCUMENTS = Benchmark(
    name="documents",
    measure=measure,
    targets=(
        Target("part of the text that was not read", "unread", 0, row=DOCUMENT),
        Target("memory of the reader, MiB", "reader_mb", 256, row=DOCUMENT),
        Target("CPU of the agent, ms", "agent_cpu_ms", 500, row=DOCUMENT),
    ),
    columns=(
        Column("characters", "chars", ",.0f"),
        Column("seconds", "seconds", ".1f"),
        Column("CPU of the reader, s", "reader_cpu_s", ".1f"),
        Column("its MiB", "reader_mb", ".0f"),
        Column("CPU of the agent, ms", "agent_cpu_ms", ".0f"),
        Column("command alone, ms", "alone_ms", ".0f"),
        Column("beside, ms", "beside_ms", ".0f"),
        Column("ratio", "ratio", ".2f"),
    ),
    is_upright=True,
)
