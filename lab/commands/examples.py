"""Examples of the lab's commands, by path, like the other commands' in `actors.cli.terminal.examples`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXAMPLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "agent bench": ("agent bench kernel", "agent bench memory --rows 100000"),
        "agent bench cache": ("agent bench cache --json",),
        "agent bench cluster": ("agent bench cluster --link-only",),
        "agent bench continuity": ("agent bench continuity --quick", "agent bench continuity --json"),
        "agent bench crashes": ("agent bench crashes --json",),
        "agent bench discord": ("agent bench discord --quick",),
        "agent bench durable": ("agent bench durable --kills 1", "agent bench durable --kills 20 --json"),
        "agent bench documents": ("agent bench documents --pages 100",),
        "agent bench escapes": ("agent bench escapes --only 'kernel modules'",),
        "agent bench facts": ("agent bench facts --quick",),
        "agent bench forget": ("agent bench forget --strings 50 --kills 10", "agent bench forget --json"),
        "agent bench import": ("agent bench import --messages 20000", "agent bench import --messages 5000 --kills 20"),
        "agent bench kernel": ("agent bench kernel --only fan_out_10000x100 --only churn_10m",),
        "agent bench mcp": ("agent bench mcp --json", "agent bench mcp --hostile"),
        "agent bench memory": ("agent bench memory --rows 100000 --queries 50",),
        "agent bench month": ("agent bench month --days 5 --windows 20",),
        "agent bench objects": ("agent bench objects --quick",),
        "agent bench prompts": ("agent bench prompts --into prompts",),
        "agent bench recall": ("agent bench recall --limit 2 --data .",),
        "agent bench recorded": (
            "agent bench recorded --data .",
            "agent bench recorded --data . --only Anthropic --json",
        ),
        "agent bench shell": ("agent bench shell --quick",),
        "agent bench start": ("agent bench start --logs 1000",),
        "agent bench tasks": (
            "agent bench tasks --model openai/qwen --api-base http://127.0.0.1:8080/v1",
            "agent bench tasks --model offline --only reminder",
        ),
        "agent bench upkeep": ("agent bench upkeep --quick",),
        "agent bench workspace": ("agent bench workspace --quick",),
        "agent chaos": ("agent chaos --kills 20", "agent chaos --rows 1,36-39 --seed 7 --keep /tmp/kept"),
        "agent chaos sum": ("agent chaos sum one.jsonl two.jsonl --json",),
        "agent chaos curated": ("agent chaos curated --edits 100",),
        "agent chaos layers": ("agent chaos layers --kills 20 --only objects",),
        "agent chaos mounts": ("agent chaos mounts --tries 500",),
        "agent chaos reminders": ("agent chaos reminders --rounds 50 --years 0",),
        "agent simulate": ("agent simulate --seeds 100", "agent simulate --seed 42 --scenes 0,3,7-9 --trace"),
        "agent-load": ("agent-load --threads 100 --turns 3", "agent-load --floor --threads 100,500 --turns 3"),
    }
)
