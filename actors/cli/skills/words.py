"""Words of `agent skills`: a skill, shown for a person's decision, without control characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from actors.skills.foreign.package import Package
from domain.policy.foreign_skill.examination import Examined, Finding, Kind, shell_lines
from domain.text.token_estimate import tokens_of_text
from domain.turn.skill import list_skills, on_one_line

MOST_FILES_SHOWN = 200
MOST_COMMANDS_SHOWN = 20
MOST_LINES_SHOWN = 8
_LONGEST = 160
_LONGEST_OFFER = 1_000
"""Characters of a command in each request."""
_FIELDS = (("license", "licence"), ("compatibility", "needs"), ("allowed-tools", "tools"))
_TOOLS_NOTE = "   (the skill gets no tools: its commands run in the sandbox as all others)"


def show_line(text: str, most: int = _LONGEST) -> str:
    """`text` on a single line, with each unprintable character as its code point."""
    line = "".join(char if char.isprintable() else " " if char in "\n\t\r" else f"<U+{ord(char):04X}>" for char in text)
    line = " ".join(line.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def skill_lines(package: Package, source: str, commit: str = "") -> Iterator[str]:
    """Lines about a skill: the text, the programs to run, the files and accesses, and the findings."""
    yield f"skill {show_line(package.name)}"
    place = f", {show_line(package.path)}" if package.path else ""
    yield _row("from", f"{show_line(source, 400)}{place}{f', commit {commit}' if commit else ''}")
    yield _row("says", show_line(str(package.fields.get("description", "")), 1_100))
    for key, name in _FIELDS:
        if key in package.fields:
            value = package.fields[key]
            words = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield _row(name, show_line(words, 500) + (_TOOLS_NOTE if name == "tools" else ""))
    yield from _self_running(package)
    text = package.files[_own(package)].data.decode("utf-8", "replace")
    entry = "".join(list_skills((package.skill,)).entries.values())
    in_list = f"{tokens_of_text(entry):,} tokens of each request" if entry else "not in the model's list"
    yield _row("costs", f"{in_list}; {tokens_of_text(text):,} when it is read")
    for number, line in enumerate(package.skill.commands):
        yield _row("" if number else "offers", f"$ {show_line(line, _LONGEST_OFFER)}")
    commands = shell_lines(text)
    for number, line in enumerate(commands[:MOST_COMMANDS_SHOWN]):
        yield _row("" if number else "would run", f"$ {show_line(line)}")
    if len(commands) > MOST_COMMANDS_SHOWN:
        yield _row("", f"and {len(commands) - MOST_COMMANDS_SHOWN} more commands in {_own(package)}")
    if network := tuple(dict.fromkeys(chain.from_iterable(each.network for each in package.examined))):
        more = f" and {len(network) - 20} more" if len(network) > 20 else ""
        yield _row("network", f"{show_line(', '.join(network[:20]), 600)}{more}   (as far as it can be seen)")
    yield from _file_lines(package)
    for fault in package.faults:
        yield _row("format", show_line(fault, 300))
    yield from finding_lines(package.findings)


def finding_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """Findings, a line for each kind in a file; grave findings come first, with a `!`."""
    groups: dict[tuple[bool, str, str], list[int]] = {}
    for finding in sorted(findings, key=lambda each: not each.is_grave):
        groups.setdefault((finding.is_grave, finding.path, finding.text), []).append(finding.line)
    for (is_grave, path, text), lines in groups.items():
        numbers = ", ".join(str(line) for line in lines[:MOST_LINES_SHOWN] if line)
        more = f" and {len(lines) - MOST_LINES_SHOWN} more" if len(lines) > MOST_LINES_SHOWN else ""
        place = f"{show_line(path)}:{numbers}{more}" if numbers else show_line(path)
        yield _row("finding", f"{'!' if is_grave else '-'} {place}: {show_line(text, 300)}")


def _self_running(package: Package) -> Iterator[str]:
    """Lines about scripts able to run unasked by the model."""
    hooks = package.fields.get("hooks")
    if isinstance(hooks, dict):
        for event, script in hooks.items():
            yield _row(
                "hook",
                f"{show_line(str(event))}: runs {show_line(str(script))} by itself, with the workspace layer",
            )
    if package.skill.hidden:
        yield _row("hidden", "not in the model's list; people call the skill with /skill")


def _file_lines(package: Package) -> Iterator[str]:
    total = sum(each.size for each in package.examined)
    left_out = f"; {package.left_out} of git and caches are left out" if package.left_out else ""
    yield _row("files", f"{len(package.examined)}, {total:,} bytes{left_out}")
    ordered = sorted(package.examined, key=lambda each: (_RANK.get(each.kind, len(_RANK)), each.path))
    running = sum(each.kind in _RANK for each in ordered)
    most = max(running, MOST_FILES_SHOWN)
    for each in ordered[:most]:
        yield _row("", f"{each.size:>11,}  {_kind_words(package, each):24}  {show_line(each.path, 300)}")
    if len(ordered) > most:
        yield _row("", f"and {len(ordered) - most} more of text or data")


_RANK = {Kind.INSTRUCTIONS: 0, Kind.PROGRAM: 1, Kind.SCRIPT: 2, Kind.ARCHIVE: 3}
"""Kinds whose files are all shown, in order."""


def _kind_words(package: Package, each: Examined) -> str:
    language = f" ({on_one_line(each.language)})" if each.language else ""
    runs = ", executable" if package.files[each.path].is_executable else ""
    return f"{each.kind.value}{language}{runs}"


def _own(package: Package) -> str:
    return package.skill.path.rpartition("/")[2]


def _row(head: str, text: str) -> str:
    return f"  {head:10}{text}"
