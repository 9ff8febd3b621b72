"""Block of a turn: entries recalled from a workspace, with related skills and the output of hooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domain.memory.block_json import block_json
from domain.workspace.recall.block import CLOSING, OPENING, recall_block
from domain.workspace.recall.entries import Entry


def turn_block(
    entries: Iterable[Entry],
    budget_chars: int,
    skills: Sequence[str] = (),
    hook_texts: Sequence[tuple[str, str]] = (),
) -> str:
    """The block; empty where there is nothing to show.

    Args:
        entries: What is recalled, the best first.
        budget_chars: Of what is recalled; the rest is bounded by what it is made of.
        skills: Names of skills that are about a file which is mentioned.
        hook_texts: Skill -> output of the skill's hook.
    """
    block = recall_block(entries, budget_chars)
    more = dict[str, object]()
    if skills:
        more["skills_about_this"] = list(skills)
    if hook_texts:
        more["said_by_hooks"] = [{"skill": skill, "text": text} for skill, text in hook_texts]
    if not more:
        return block
    inner = block_json(more)
    if not block:
        return f"{OPENING}\n{inner}\n{CLOSING}"
    begin = f"{OPENING}\n{{"
    return f"{begin}{inner[1:-1]},{block.removeprefix(begin)}"
