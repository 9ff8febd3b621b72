"""Texts of the benchmark: what people and an agent write, source files, build logs; made from a seed, all ASCII."""

from __future__ import annotations

import json
import random

from domain.turn.prompt import MEMORY_PREFIX, system_prompt
from messages.base import Surface, Window

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
SYSTEM_CHARS = 9_000
BLOCK_CHARS = 4_000
_TEXT = """
the order service keeps a list of open invoices and writes each change to the ledger before anybody is told so that a
crash between two steps leaves nothing half done while retries are counted by the queue and not by whoever called it
which matters when a payment arrives twice or a refund overtakes its own charge because clocks differ between hosts and
nobody noticed until the nightly report showed a gap of several hundred rows after midnight
"""
_WORDS = tuple(_TEXT.split())
_NAMES = (
    *("account", "amount", "batch", "charge", "client", "currency", "deadline", "entry", "event", "gateway", "invoice"),
    *("ledger", "limit", "message", "order", "payment", "period", "queue", "refund", "report", "request", "retry"),
    *("route", "row", "session", "shard", "status", "total", "window", "worker"),
)
_VERBS = (
    *("apply", "check", "close", "collect", "count", "fetch", "find", "join", "load", "mark", "merge", "move", "open"),
    *("read", "send", "settle", "sort", "store"),
)


def sentences(seed: str, chars: int) -> str:
    """Prose of about `chars` characters, at least half of a sentence."""
    chance = random.Random(seed)
    text = ""
    while len(text) < chars:
        words = chance.choices(_WORDS, k=chance.randint(7, 18))
        if chance.random() < 0.3:
            words.insert(chance.randrange(len(words)), f"`{chance.choice(_VERBS)}_{chance.choice(_NAMES)}`")
        text += f"{' '.join(words).capitalize()}. "
    return text[:chars].rstrip()


def source(seed: str, chars: int) -> str:
    """Source file of exactly `chars` characters; its lines are almost certainly all different."""
    chance = random.Random(seed)
    parts: list[str] = []
    size = 0
    while size < chars:
        parts.append(_function(chance, f"{seed}/{size}"))
        size += len(parts[-1])
    return "".join(parts)[: chars - 1] + "\n"


def _function(chance: random.Random, seed: str) -> str:
    one, other, third, fourth = (chance.choice(_NAMES) for _ in range(4))
    acts, tests, moves, gives = (chance.choice(_VERBS) for _ in range(4))
    most, least, after = chance.randint(1, 9999), chance.randint(1, 99999), chance.randint(1, 999)
    return (
        f"def {acts}_{one}_{chance.randint(1, 999)}({one}, {other}, limit={most}):\n"
        f'    """{sentences(seed, chance.randint(40, 90))}."""\n'
        f"    if {one}.{third} > {least} and not {other}.has_{tests}:\n"
        f'        raise ValueError(f"{fourth} {{{other}.id}}: {chance.choice(_WORDS)} {chance.choice(_WORDS)}")\n'
        f"    {other}.{moves}({one}.{fourth}, after={after})\n"
        f"    return {gives}({one}, {other}, {chance.random():.6f})\n\n"
    )


def build_log(seed: str, chars: int) -> str:
    """Output of a build, of at least `chars` characters."""
    chance = random.Random(seed)
    lines: list[str] = []
    size = number = 0
    while size < chars:
        number += 1
        unit = f"{chance.choice(_NAMES)}/{chance.choice(_VERBS)}_{chance.choice(_NAMES)}_{chance.randint(1, 400)}"
        if chance.random() < 0.08:
            place = f"src/{unit}.c:{chance.randint(1, 900)}:{chance.randint(1, 80)}"
            line = f"{place}: warning: {sentences(f'{seed}/{number}', 60)}"
        else:
            took = f"{chance.randint(3, 900)} ms, {chance.randint(900, 90000)} bytes"
            line = f"[{number:5}] cc -O2 -c src/{unit}.c -o build/{unit}.o  {took}"
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines) + "\n"


def block(seed: str) -> str:
    """Block of memories of a turn, as long as the budget allows."""
    chance = random.Random(seed)
    memories: list[dict[str, object]] = []

    def text() -> str:
        return (
            f"{MEMORY_PREFIX}\n{json.dumps({'budget_tokens_est': 1000, 'memories': memories}, separators=(',', ':'))}"
        )

    while len(text()) < BLOCK_CHARS - 160:
        excerpt = sentences(f"{seed}/{len(memories)}", 100)
        path = f"logs/thread/{chance.randint(10**17, 10**18)}/2026-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}.md"
        memories.append({"path": path, "line": chance.randint(5, 9000), "excerpt": excerpt, "truncated": True})
    return text()


def instructions() -> str:
    """System prompt of a window, with the length usual with skills and an operator's instructions."""
    own = system_prompt(WINDOW, "/srv/agent/work/910000000000000021")
    return system_prompt(
        WINDOW, "/srv/agent/work/910000000000000021", sentences("instructions", SYSTEM_CHARS - len(own) - 2)
    )
