from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from actors.cli.terminal.completion import SHELLS
from tests.actors.cli.command import run
from tests.trusted import write_settings

WINDOWS = ("discord-channel/910000000000000011", "discord-thread/910000000000000012")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for number, window in enumerate(WINDOWS):
        folder = tmp_path / "logs" / window
        folder.mkdir(parents=True)
        (folder / f"20260101T00000{number}Z_0001.md").write_text("")
    return tmp_path


def completed(words: str, place: Path) -> list[str]:
    """What bash would offer for the last of `words`."""
    count = len(words.split(" ")) - 1
    environment = {"_AGENT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    done = run("agent", cwd=place, environment=environment)
    assert done.stderr == ""
    return [line.split(",", 1)[1] for line in done.stdout.splitlines() if line]


def test_commands_and_options_are_completed(tmp_path: Path) -> None:
    assert completed("agent lo", tmp_path) == ["logs"]
    assert completed("agent status --w", tmp_path) == ["--watch"]


@pytest.mark.parametrize("words", ["agent logs tail --data {} ", "agent memory why --data {} --window "])
def test_windows_are_completed_from_the_logs(words: str, data: Path) -> None:
    assert sorted(completed(words.format(data), data)) == sorted(WINDOWS)
    assert completed(words.format(data) + "discord-t", data) == [WINDOWS[1]]


def test_where_nothing_can_be_read_nothing_is_offered_and_nothing_said(tmp_path: Path) -> None:
    write_settings(tmp_path, "this is no toml")

    assert completed("agent logs tail d", tmp_path) == []


def test_each_shell_gets_a_script_that_asks_the_program(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for number, shell in enumerate(SHELLS):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(shell=shell):
            done = run("agent", "completion", shell, cwd=place)

            assert done.returncode == 0
            assert f"_AGENT_COMPLETE={shell}_complete" in done.stdout


def test_bash_reads_the_script(tmp_path: Path) -> None:
    script = run("agent", "completion", "bash", cwd=tmp_path).stdout

    done = subprocess.run(["bash", "-c", f"{script}\ncomplete -p agent"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert "_agent_completion" in done.stdout
