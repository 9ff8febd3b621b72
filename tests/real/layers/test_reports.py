"""Public reports of prompts that promise what is off, and of outputs whose words are lost, each tried here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from domain.turn.call_result import SHORT_CHARS, shorten_result
from domain.turn.prompt import system_prompt
from messages.base import Surface, Window
from messages.turn import Store

WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
NOTES = Store(name="notes", path="/w/MEMORY.md", holds="lasting facts", keeper="agent")
BACKGROUND = Store(name="background", path="/w/ALL.md", holds="what all share")


def prompt(*stores: Store, may_run: bool = True, workdir: str | None = "/work") -> str:
    return " ".join(system_prompt(WINDOW, workdir, stores=stores, blocks=(), may_run=may_run).split())


REPORTS: dict[str, tuple[str, Callable[[], bool]]] = {
    "charmbracelet/crush#3811": (
        "the system prompt advertises a tool that the settings turn off",
        lambda: "bash" not in prompt(NOTES, workdir=None),
    ),
    "Zoo-Code-Org/Zoo-Code#1240": (
        "sections on commands stay in a mode that has none",
        lambda: not any(words in prompt(NOTES, may_run=False) for words in ("Your tool", "bash", "/w/MEMORY.md")),
    ),
    "anomalyco/opencode#1320": (
        "with all tools off the model is to say that it has none",
        lambda: "say so when that is not enough" in prompt(workdir=None),
    ),
    "tinyhumansai/openhuman#6048": (
        "guidance on saving is there exactly where something can be written",
        lambda: (
            ("you save with bash" in prompt(NOTES))
            and "cannot, save" not in prompt(NOTES)
            and "cannot, save" in prompt(BACKGROUND)
        ),
    ),
    "anthropics/claude-code#86299": (
        "no part of the prompt changes with the day, so a later life begins alike",
        lambda: prompt(NOTES) == prompt(NOTES) and "202" not in prompt(NOTES),
    ),
    "anthropics/claude-code#56751": (
        "a line longer than what is shown keeps words of its own",
        lambda: all(
            "word" in shorten_result(f"{'word ' * 12_000}\n\n[Showing last 50 KB]{end}", "out.txt").partition("\n")[0]
            for end in ("", "\n", "\n\n[exit 1]")
        ),
    ),
}


@pytest.mark.req("X-227")
def test_what_was_reported_elsewhere_does_not_happen_here() -> None:
    failures = [f"{name}: {report}" for name, (report, holds) in REPORTS.items() if not holds()]

    assert not failures
    assert len(shorten_result("word " * 12_000, "out.txt")) < 2 * SHORT_CHARS
