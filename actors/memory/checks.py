"""Checks of the memory: the compiled search, and the index beside the logs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.kernel import ActorSpec, ActorSystem
from actors.part import Finding, Level, Plan, Repair, Verb
from actors.part.alone import alone
from domain.memory.pins import crowding
from messages.memory import MEMORY, DescribeMemory, MemoryDescribed

ANSWER_S = 60.0
_SET_ASIDE = (
    "are set aside, since the embedding model fails with their text alone: only their words count, and the next start "
    "tries them again"
)


def search_findings() -> Iterator[Finding]:
    """Finding on the compiled search."""
    from actors.memory.codes.engine import is_compiled

    if is_compiled():
        yield Finding("search", Level.OK, "compiled")
        return
    yield Finding(
        "search",
        Level.WARN,
        "in numpy, several times slower: install a C compiler, remove .venv/compiled.stamp, restart",
    )


def index_findings(plan: Plan, reader: ActorSpec) -> Iterator[Finding]:
    """Finding on the index compared with the logs.

    Args:
        plan: Paths of the index and the logs.
        reader: Memory in read-only mode, without an embedder.
    """
    turns = turns_in_logs(plan.settings.data_root)
    if not has_index(plan.settings.data_root):
        yield Finding("memory", Level.OK, f"no index yet: the next start makes it of {turns} turns")
        return
    if plan.embedding_problem:
        hint = f"not looked at before the embedder is put right; the logs hold {turns} turns"
        yield Finding("memory", Level.WARN, hint)
        return
    with alone(ActorSystem(workers=2), (reader,)) as ask:
        index = ask(Verb(MEMORY, DescribeMemory), {}, ANSWER_S)
    if not isinstance(index, MemoryDescribed):
        hint = "the index does not answer; the next start rebuilds it if necessary"
        yield Finding("memory", Level.WARN, hint, _renewal(plan))
        return
    yield compare(index, turns)


def _renewal(plan: Plan) -> Repair:
    """Repair of an unusable index."""

    def renew() -> None:
        from actors.memory.index.database import PLACE, open_or_rebuild

        open_or_rebuild(plan.settings.data_root / PLACE, plan.system.clock.now()).close()

    return Repair("move it aside, with its vectors; the next start rebuilds it from the logs", renew)


def has_index(data_root: Path) -> bool:
    """True if an index file exists."""
    from actors.memory.index.database import PLACE

    return (data_root / PLACE).exists()


def turns_in_logs(data_root: Path) -> int:
    """Number of turns in the logs that belong in the index; withdrawn turns do not count."""
    from domain.log.parser import parse
    from domain.memory.remembered import Remembered, TakenBack, entry_of_event

    turns, gone = list[tuple[str, str]](), set[str]()
    for path in sorted((data_root / "logs").rglob("*.md")):
        if path.is_symlink() or not path.is_file():  # a pipe would be waited for; the check of the logs names it
            continue
        try:
            data = path.read_bytes()
        except OSError:  # so does that of the logs' permissions
            continue
        for logged in parse(data).events:
            event = logged.event
            entry = entry_of_event(
                path=str(path.relative_to(data_root)),
                line=logged.line,
                event_id=event.id,
                kind=event.kind,
                at=event.at,
                text=event.content,
                meta_json=event.meta_json,
            )
            if isinstance(entry, Remembered) and not entry.is_own_pin:
                turns.append((entry.event_id, entry.turn_id))
            elif isinstance(entry, TakenBack) and not entry.tombstone.is_quote:
                gone.add(entry.tombstone.event_id)
    return sum(gone.isdisjoint(names) for names in turns)


def compare(index: MemoryDescribed, turns: int) -> Finding:
    """Finding on an index and the number of turns in the logs."""
    counts = f"{index.rows} turns ({index.pending} wait for a vector, {index.failed} got none), {index.pins} pins"
    notes = []
    if index.rows < turns:
        notes.append(f"the logs hold {turns}: the next start or comparison with the logs adds the rest")
    if crowded := crowding(index.pins_here, index.pins_given):
        notes.append(crowded)
    if index.set_aside:
        notes.append(f"{index.set_aside} of these {_SET_ASIDE}")
    if index.damaged_logs:
        notes.append(f"{index.damaged_logs} logs are damaged")
    if notes:
        return Finding("memory", Level.WARN, "; ".join((counts, *notes)))
    return Finding("memory", Level.OK, f"{counts}, all that the logs hold")
