"""Examples of every command, by its path; each `--help` ends with them, and a test parses each example."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

_WINDOW = "discord-thread/123456789012345678"
EXAMPLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "agent": ("agent try", "agent run", "agent status --watch"),
        "agent approval": ("agent approval list", "agent approval allow 01J9Z8"),
        "agent approval allow": ("agent approval allow 01J9Z8",),
        "agent approval list": ("agent approval list", "agent approval list --json"),
        "agent approval refuse": ("agent approval refuse 01J9Z8",),
        "agent backup": ("agent backup /mnt/backups/2026-11-27",),
        "agent completion": ("agent completion bash >> ~/.bashrc",),
        "agent config": ("agent config", "agent config --json"),
        "agent doctor": ("agent doctor", "agent doctor --fix"),
        "agent events": ("agent events", "agent events --data ~/agent/data"),
        "agent forget": (f"agent forget message 1310000000000000001 --window {_WINDOW}", "agent forget list"),
        "agent forget expired": ("agent forget expired", "agent forget expired --json"),
        "agent forget list": ("agent forget list", "agent forget list --json"),
        "agent forget message": (f"agent forget message 1310000000000000001 --window {_WINDOW}",),
        "agent forget person": (
            f"agent forget person 910000000000000021 --window {_WINDOW}",
            f'agent forget person 910000000000000021 --name Anne --why "asked by mail" --window {_WINDOW}',
        ),
        "agent forget topic": ("agent forget topic the spare key", "agent forget topic --yes --json spare key"),
        "agent forget window": (f"agent forget window {_WINDOW}",),
        "agent gateway": ("agent gateway --upstream http://127.0.0.1:11434/v1 --embeddings local",),
        "agent import": ("agent import discord", "agent import export ~/Downloads/general.json"),
        "agent import discord": ("agent import discord", "agent import discord --no-wait"),
        "agent import export": ("agent import export ~/Downloads/*.json",),
        "agent import status": ("agent import status", "agent import status --json"),
        "agent import stop": ("agent import stop",),
        "agent logs": (f"agent logs tail -f {_WINDOW}", "agent logs check data/logs"),
        "agent logs check": ("agent logs check data/logs", "agent logs check --json data/logs"),
        "agent logs show": (f"agent logs show data/logs/{_WINDOW}",),
        "agent logs tail": ("agent logs tail -f", f"agent logs tail -n 100 {_WINDOW}"),
        "agent memory": ('agent memory search "where is the spare key"', "agent memory why"),
        "agent memory add": ('agent memory add "The user\'s wife is named Anne" --memory-id alice',),
        "agent memory curated": (f"agent memory curated status --window {_WINDOW}",),
        "agent memory curated faults": (f"agent memory curated faults --window {_WINDOW}",),
        "agent memory curated flush": (f"agent memory curated flush --window {_WINDOW}",),
        "agent memory curated import": (f"agent memory curated import --window {_WINDOW}",),
        "agent memory curated off": (f"agent memory curated off --window {_WINDOW}",),
        "agent memory curated on": (f"agent memory curated on --window {_WINDOW}",),
        "agent memory curated pages": (f"agent memory curated pages --window {_WINDOW}",),
        "agent memory curated recall": (f'agent memory curated recall "spare key" --window {_WINDOW}',),
        "agent memory curated remember": (
            f'agent memory curated remember global "Anne has the spare key" --window {_WINDOW}',
        ),
        "agent memory curated stale": (f"agent memory curated stale --window {_WINDOW}",),
        "agent memory curated status": (f"agent memory curated status --window {_WINDOW}",),
        "agent memory curated trace": (f"agent memory curated trace 5f2c --window {_WINDOW}",),
        "agent memory curated traces": (f"agent memory curated traces --limit 5 --window {_WINDOW}",),
        "agent memory curated verify": (f"agent memory curated verify --window {_WINDOW}",),
        "agent memory forget": ("agent memory forget 72faaaca-a0ac-4cb1-88fe-d275cfa44082",),
        "agent memory list": ("agent memory list --memory-id alice",),
        "agent memory me": ("agent memory me Alice", "agent memory me Alice --export alice.json"),
        "agent memory off": (f"agent memory off {_WINDOW}",),
        "agent memory on": (f"agent memory on {_WINDOW}",),
        "agent memory rebuild": ("agent memory rebuild",),
        "agent memory search": (
            'agent memory search "where is the spare key"',
            f"agent memory search --window {_WINDOW} spare key",
        ),
        "agent memory stats": ("agent memory stats --json",),
        "agent memory why": ("agent memory why", f"agent memory why --window {_WINDOW}"),
        "agent model": ("agent model list", "agent model get qwen3-1.7b"),
        "agent model add": ("agent model add mine ~/Downloads/mine.gguf",),
        "agent model get": ("agent model get qwen3-1.7b",),
        "agent model list": ("agent model list", "agent model list --json"),
        "agent model remove": ("agent model remove qwen3-1.7b",),
        "agent objects": (f"agent objects list --window {_WINDOW}",),
        "agent objects gc": ("agent objects gc --keep-days 30",),
        "agent objects history": (f"agent objects history 3fa4 --window {_WINDOW}",),
        "agent objects list": (f"agent objects list --window {_WINDOW}",),
        "agent reminders": ("agent reminders next", "agent reminders check"),
        "agent reminders check": ("agent reminders check", "agent reminders check --file ~/vault/reminders.md"),
        "agent reminders list": ("agent reminders list",),
        "agent reminders next": ("agent reminders next --from 2026-12-01 --to 2026-12-31",),
        "agent restore": ("agent restore /mnt/backups/2026-11-27 --to ~/agent/data",),
        "agent run": ("agent run", "agent run --hosts 2"),
        "agent setup": (
            "agent setup",
            "agent setup --non-interactive --token-file token.txt --channel general --user anne --model offline",
        ),
        "agent skills": (
            "agent skills list",
            "agent skills add https://github.com/anthropics/skills --path skills/pdf",
        ),
        "agent skills accept": ("agent skills accept pdf",),
        "agent skills add": (
            "agent skills add ~/Downloads/pdf.skill",
            "agent skills add https://github.com/anthropics/skills --path skills/pdf",
            "agent skills add https://github.com/anthropics/skills/tree/main/skills/pdf --yes",
        ),
        "agent skills check": ("agent skills check", "agent skills check --json pdf"),
        "agent skills list": ("agent skills list", "agent skills list --json"),
        "agent skills remove": ("agent skills remove pdf",),
        "agent status": ("agent status", "agent status --watch", "agent status --json"),
        "agent trust": ("agent trust", "agent trust ~/work/shop --remove", "agent trust --list"),
        "agent try": ("agent try", "agent try --say hello --say 'run: date'"),
        "agent usage": (
            "agent usage --by model",
            "agent usage --by window --since 2026-11-01 --until 2026-12-01 --json",
        ),
        "agent-cli": ('agent-cli "what time is it?"', "agent-cli --model openai/gpt-4.1-mini - < question.txt"),
    }
)


def show_examples(command: click.Command, path: str, examples: Mapping[str, tuple[str, ...]] = EXAMPLES) -> None:
    """End the help of `command`, and of all its subcommands in the help, with examples.

    Raises:
        KeyError: a command has no examples.
    """
    lines = examples[path]
    command.epilog = "\b\n" + "\n".join(
        ("Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines))
    )
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            if not each.hidden:
                show_examples(each, f"{path} {name}", examples)
