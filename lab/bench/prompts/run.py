"""System prompts of all combinations of layers and rights, each from a whole agent, with token counts."""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from actors.kernel import ManualClock
from actors.model.provider import load
from actors.part import SHIPPED_SKILLS
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.workspace.agent import BenchAgent, window_of
from lab.bench.workspace.place import embed

MOST_TOKENS = 1_500
ROOT = "/opt/agent"
"""Folder of the agent in the measured prompts; a longer path costs tokens for each skill."""
LAYERS = ("memory", "workspace", "curated", "objects")
"""Layers with words in a prompt; the layer of facts has no words there, since it serves clients of the gateway."""
RIGHTS = ("commands", "viewer", "no shell")
_ON: dict[str, dict[str, object]] = {
    "memory": {},
    "workspace": {
        "layers.workspace": True,
        **{f"workspace.{name}": True for name in ("recall", "session", "compaction", "subagents", "llm")},
    },
    "curated": {"layers.curated": True},
    "objects": {"layers.objects": True},
}


@dataclass(frozen=True, slots=True)
class Combination:
    """Set of layers, with the rights of the person asking."""

    layers: tuple[str, ...]
    rights: str

    @property
    def name(self) -> str:
        """Name of the row, and of the file."""
        return f"{'+'.join(self.layers) or 'nothing'}, {self.rights}"


def combinations() -> Iterator[Combination]:
    """All combinations."""
    for on in itertools.product((True, False), repeat=len(LAYERS)):
        layers = tuple(itertools.compress(LAYERS, on))
        yield from (Combination(layers, rights) for rights in RIGHTS)


def prompt_of(combination: Combination) -> str:
    """System prompt of the first turn of a thread, with the agent's folders below `ROOT`."""
    with tempfile.TemporaryDirectory(prefix="agent-prompts-") as whole:
        root = Path(whole).resolve()
        settings: dict[str, object] = {
            "memory.enabled": "memory" in combination.layers,
            "shell.enabled": combination.rights != "no shell",
            "curated.global_folder": str(root / "data" / "curated"),
        }
        for layer in combination.layers:
            settings |= _ON[layer]
        with BenchAgent(root, lambda _request: "Hello.", embed, settings, clock=ManualClock()) as agent:
            may_run = combination.rights == "commands"
            prompt = agent.say(window_of(0), "Hello.", 1, may_run=may_run).requests[0].system_prompt
    shipped = str(SHIPPED_SKILLS)
    return prompt.replace(str(root / "data"), f"{ROOT}/data").replace(shipped, f"{ROOT}/skills")


def tokens_of(text: str) -> int:
    """Tokens by cl100k, the encoding from which the tokenizers of Qwen and most servers descend."""
    return int(_litellm().token_counter(model="gpt-4", text=text))


@cache
def _litellm() -> Any:
    """Library `litellm`, loaded as in the agent: without a download."""
    return load("gpt-4").result()


def measure(say: Callable[[str], object], *, into: str | None = None) -> Rows:
    """Combination -> tokens of the prompt, and of its longest part.

    Args:
        say: Called with the combination being measured.
        into: Folder for a file of each prompt; None for no files.
    """
    rows = {}
    for combination in combinations():
        say(combination.name)
        prompt = prompt_of(combination)
        if into is not None:
            path = Path(into) / f"{re.sub('[^a-z]+', '-', combination.name)}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(prompt, "utf-8")
        rows[combination.name] = {"tokens": float(tokens_of(prompt)), "chars": float(len(prompt))}
    return rows


PROMPTS = Benchmark(
    name="prompts",
    measure=measure,
    targets=(Target("tokens of the system prompt", "tokens", MOST_TOKENS),),
    columns=(Column("tokens", "tokens", ",.0f"), Column("characters", "chars", ",.0f")),
    note=f"The agent is in {ROOT}; its person's files are empty, and no channel may write curated memory.",
)
