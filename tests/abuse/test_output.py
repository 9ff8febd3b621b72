"""Floods: what a command prints, takes and leaves must not cost the agent more than it should: 19-25, 42."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from domain.text.output_tail import MAX_BYTES, MAX_LINES
from messages.shell import BashOutcome
from tests.abuse.case import python
from tests.abuse.ground import Ground
from tests.abuse.ground import Outcome as Got

KEPT_BYTES = 8 << 20
FILE_BYTES = 100 << 20
NOTICE_BYTES = 2_000
MEMORY_BYTES = 20 << 20


def peak_bytes() -> int:
    """Most memory that this process has had since `forget_peak`."""
    return int(re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[0]) * 1024


def forget_peak() -> int:
    """Count the peak from here on; what it is now."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_bytes()


def assert_bounded(ground: Ground, got: Got) -> None:
    assert len(got.text.encode()) <= MAX_BYTES + NOTICE_BYTES
    assert got.text.count("\n") <= MAX_LINES + 10
    kept = list((ground.workdir / "output").glob("*.log"))
    assert [path for path in kept if path.stat().st_size > KEPT_BYTES] == []
    assert got.survivors == ()


def test_19_a_flood_without_end_costs_its_time_and_eight_megabytes_of_disk(ground: Ground) -> None:
    got = ground.attack("yes 'I will not stop'", timeout_s=1.0)

    assert got.result.outcome is BashOutcome.TIMED_OUT
    assert got.text.startswith("I will not stop\n") or "I will not stop" in got.text
    assert_bounded(ground, got)


def test_20_a_flood_of_zeros_costs_no_memory(ground: Ground) -> None:
    ground.attack("head -c 20M /dev/zero")  # whatever is needed once
    before = forget_peak()

    got = ground.attack("head -c 128M /dev/zero; echo over")

    assert peak_bytes() - before <= MEMORY_BYTES
    assert got.result.outcome is BashOutcome.EXITED
    assert "over" in got.text
    assert_bounded(ground, got)


def test_42_one_line_of_very_many_characters_costs_no_memory(ground: Ground) -> None:
    ground.attack("head -c 20M /dev/zero | tr '\\0' a")
    before = forget_peak()

    got = ground.attack("head -c 64M /dev/zero | tr '\\0' a")

    assert peak_bytes() - before <= MEMORY_BYTES
    assert got.text.count("a") > 40_000
    assert_bounded(ground, got)


def test_21_nothing_of_what_drives_a_terminal_reaches_the_reader(ground: Ground) -> None:
    hostile = (
        r"\x00\x07\x08\x1b[2J\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b]8;;http://evil\x1b\\link\x9b5n\x7f\xc2\x9b6n end"
    )

    got = ground.attack(f"printf '{hostile}\\n'; head -c 100000 /dev/urandom; echo; printf 'good\\rbad\\n'")

    unprintable = sorted({c for c in got.text if ord(c) < 32 and c not in "\n\t"} | (set(got.text) & {"\x7f", "\x9b"}))
    assert unprintable == []
    assert "title" not in got.text
    assert got.text.rstrip().splitlines()[-1].startswith(("bad", "["))
    assert_bounded(ground, got)


def test_22_more_memory_than_allowed_is_not_to_be_had(ground: Ground) -> None:
    code = """
try:
    hoard = bytearray(6 << 30)
    breach("has 6 GB")
except MemoryError: print("held: bytes")
import mmap
try:
    mmap.mmap(-1, 6 << 30)
    breach("has mapped 6 GB")
except OSError as error: print("held:", error)
"""
    got = ground.attack(python(code))

    assert got.breaches == []
    assert got.text.count("held:") == 2
    assert got.survivors == ()


def test_23_and_24_no_file_grows_beyond_its_limit_by_writing_or_with_holes(
    ground: Ground, subtests: pytest.Subtests
) -> None:
    for way in (
        "head -c 1G /dev/zero > big",
        "fallocate -l 1G big",
        "truncate -s 1T big",
        "dd if=/dev/zero of=big bs=1 count=1 seek=1T",
        "for n in 1 2 3; do head -c 60M /dev/zero >> big; done",
    ):
        with subtests.test(way=way):
            got = ground.fresh().attack(f"{way} 2>/dev/null; ls -s big; true")

            big = ground.workdir / "big"
            size = big.stat().st_size if big.exists() else 0
            big.unlink(missing_ok=True)
            assert size <= FILE_BYTES
            assert got.survivors == ()


def test_25_open_files_run_out_for_the_command_and_not_for_the_agent(ground: Ground) -> None:
    code = """
opened = []
try:
    while len(opened) < 1_000_000: opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error: print("held:", error)
print("had", len(opened))
import resource
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (65536, 65536)); breach("raises the limit")
except (ValueError, OSError): print("held")
"""
    got = ground.attack(python(code))

    assert got.breaches == []
    assert int(re.findall(r"had (\d+)", got.text)[0]) <= 1024
    os.close(os.open(os.devnull, os.O_RDONLY))
