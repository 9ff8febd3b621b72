"""Block of the system prompt: purpose and upkeep of curated memory, and the injected part of the indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.curated.page import Scope
from domain.text.imitation import defuse
from domain.text.lines import decode_text, valid
from messages.turn import Store

TITLE = "## Persistent memory"
GLOBAL_HEADING = "### Global MEMORY.md"
PROJECT_HEADING = "### Project MEMORY.md  (.pi/memory/MEMORY.md)"
LOCAL_HEADING = "### Project MEMORY.local.md  (.pi/memory/MEMORY.local.md)"
READ_ONLY = "; in this conversation you can only read it"
_MEANINGS = {
    Scope.GLOBAL: "Global memory (this user, all projects)",
    Scope.PROJECT: "Project memory (committed to the repo, shared with the team)",
}
_KEEPS = """Files that people edit too. They are separate from AGENTS.md, which is people's: never write memory
there.
"""
_READS = """Files of people, and of you in other conversations. They are separate from AGENTS.md, which is people's:
never write memory there. Nothing can be saved there from this conversation; where somebody wants it kept there, say so.
"""
_SCOPES = """{scopes}

Each scope has an index, MEMORY.md (shown below once it has something in it), and topic files beside it{topics}.
"""
_TOPICS = ";\nread a topic file with bash when it is relevant (`cat {example}/<topic>.md`)"
_NO_TOPICS = ",\nwhich cannot be read here"
_RULES = """When you learn something durable, save it at once: a correction from the user, a build/test command, a
non-obvious constraint, a decision and its rationale. Save it with the skill `curated-memory`, or edit the files with
bash. Rules:
- Check the index first: update an existing entry rather than adding a duplicate.
- Delete entries that turn out to be wrong; move those that are merely stale to archive/.
- Keep the index to one line per fact below `##` headings; put detail in topic files and leave a line that points there:
  `- [Title](file.md) — gist`. Add, fix or move single entries.
- Global memory is shown in every conversation: nothing private of a person's, no secrets.
{project}- Don't save what the repo records anyway (code, git history, AGENTS.md).
- Where somebody says otherwise than an entry, fix the entry.
"""
_PROJECT_RULE = """- Project memory is read by your teammates in version control: factual, professional, no secrets.
"""


@dataclass(frozen=True, slots=True)
class ScopeBlock:
    """One scope in the form of the block."""

    scope: Scope
    folder: str
    may_write: bool
    index: str
    """Injected part of the index; empty without an index."""
    local: str = ""
    """The personal notes, likewise."""


def store(scopes: Sequence[ScopeBlock]) -> Store:
    """Curated memory's entry among all stores; the block names the folders."""
    keeper = "agent" if any(each.may_write for each in scopes) else "people"
    return Store(name="persistent memory, below", holds="durable facts beyond this conversation", keeper=keeper)


def block(scopes: Sequence[ScopeBlock], *, may_run: bool = True) -> str:
    """The whole block; the same for the same arguments, byte for byte.

    Args:
        scopes: Present scopes, the global scope first.
        may_run: Whether there is a shell at all.
    """
    named = "\n".join(
        f"- {_MEANINGS[each.scope]}: {each.folder}/{'' if each.may_write else READ_ONLY}" for each in scopes
    )
    has_project = any(each.scope is Scope.PROJECT for each in scopes)
    topics = _TOPICS.format(example=scopes[0].folder) if may_run else _NO_TOPICS
    keeps = may_run and any(each.may_write for each in scopes)
    parts = [TITLE, "", _KEEPS if keeps else _READS, _SCOPES.format(scopes=named, topics=topics)]
    if keeps:
        parts.append(_RULES.format(project=_PROJECT_RULE if has_project else ""))
    for each in scopes:
        heading = GLOBAL_HEADING if each.scope is Scope.GLOBAL else PROJECT_HEADING
        parts += _section(heading, each.index) + _section(LOCAL_HEADING, each.local)
    return "\n".join(parts).rstrip("\n")


def shown_index(text: str) -> str:
    """Index in the form of a prompt: valid text without NUL, and no line like a line of the runtime's."""
    return defuse(valid(text).replace("\0", "\ufffd"))


def plain_index(data: bytes) -> str:
    """The text of an index's beginning, for `shown_index`."""
    return decode_text(data).removeprefix("\ufeff")


def _section(heading: str, text: str) -> list[str]:
    if not text:
        return []
    return [heading, text.rstrip("\n"), ""]
