"""Views of reports by actors and of logs, as the page's JSON. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from domain.log.parser import parse
from messages.memory import FoundMemory, MemoryExplained
from messages.model import UsageRead, UsageSum
from messages.scheduler import RemindersListed
from messages.skills import SkillsListed

MOST_ENTRIES = 50
MOST_SKILLS = 200
MOST_CHARS = 600
"""Most characters of an entry."""
_END = re.compile(rb"\n<!-- end ([0-9A-Za-z_-]{1,64}) bytes=([0-9]+) hash=([0-9a-f]{16}) -->\n")


def memory_view(explained: MemoryExplained) -> dict[str, Any]:
    """Memories given to the last turn, and the runners-up."""
    return {
        "window": explained.window,
        "turn": explained.turn_id,
        "search": explained.search,
        "note": explained.note,
        "candidates": explained.candidates,
        "tokens": explained.block_tokens,
        "budget": explained.budget_tokens,
        "took_ms": explained.took_ms,
        "given": [_memory(each) for each in explained.injected],
        "rejected": [_memory(each) for each in explained.rejected],
    }


def _memory(each: FoundMemory) -> dict[str, Any]:
    return {
        "at": each.at.isoformat(timespec="seconds"),
        "author": each.author,
        "role": each.role,
        "window": each.window,
        "place": f"{each.path}:{each.line}",
        "pinned": each.pinned,
        "excerpt": each.excerpt,
        "score": each.score,
        "similarity": each.similarity,
        "recency": each.recency,
        "repetition": each.repetition,
    }


def reminders_view(listed: RemindersListed) -> dict[str, Any]:
    """Pending reminders, soonest first, and unreadable lines."""
    return {
        "reminders": [
            {
                "id": each.id,
                "msg": each.msg,
                "recur": each.recur,
                "due": each.next_due.isoformat() if each.next_due is not None else "",
                "local": each.next_local,
                "failed": each.failed,
            }
            for each in listed.reminders
        ],
        "left_out": listed.left_out,
        "invalid": len(listed.invalid),
    }


def skills_view(listed: SkillsListed) -> dict[str, Any]:
    """Skills, with origin, state and cost in tokens, and the findings in their files."""
    return {
        "skills": [
            {
                "name": each.name,
                "description": each.description[:MOST_CHARS],
                "origin": each.origin[:MOST_CHARS],
                "state": each.state.value,
                "tokens": each.tokens,
            }
            for each in listed.skills[:MOST_SKILLS]
        ],
        "left_out": max(0, len(listed.skills) - MOST_SKILLS),
        "tokens": listed.tokens,
        "findings": [warning[:MOST_CHARS] for warning in listed.warnings[:MOST_ENTRIES]],
    }


def usage_view(read: UsageRead) -> dict[str, Any]:
    """Costs of calls, by day and by window."""
    return {"days": [_sum(each) for each in read.by_day], "windows": [_sum(each) for each in read.by_window]}


def _sum(each: UsageSum) -> dict[str, Any]:
    return {
        "key": each.key,
        "calls": each.calls,
        "tokens": each.prompt_tokens + each.completion_tokens,
        "estimated": each.estimated_tokens,
        "cached": each.cached_tokens / max(1, each.prompt_tokens),
        "usd": each.cost_usd,
    }


def log_view(path: str, data: bytes) -> dict[str, Any]:
    """A log's newest entries, each with the hash continued by the next entry, and the integrity of the whole log.

    Args:
        path: Path below the data root.
        data: The whole log.
    """
    log = parse(data)
    hashes: Mapping[str, str] = {end[1].decode(): end[3].decode() for end in _END.finditer(data)}
    entries = [
        {
            "line": each.line,
            "at": each.event.at.isoformat(timespec="milliseconds"),
            "kind": each.event.kind.value,
            "author": str(each.event.meta_dict().get("author", "")),
            "text": each.event.content[:MOST_CHARS],
            "hash": hashes.get(each.event.id, ""),
        }
        for each in log.events[-MOST_ENTRIES:]
    ]
    return {
        "path": path,
        "entries": entries,
        "events": len(log.events),
        "bytes": len(data),
        "head": log.state.head,
        "damage": [{"line": gap.line, "reason": gap.reason} for gap in log.damage],
        "seals": len(log.seals),
    }
