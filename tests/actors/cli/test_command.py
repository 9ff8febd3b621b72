"""Commands that tests run are what a new interpreter makes of them, though a warm process is forked for most."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.actors.cli.command import inherited, run, start

CALLS = {
    "an answer": ("agent-cli", ("-",), "hello, wörld\r\n".encode()),
    "much to read and to say": ("agent-cli", ("-",), b"what is in this? " * 10_000),
    "wrong usage": ("agent", ("memory", "search", "x", "--limit", "0"), b""),
    "an error": ("agent", ("memory", "stats"), b"never read"),
    "help": ("agent-load", ("--help",), b""),
}


def test_a_fork_says_and_ends_as_a_new_process_does(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for number, call in enumerate(CALLS.values()):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(call=call):
            program, arguments, stdin = call
            alone = subprocess.run(
                [*start(program), *arguments], input=stdin, capture_output=True, env=inherited(), cwd=place, check=False
            )
            done = run(program, *arguments, cwd=place, stdin=stdin)
            assert (done.returncode, done.stderr) == (alone.returncode, alone.stderr.decode())
            assert done.stdout == alone.stdout.decode().replace("\r\n", "\n")


def test_forks_have_folders_and_variables_of_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(
            lambda name: run("agent", "memory", "stats", cwd=tmp_path / name, environment={"AGENT_HOME": name}),
            ("one", "two"),
        )
    assert [each.stderr.split(" at ")[1].partition(" ")[0] for each in done] == [
        f"{tmp_path}/one/one/memory/index.sqlite",
        f"{tmp_path}/two/two/memory/index.sqlite",
    ]


def test_a_fork_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run("agent-cli", "run: sleep 60", cwd=tmp_path, timeout_s=0.1)
    assert run("agent-cli", "/new", cwd=tmp_path).returncode == 0
