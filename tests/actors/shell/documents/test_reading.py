"""A document is read in a child process that can reach nothing, and harms nothing but its own reading."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.linux.processes import descendants
from messages.base import RequestId
from messages.shell import DocumentRead, DocumentReply, DocumentUnread, ReadDocument
from tests.actors.shell.bench import SHELL, Bench, window
from tests.actors.shell.documents.making import pdf, word
from tests.patience import PATIENCE_S, eventually

MIB = 1 << 20
SLOW = pdf(b"BT /F1 12 Tf " + b"(a) Tj 1 0 0 1 5 5 cm " * 400_000 + b" ET")
"""A page that takes many seconds."""


def ask(bench: Bench, data: bytes, number: int = 0) -> None:
    bench.system.tell(
        SHELL,
        ReadDocument(request_id=RequestId(f"d{number}"), reply_to=bench.edge.address, window=window(number), data=data),
    )


def answer(bench: Bench) -> DocumentReply:
    reply = bench.edge.receive(timeout_s=PATIENCE_S)
    assert isinstance(reply, DocumentRead | DocumentUnread)
    return reply


def reader() -> int:
    """Process of the one reader of this process's shells; 0 while there is none."""
    for pid in descendants(os.getpid()):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"-I" in words and any(b"documents.reader.program" in word for word in words):
            return pid
    return 0


@pytest.mark.req("X-265")
def test_a_document_is_read_with_and_without_a_sandbox(bench: Bench) -> None:
    ask(bench, word(lambda document: document.add_paragraph("well met")))

    said = answer(bench)

    assert isinstance(said, DocumentRead), said
    assert (said.kind, said.text, said.remark) == ("Word document", "well met\n\n", "")


@pytest.mark.req("X-265")
def test_a_reader_has_bounds_and_sees_nothing_of_the_agent(jail: Bench) -> None:
    secret = jail.root / "secret"
    secret.parent.mkdir(exist_ok=True)
    secret.write_text("x")
    ask(jail, SLOW)
    child = eventually(reader)
    proc = Path("/proc") / str(child)

    limits = {line[:26].strip(): line[26:].split()[:2] for line in (proc / "limits").read_text().splitlines()[1:]}
    assert limits["Max address space"] == [str(1024 * MIB)] * 2
    assert limits["Max cpu time"] == ["25", "25"]
    assert limits["Max file size"] == ["0", "0"]
    status = dict(line.split(":\t", 1) for line in (proc / "status").read_text().splitlines() if ":\t" in line)
    assert (status["Seccomp"], status["NoNewPrivs"], int(status["CapEff"], 16)) == ("2", "1", 0)
    for kind in ("net", "pid", "mnt", "user", "ipc"):
        assert (proc / "ns" / kind).readlink() != Path(f"/proc/self/ns/{kind}").readlink()
    assert not (proc / "root" / str(secret).lstrip("/")).exists()
    assert (proc / "root/run/agent/packages/actors/shell/documents/reader/pdf.py").exists()
    assert not (proc / "root/run/agent/packages/actors/shell/actor.py").exists()

    os.kill(child, signal.SIGKILL)
    assert isinstance(answer(jail), DocumentUnread)


def test_a_reader_that_is_killed_costs_its_own_document_only(enclosed_bench: Bench) -> None:
    ask(enclosed_bench, SLOW, 1)
    os.kill(eventually(reader), signal.SIGKILL)

    killed = answer(enclosed_bench)
    ask(enclosed_bench, pdf("the next one"), 2)
    read = answer(enclosed_bench)

    assert isinstance(killed, DocumentUnread)
    assert "its reader ended" in killed.reason
    assert isinstance(read, DocumentRead)
    assert enclosed_bench.run("echo all the same").text.strip() == "all the same"


def test_a_shell_that_stops_answers_for_documents_it_was_reading(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "data")
    for number in range(4):
        ask(bench, SLOW, number)
    eventually(reader)

    bench.system.stop()

    answers = [answer(bench) for _ in range(4)]
    assert {each.request_id for each in answers} == {f"d{number}" for number in range(4)}
    assert {each.reason for each in answers if isinstance(each, DocumentUnread)} == {
        "the agent stopped before it was read"
    }
    eventually(lambda: not reader())


def test_documents_are_read_where_commands_are_turned_off(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "data", enabled=False)
    try:
        for number in range(2):
            ask(bench, pdf("read all the same"), number)
            assert isinstance(answer(bench), DocumentRead)
    finally:
        bench.system.stop()


def test_without_a_sandbox_that_works_no_document_is_read(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "data", sandbox="bwrap", bwrap="/no/such/program")
    try:
        for number in range(2):
            ask(bench, pdf("never"), number)
            said = answer(bench)
            assert isinstance(said, DocumentUnread)
            assert said.reason.startswith("its reader cannot be started: ")
    finally:
        bench.system.stop()


@pytest.fixture
def enclosed_bench(tmp_path: Path) -> Iterator[Bench]:
    """A shell with the sandbox that is preferred."""
    bench = Bench(tmp_path / "data")
    yield bench
    bench.system.stop()
