"""Hook of a skill: the command that runs the script, the script's input, and the counted part of the output."""

from __future__ import annotations

import json
import shlex
from bisect import bisect_right
from collections.abc import Mapping

from domain.text.imitation import defuse
from domain.text.presentable import presentable
from domain.workspace.skills.life import BEFORE_PROMPT

INPUT_BYTES = 8 * 1024
OUTPUT_CHARS = 1_000
LIMIT_S = 5.0
BEFORE_PROMPT_S = 1.5
"""Limit in seconds; a person waits meanwhile."""
_READ_BYTES = 4_000
"""Of the output, for a character may have four."""
_CUT = "…"
_NOTHING = "(no output)"
"""The shell's text for empty output."""

Fact = str | int | float | bool | list[str] | dict[str, str]
"""Value for a hook: any value of JSON."""


def limit_s(event: str) -> float:
    """Longest time of a hook for `event`, in seconds."""
    return BEFORE_PROMPT_S if event == BEFORE_PROMPT else LIMIT_S


def input_json(facts: Mapping[str, Fact], limit_bytes: int = INPUT_BYTES) -> str:
    """`facts` as one line of JSON without apostrophes; all texts are cut alike until the line fits.

    Raises:
        ValueError: not even the names and numbers fit.
    """
    longest = max((len(text) for value in facts.values() for text in _texts(value)), default=0)
    fits = bisect_right(range(longest + 1), limit_bytes, key=lambda chars: len(_dump_facts(facts, chars).encode())) - 1
    if fits < 0:
        raise ValueError(f"facts {sorted(facts)}: have more than {limit_bytes} bytes without their texts")
    return _dump_facts(facts, fits)


def command(script: str, facts_json: str, *, is_executable: bool) -> str:
    """Bash command that gives the script JSON on stdin and reads only the beginning of stdout.

    Args:
        script: Absolute path.
        facts_json: Of `input_json`.
        is_executable: True if the script is run directly; else by bash.
    """
    run = shlex.quote(script) if is_executable else f"bash {shlex.quote(script)}"
    reading = f"{{ head -c {_READ_BYTES}; cat >/dev/null; }}"
    return f"printf %s {shlex.quote(facts_json)} | {run} 2>/dev/null | {reading}; exit ${{PIPESTATUS[1]}}"


def counted_output(event: str, text: str) -> str:
    """Counted part of the output of a hook for `event`: defused, and at most 1,000 characters."""
    if event != BEFORE_PROMPT or text.strip() == _NOTHING:
        return ""
    rendered = presentable(defuse(text.strip()))
    return rendered if len(rendered) <= OUTPUT_CHARS else rendered[: OUTPUT_CHARS - 1].rstrip() + _CUT


def _texts(value: Fact) -> list[str]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _dump_facts(facts: Mapping[str, Fact], chars: int) -> str:
    capped = {name: _cap_texts(value, chars) for name, value in facts.items()}
    text = json.dumps(capped, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode("utf-8").replace("'", "\\u0027")


def _cap_texts(value: Fact, chars: int) -> Fact:
    """`value` with each text inside cut to at most `chars` characters."""
    if isinstance(value, str):
        return value if len(value) <= chars else value[: max(chars - 1, 0)] + _CUT[:chars]
    if isinstance(value, list):
        return [str(_cap_texts(each, chars)) for each in value]
    return {key: str(_cap_texts(each, chars)) for key, each in value.items()} if isinstance(value, dict) else value
