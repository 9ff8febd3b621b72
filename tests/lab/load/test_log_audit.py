from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.context.log.file import WindowLog
from domain.log.event import Kind, event
from lab.load.log_audit import audit_logs
from lab.load.tally import LoadThread
from lab.load.wording import question, secret_of
from messages.base import Surface, Window

NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
ALICE, BOB = 910000000000000101, 910000000000000102
SECRETS = {ALICE: secret_of("s", 1), BOB: secret_of("s", 2)}


@pytest.fixture
def threads() -> dict[int, LoadThread]:
    """Each has said two things."""
    return {channel_id: LoadThread(secret, turns=2) for channel_id, secret in SECRETS.items()}


def write(root: Path, channel_id: int, *texts: str) -> Path:
    """A log in which people said `texts`, each answered with the same."""
    window = Window(surface=Surface.DISCORD_THREAD, id=str(channel_id))
    log = WindowLog.create(root, window, NOON, "you")
    for number, text in enumerate(texts):
        log.append(event(f"u{number}", NOON, Kind.USER, text), event(f"a{number}", NOON, Kind.AGENT, text))
    log.sync()
    log.close()
    return log.path


def test_logs_that_hold_exactly_what_was_said_are_as_they_should_be(
    tmp_path: Path, threads: dict[int, LoadThread]
) -> None:
    for channel_id, secret in SECRETS.items():
        write(tmp_path, channel_id, question(secret, 1), question(secret, 2))

    found = audit_logs(tmp_path, threads)

    assert (found.logs, found.broken, found.missing, found.doubled, found.cross_talk) == (2, [], set(), 0, 0)


def test_a_message_or_a_whole_log_that_is_not_there_is_missing(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    write(tmp_path, ALICE, question(SECRETS[ALICE], 2))

    assert audit_logs(tmp_path, threads).missing == {(ALICE, 1), (BOB, 1), (BOB, 2)}


def test_without_any_log_everything_is_missing(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    assert len(audit_logs(tmp_path, threads).missing) == 4


def test_a_message_that_was_logged_twice_is_doubled(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    secret = SECRETS[ALICE]
    write(tmp_path, ALICE, question(secret, 1), question(secret, 2), question(secret, 2))

    assert audit_logs(tmp_path, threads).doubled == 1


def test_a_message_in_the_log_of_another_window_is_cross_talk(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    write(tmp_path, ALICE, question(SECRETS[ALICE], 1), question(SECRETS[BOB], 1))
    write(tmp_path, 910000000000000999, question(SECRETS[BOB], 2))

    assert audit_logs(tmp_path, threads).cross_talk == 2


def test_a_message_that_nobody_sent_is_named(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    write(tmp_path, ALICE, question(SECRETS[ALICE], 1), "made up")

    (reason,) = audit_logs(tmp_path, threads).broken
    assert "nobody sent" in reason
    assert "made up" in reason


def test_a_log_that_was_changed_is_named_with_its_line(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    path = write(tmp_path, ALICE, question(SECRETS[ALICE], 1), question(SECRETS[ALICE], 2))
    os.chmod(path, 0o600)  # noqa: PTH101
    path.write_bytes(path.read_bytes().replace(b"turn 1", b"turn 7", 1))

    assert audit_logs(tmp_path, threads).broken[0].startswith(f"{path}:")


def test_logs_that_were_there_before_are_nobodys_affair(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    for channel_id, secret in SECRETS.items():
        write(tmp_path, channel_id, question(secret, 1), question(secret, 2))
    write(tmp_path, 500000000000000000, "What about the harbour?")

    assert len(audit_logs(tmp_path, threads).broken) == 1
    assert audit_logs(tmp_path, threads, range(500000000000000000, 500000000000000001)).broken == []


def test_a_turn_with_a_command_is_logged_in_its_own_words(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    threads[ALICE].commands.add(2)
    for channel_id, secret in SECRETS.items():
        write(tmp_path, channel_id, question(secret, 1), question(secret, 2, has_command=channel_id == ALICE))

    found = audit_logs(tmp_path, threads)

    assert (found.missing, found.broken) == (set(), [])
