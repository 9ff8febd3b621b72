"""A client of the operator's socket tells no other user's process a key or a word."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.socket.client import AgentNotRunningError, ask_operator

ANSWER_S = 1.0
WORDS = "where is the spare key"


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[socket.socket]:
    """A process at the socket of a data root, which is not an agent."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "agent.sock"))
        made.listen()
        made.settimeout(0)
        yield made


def heard(listening: socket.socket) -> bytes:
    """Bytes that were sent to the socket."""
    try:
        connection, _ = listening.accept()
    except BlockingIOError:
        return b""
    with connection:
        return connection.recv(1000)


def test_a_key_that_is_a_link_is_not_read(tmp_path: Path, listening: socket.socket) -> None:
    """In another user's folder it would lead to a file of the caller's, which would be sent to that user."""
    (tmp_path / "id_ed25519").write_text("private")
    (tmp_path / "agent.key").symlink_to("id_ed25519")

    with pytest.raises(AgentNotRunningError, match="cannot be asked"):
        ask_operator(tmp_path, "look", ANSWER_S, query=WORDS)

    assert heard(listening) == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_process_of_another_user_than_the_keys_gets_neither_key_nor_words(
    tmp_path: Path, listening: socket.socket
) -> None:
    (tmp_path / "agent.key").write_text("private")
    os.chown(tmp_path / "agent.key", 12_345, -1)

    with pytest.raises(AgentNotRunningError, match="run by user 0, and the key is of user 12345"):
        ask_operator(tmp_path, "look", ANSWER_S, query=WORDS)

    assert heard(listening) == b""


def test_a_key_that_is_a_pipe_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "agent.key")

    with pytest.raises(AgentNotRunningError, match="cannot be asked"):
        ask_operator(tmp_path, "look", ANSWER_S, query=WORDS)
