"""Ends of the warden, driven as the agent drives it: by its socket of orders."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from actors.linux.processes import descendants
from actors.shell.sandbox.watcher.warden import SPARES
from tests.patience import PATIENCE_S, eventually

PACKAGES = Path(__file__).parents[5]
START = "import sys; sys.path.append(sys.argv[2]); from actors.shell.sandbox.watcher.warden import main; main()"


def start_warden() -> tuple[subprocess.Popen[bytes], socket.socket]:
    orders, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-I", "-S", "-c", START, str(theirs.fileno()), str(PACKAGES), "0"]
        return subprocess.Popen(command, pass_fds=(theirs.fileno(),)), orders


def order_nothing(orders: socket.socket) -> None:
    """Have a fork take an order without a job, and wait until it is free again."""
    ours, theirs = socket.socketpair()
    output = os.open(os.devnull, os.O_WRONLY)
    socket.send_fds(orders, [b"+"], [theirs.fileno(), output])
    theirs.close()
    os.close(output)
    ours.shutdown(socket.SHUT_WR)
    with ours:
        assert ours.recv(1) == b""


def test_the_warden_ends_with_the_agent_when_notes_and_ends_of_its_forks_come_at_once() -> None:
    """One poll names both pipes; the notes are read along with the ends, so the pipe is empty at its turn."""
    warden, orders = start_warden()
    eventually(lambda: len(descendants(warden.pid)) == SPARES)
    warden.send_signal(signal.SIGSTOP)
    order_nothing(orders)
    orders.close()
    eventually(lambda: not descendants(warden.pid))
    warden.send_signal(signal.SIGCONT)
    try:
        assert warden.wait(PATIENCE_S / 10) == 0
    finally:
        warden.kill()
        warden.wait()
