from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from actors.context.log.file import WindowLog
from actors.context.log.scan import newest_name, read_tail_state, window_folders
from domain.log.event import Event, Kind
from messages.base import Surface, Window
from tests.domain.log.logs import START, WINDOW, message_event

OTHER = Window(surface=Surface.DISCORD_CHANNEL, id="223456789012345678")


def log_of(root: Path, *events: Event, window: Window = WINDOW, later_s: int = 0) -> Path:
    log = WindowLog.create(root, window, START + timedelta(seconds=later_s), "a")
    log.append(*events)
    log.close()
    return log.path


def newest_logs(logs: Path) -> list[tuple[Window, str]]:
    return [(window, f"{folder}/{name}") for window, folder in window_folders(logs) if (name := newest_name(folder))]


def test_each_window_is_found_with_its_newest_log(tmp_path: Path) -> None:
    log_of(tmp_path)
    log_of(tmp_path, window=OTHER)
    newest = log_of(tmp_path, later_s=1)
    others = log_of(tmp_path, window=OTHER)

    assert sorted(newest_logs(tmp_path / "logs"), key=lambda found: found[0].id) == [
        (WINDOW, str(newest)),
        (OTHER, str(others)),
    ]


def test_what_is_no_log_is_passed_over(tmp_path: Path) -> None:
    path = log_of(tmp_path)
    logs = tmp_path / "logs"
    path.with_name("notes.md").touch()
    (logs / "discord-thread/notes").mkdir()
    (logs / "discord-thread/323456789012345678").mkdir()
    (logs / "discord-thread/423456789012345678").touch()
    (logs / "discord-thread/523456789012345678").symlink_to(path.parent)
    (logs / "cli/623456789012345678").mkdir(parents=True)

    assert newest_logs(logs) == [(WINDOW, str(path))]


def test_a_data_root_without_logs_has_no_windows(tmp_path: Path) -> None:
    assert newest_logs(tmp_path / "logs") == []


def test_a_last_event_that_fits_into_64_kib_is_known(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, size in enumerate([0, 100, 8_000, 30_000, 60_000, 65_300]):
        with subtests.test(size=size):
            root = tmp_path / str(number)
            root.mkdir()
            path = log_of(
                root,
                *(message_event(n, "x" * 500, message_id=str(10**17 + n)) for n in range(300)),
                message_event(300, "y" * size, Kind.AGENT),
            )

            state = read_tail_state(path)

            assert state.is_known
            assert state.last is not None
            assert (state.last.id, state.last.kind) == ("e300", Kind.AGENT)
            assert state.last_message_id == 10**17 + 299


def test_a_last_event_that_is_longer_is_not_known(tmp_path: Path) -> None:
    path = log_of(tmp_path, message_event(1), message_event(2, "y" * 70_000, Kind.DELIVERY))

    assert not read_tail_state(path).is_known


def test_a_new_window_is_known_to_hold_nothing(tmp_path: Path) -> None:
    state = read_tail_state(log_of(tmp_path))

    assert (state.is_known, state.last) == (True, None)


def test_a_file_without_a_whole_header_is_not_known(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, size in enumerate([0, 30]):
        with subtests.test(size=size):
            root = tmp_path / str(number)
            root.mkdir()
            path = log_of(root)
            path.write_bytes(path.read_bytes()[:size])

            assert not read_tail_state(path).is_known


@contextmanager
def open_files() -> Iterator[None]:
    """Fails if a file that was opened inside is still open."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_scan_leaves_no_file_open(tmp_path: Path) -> None:
    path = log_of(tmp_path, message_event(1))

    with open_files():
        assert [found for _, found in newest_logs(tmp_path / "logs")] == [str(path)]
        read_tail_state(path)
        with pytest.raises(FileNotFoundError):
            read_tail_state(path.with_name("gone.md"))
