"""Questions of commands: long answers come whole, and no agent starts beside actors that answer alone."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors.cli.asking import ask_all, lock_root, running
from actors.context.log.data_root import DataRoot
from actors.linux.disk import OPERATOR_KEY
from actors.settings.schema import Settings
from actors.socket.paths import OPERATOR_SOCKET, listener
from messages.base import RequestId
from messages.facts import EntriesListed, ListedConversation

ROWS = tuple(ListedConversation(conversation=name, facts=1, turns=0, summaries=0) for name in "abcde")


def test_a_long_answer_is_asked_for_piece_by_piece() -> None:
    offsets: list[int] = []

    def ask(more: Mapping[str, object]) -> EntriesListed:
        after = int(str(more.get("after", 0)))
        offsets.append(after)
        piece = ROWS[after : after + 2]
        return EntriesListed(request_id=RequestId("r"), conversations=piece, is_all=after + 2 >= len(ROWS))

    whole = ask_all(ask, ("entries", "conversations"), lambda so_far: len(so_far.conversations))

    assert (offsets, whole) == ([0, 2, 4], EntriesListed(request_id=RequestId("r"), conversations=ROWS))


def test_a_request_that_an_agent_died_with_is_not_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / OPERATOR_KEY).write_text("key")
    with listener(tmp_path / OPERATOR_SOCKET) as door, ThreadPoolExecutor(1) as pool:
        door.settimeout(5.0)
        door.listen()

        def die() -> None:
            connection, _ = door.accept()
            with connection, connection.makefile("rb") as lines:
                lines.readline()

        dying = pool.submit(die)
        with pytest.raises(SystemExit):
            running(Settings(data_root=tmp_path), "curated.flush")
        dying.result()

    assert capsys.readouterr().err == f"error: the agent on {tmp_path} ended before it answered\n"


@pytest.mark.parametrize("locks", ["hold", "lock", ""])
def test_the_data_root_is_held_while_actors_alone_may_write(tmp_path: Path, locks: str) -> None:
    with lock_root(Settings(data_root=tmp_path), locks, ""):
        assert DataRoot(tmp_path).is_held() is bool(locks)

    assert not DataRoot(tmp_path).is_held()


def test_a_data_root_that_is_needed_and_missing_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit), lock_root(Settings(data_root=tmp_path / "x"), "lock", "no {}"):
        pass

    assert capsys.readouterr().err == f"error: no {tmp_path / 'x'}\n"
