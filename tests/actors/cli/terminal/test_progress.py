from __future__ import annotations

import io
import re

import pytest

from actors.cli.terminal.progress import progress_line, tick

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal, and the environment of one."""
    made = Terminal()
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return made


def seen(terminal: Terminal) -> str:
    return ESCAPES.sub("", terminal.getvalue())


def test_a_known_end_is_shown_as_a_bar_and_the_line_is_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with progress_line(terminal) as say:
        say("3 of 4 kills", 3, 4)

    assert "3 of 4 kills" in seen(terminal)
    assert "━" in seen(terminal)
    assert terminal.getvalue().endswith("\x1b[2K")


def test_what_others_named_steers_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with progress_line(terminal) as say:
        say("copy [red]\x1b]0;owned\x07\x1b[2Jof\n\u202eit")

    assert r"[red]of \u202eit" in seen(terminal)
    assert "owned" not in terminal.getvalue()
    assert "\x1b[2J" not in terminal.getvalue()


def test_in_a_pipe_nothing_is_shown() -> None:
    pipe = io.StringIO()

    with progress_line(pipe) as say:
        say("3 of 4 kills", 3, 4)

    assert pipe.getvalue() == ""


def test_a_dumb_terminal_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")

    with progress_line(terminal) as say:
        say("3 of 4 kills", 3, 4)

    assert terminal.getvalue() == ""


def test_tickers_give_the_number_and_its_end() -> None:
    said: list[tuple[str, int, int]] = []

    def say(text: str, done: int = 0, total: int = 0, /) -> None:
        said.append((text, done, total))

    tick(say, "kill %s of 9", 9)(4)
    tick(say, "replay: %s")("2026-01-01")

    assert said == [
        ("kill 4 of 9", 4, 9),
        ("replay: 2026-01-01", 0, 0),
    ]
