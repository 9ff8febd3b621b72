from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath

import pytest

from domain.log.window import (
    LogName,
    full_path,
    log_folder,
    log_path,
    next_log_name,
    parse_log_name,
    parse_log_path,
    short_path,
)
from messages.base import Surface, Window

WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="123456789012345678")
START = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)


@pytest.mark.req("S0-44", "S0-46")
def test_a_log_lies_under_its_surface_and_context(subtests: pytest.Subtests) -> None:
    for surface in ["discord-channel", "discord-thread"]:
        with subtests.test(surface=surface):
            window = Window(surface=Surface(surface), id="123456789012345678")

            assert log_path(window, START, 1) == PurePosixPath(
                f"logs/{surface}/123456789012345678/20260130T142355Z_0001.md"
            )


@pytest.mark.req("S0-47")
def test_the_name_is_in_utc_whatever_the_zone() -> None:
    summer = datetime(2026, 7, 1, 12, 0, 0, 999_999, timezone(timedelta(hours=1)))

    assert log_path(WINDOW, summer, 12).name == "20260701T110000Z_0012.md"


def test_a_path_says_what_it_was_made_from(subtests: pytest.Subtests) -> None:
    cases_of_start: list[datetime] = [START, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
    cases_of_seq: list[int] = [1, 9, 10, 9999]
    for start in cases_of_start:
        for seq in cases_of_seq:
            with subtests.test(start=start, seq=seq):
                path = log_path(WINDOW, start, seq)

                assert parse_log_path(path) == (WINDOW, LogName(started_at=start.replace(microsecond=0), seq=seq))
                assert parse_log_path("/data" / path) == parse_log_path(path)


@pytest.mark.req("X-212")
def test_a_block_names_its_windows_own_logs_in_short_and_all_others_as_they_are() -> None:
    """Every short name leads back to the log, in the window that it was made for and in no other."""
    thread = Window(surface=Surface.DISCORD_THREAD, id=WINDOW.id)
    longer = Window(surface=Surface.DISCORD_CHANNEL, id=f"{WINDOW.id}9")
    outside = Window(surface=Surface.CLI, id="operator")
    name = "20260130T142355Z_0001.md"
    own = str(log_path(WINDOW, START, 1))
    failures = [
        (path, window.address.key, short)
        for path, window, wanted in (
            (own, WINDOW, f".log/{name}"),
            (own, thread, own),
            (own, longer, own),
            (own, outside, own),
            (str(log_path(longer, START, 1)), WINDOW, str(log_path(longer, START, 1))),
            (f".log/{name}", thread, f".log/{name}"),
        )
        if (short := short_path(path, window)) != wanted or (path != short and full_path(short, window) != path)
    ]
    assert not failures
    assert full_path(f".log/{name}", thread) == str(log_path(thread, START, 1))
    assert full_path(f".log/{name}", outside) == f".log/{name}"
    assert full_path(own, WINDOW) == own


@pytest.mark.req("X-01")
def test_a_name_without_a_seq_comes_before_those_with_one() -> None:
    names = ["20260130T142355Z_0002.md", "20260130T142355Z.md", "20260130T142354Z_0009.md", "20260130T142355Z_0001.md"]

    assert sorted(names, key=parse_log_name) == [names[2], names[1], names[3], names[0]]


@pytest.mark.req("S0-44")
def test_what_is_no_log_name_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "x.md",
        "20260130T142355Z_001.md",
        "20260130T142355Z_00001.md",
        "20260130T142355_0001.md",
        "20261330T142355Z_0001.md",
        "20260130T142355Z_0001.md\n",
        "20260130T142355Z_0001.txt",
        "٢0260130T142355Z_0001.md",
        "x" * 10_000,
    ]
    for name in cases:
        with subtests.test(name=name), pytest.raises(ValueError, match="log name"):
            parse_log_name(name)


@pytest.mark.req("S0-45")
def test_only_discord_ids_have_logs(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "..",
        "../123456789012345678",
        "1" * 10_000,
        "1" * 14,
        "1" * 21,
        "12345678901234567\n",
        "١" * 18,
        "1/2",
    ]
    for id in cases:
        with subtests.test(id=id):
            with pytest.raises(ValueError, match=r"context id .* 15 to 20 decimal digits") as refusal:
                log_folder(Window(surface=Surface.DISCORD_THREAD, id=id))
            assert len(str(refusal.value)) < 1000


@pytest.mark.req("S0-45")
def test_channels_threads_and_direct_messages_are_all_that_has_logs() -> None:
    def has_logs(surface: Surface) -> bool:
        try:
            log_folder(Window(surface=surface, id="123456789012345678"))
        except ValueError:
            return False
        return True

    assert {surface.value for surface in Surface if has_logs(surface)} == {
        *("discord-channel", "discord-thread", "discord-dm")
    }


@pytest.mark.req("S0-45")
def test_the_command_line_has_no_logs() -> None:
    with pytest.raises(ValueError, match="surface 'cli'"):
        log_folder(Window(surface=Surface.CLI, id="123456789012345678"))


def test_a_seq_out_of_range_is_refused(subtests: pytest.Subtests) -> None:
    for seq in [-1, 0, 10_000]:
        with subtests.test(seq=seq), pytest.raises(ValueError, match=f"seq {seq}"):
            log_path(WINDOW, START, seq)


def test_a_naive_start_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        log_path(WINDOW, START.replace(tzinfo=None), 1)


def test_what_is_no_path_of_a_log_is_refused(subtests: pytest.Subtests) -> None:
    for path in [
        "20260130T142355Z_0001.md",
        "logs/cli/123456789012345678/20260130T142355Z_0001.md",
        "logs/discord-thread/../20260130T142355Z_0001.md",
        "logs/discord-thread/123456789012345678/notes.md",
        "work/discord-thread/123456789012345678/20260130T142355Z_0001.md",
    ]:
        with subtests.test(path=path), pytest.raises(ValueError, match=r"log path|surface|context id|log name"):
            parse_log_path(PurePosixPath(path))


def test_the_next_name_is_newer_than_every_other() -> None:
    names: list[LogName] = []
    for start in (START, START, START - timedelta(days=1), START + timedelta(seconds=1), START + timedelta(seconds=1)):
        name = next_log_name(names, start)
        assert all(name > other for other in names)
        names.append(name)

    seconds = [(name.started_at - START).seconds for name in names]
    assert list(zip(seconds, (name.seq for name in names), strict=True)) == [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2)]


def test_the_next_name_after_the_last_seq_is_of_the_next_second() -> None:
    last = LogName(started_at=START, seq=9999)

    assert next_log_name([last], START) == LogName(started_at=START + timedelta(seconds=1), seq=1)
