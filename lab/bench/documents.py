"""Benchmark of attached documents: a long PDF is read, and another window runs commands meanwhile.

`python -m lab.bench.documents` prints seconds, CPU and memory of the reader, and the time of a small command alone and
beside it.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

from actors.kernel import ActorSpec, ActorSystem, Edge, SystemClock
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from messages.base import RequestId, Surface, Window
from messages.shell import SHELL, DocumentRead, ReadDocument, RunBash

T = TypeVar("T")
PAGES = 300
_LINES = 45
_WORDS = "The ferry of the harbour leaves on Tuesdays at six, from the quay in the north of the town."
_COMMANDS = 20
_WAIT_S = 120.0
_NOW_S = SystemClock().monotonic


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one document."""

    pages: int
    chars: int
    remark: str
    """Parts that were not read."""
    seconds: float
    cpu_s: float
    """Processor time of the reader, with the processes that start it."""
    agent_cpu_s: float
    """Processor time of the agent's own process."""
    peak_bytes: int
    """Resident memory of the largest process below the agent."""
    command_ms: float
    """Median of a small command in another window, alone."""
    beside_ms: float
    """The same while the document is read."""


def compare(pages: int = PAGES) -> Figures:
    """Figures of a PDF with so many pages of text.

    Raises:
        RuntimeError: the document was not read.
    """
    data = _pdf(pages)
    with tempfile.TemporaryDirectory(prefix="agent-documents-") as folder:
        alone = _stage(Path(folder) / "alone", lambda system, edge: _read(system, edge, data))
        beside = _stage(Path(folder) / "beside", lambda system, edge: _read_beside(system, edge, data))
    (said, seconds), cpu_s, agent_cpu_s = alone
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    (command_ms, beside_ms), _, _ = beside
    return Figures(pages, len(said.text), said.remark, seconds, cpu_s, agent_cpu_s, peak, command_ms, beside_ms)


def main() -> None:
    """Print the figures."""
    figures = compare()
    remark = f" ({figures.remark})" if figures.remark else ""
    sys.stdout.write(
        f"{figures.pages} pages, {figures.chars:,} characters{remark}: {figures.seconds:.1f} s\n"
        f"CPU of the reader {figures.cpu_s:.1f} s, of the agent {figures.agent_cpu_s * 1000:.0f} ms\n"
        f"memory of the reader {figures.peak_bytes >> 20} MiB\n"
        f"a command in another window: {figures.command_ms:.0f} ms alone, {figures.beside_ms:.0f} ms beside it "
        f"(medians of {_COMMANDS})\n"
    )


def _stage(root: Path, act: Callable[[ActorSystem, Edge], T]) -> tuple[T, float, float]:
    """Result of `act` with a shell of its own; processor time of its children, and of this process."""
    system = ActorSystem(workers=2)
    config = ShellConfig(work_root=root / "work", data_root=root)
    system.register(ActorSpec(SHELL.kind, lambda _key: ShellActor(config), core=True))
    system.start()
    before, own_s = _children_s(), time.process_time()
    try:
        done = act(system, system.edge("bench"))
        own_s = time.process_time() - own_s
    finally:
        system.stop()
    return done, _children_s() - before, own_s


def _read(system: ActorSystem, edge: Edge, data: bytes) -> tuple[DocumentRead, float]:
    began_s = _NOW_S()
    _ask(system, edge, data)
    return _answer(edge), _NOW_S() - began_s


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
    said = edge.receive(_WAIT_S, lambda message: getattr(message, "request_id", "") == "document")
    if not isinstance(said, DocumentRead):
        raise RuntimeError(f"the document was not read: {said}")
    return said


def _command_ms(system: ActorSystem, edge: Edge, number: int) -> float:
    name = RequestId(f"command-{number}")
    began_s = _NOW_S()
    system.tell(SHELL, RunBash(request_id=name, reply_to=edge.address, window=_window(2), command="echo hello"))
    edge.receive(_WAIT_S, lambda message: getattr(message, "request_id", "") == name)
    return 1000 * (_NOW_S() - began_s)


def _window(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(10**17 + number))


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _pdf(pages: int) -> bytes:
    """PDF of so many pages of words, in a font that every reader has."""
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


if __name__ == "__main__":
    main()
