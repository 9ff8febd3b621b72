"""Injection of curated memory: the block of a window's turns, made anew only when a file or a permission changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from actors.curated.config import CuratedConfig
from actors.curated.folder import Folders, Snapshot
from actors.curated.places import Place, WindowPlaces
from domain.curated.block import ScopeBlock, block, plain_index, shown_index, store
from domain.curated.caps import Capped, cap_index
from domain.curated.config import FolderConfig, merge_file
from domain.curated.document import parse_document
from domain.curated.page import Fault, FaultKind, Page, Scope
from domain.curated.residency import ResidentSet, resident_set
from domain.curated.table import TableState
from domain.memory.injection import tokens
from messages.base import Surface, Window
from messages.turn import Store

_CACHED = 256
"""Number of blocks to keep; windows with the same scopes and rights share a block."""
_TABLES = {TableState.MISSING: "there is no page table", TableState.INVALID: "the page table cannot be read"}
_EMPTY = Capped(b"", 0, 0, 0)
_CACHED_INDEXES = 8
"""Texts whose pages and shown forms are kept: when one index changes, the other index's are at hand."""


@dataclass(frozen=True, slots=True)
class Part:
    """A scope's share of a block."""

    place: Place
    snapshot: Snapshot
    capped: Capped
    text: str
    local: str = ""


@dataclass(frozen=True, slots=True)
class Injection:
    """Block of a window's turns, with the block's origin."""

    block: str
    """Text of turns with commands, if commands can be run at all; empty without a block."""
    decision: str
    """`injected`, `disabled`."""
    parts: tuple[Part, ...] = ()
    faults: tuple[Fault, ...] = ()
    reasons: tuple[str, ...] = ()
    tokens: Mapping[str, int] | None = None
    is_traced: bool = True
    """True if the folders' configuration asks for notes on decisions."""
    without_commands: str = ""
    """Block of turns without commands."""
    stores: tuple[Store, ...] = ()
    """The memory among all places with content."""


class Injections:
    """Blocks of all windows."""

    def __init__(self, config: CuratedConfig, folders: Folders) -> None:
        self._config = config
        self._folders = folders
        self._pages_of = lru_cache(_CACHED_INDEXES)(parse_document)
        self._index_text = lru_cache(_CACHED_INDEXES)(shown_index)
        self._cache: OrderedDict[tuple[object, ...], Injection] = OrderedDict()

    def of(self, window: Window, places: WindowPlaces) -> Injection:
        """Block for a turn of a window; checks the files' times, and reads changed files."""
        looks = [(place, self._folders.at(place).look()) for place in places.places]
        shows_local = self.shows_local(window)
        key = (shows_local, *((place, snapshot.version) for place, snapshot in looks))
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        injection = self._make(looks, shows_local=shows_local)
        self._cache[key] = injection
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return injection

    def shows_local(self, window: Window) -> bool:
        """True if a window shows the personal notes of its project."""
        where = self._config.local_notes
        return where == "channels" or (where == "cli" and window.surface is Surface.CLI)

    def _make(self, looks: Sequence[tuple[Place, Snapshot]], *, shows_local: bool) -> Injection:
        config, flaws = effective([snapshot for _, snapshot in looks])
        faults = [fault for _, snapshot in looks for fault in snapshot.faults]
        faults += [Fault(FaultKind.DENIED, scope, flaw) for scope, flaw in flaws]
        if not config.enabled:
            return Injection("", "disabled", faults=tuple(faults), reasons=("config.json says enabled: false",))
        parts = []
        for place, snapshot in looks:
            index = cap_index(_valid(snapshot.index), config.maxInjectLines, config.maxInjectBytes)
            local = _EMPTY
            if shows_local and place.scope is Scope.PROJECT:
                local = cap_index(_valid(snapshot.local), config.maxInjectLines, config.maxInjectBytes)
            parts.append(Part(place, snapshot, index, plain_index(index.data), plain_index(local.data)))
            if index.is_cut:
                faults.append(_capped_fault(place.scope, index))
        pages = [(each.place.scope, page) for each in parts for page in self._pages_of(each.capped.data).pages]
        parts, reasons, chosen = _resident(parts, pages, config, faults)
        memories = [
            ScopeBlock(
                each.place.scope,
                str(each.place.folder),
                each.place.may_write,
                self._index_text(each.text),
                self._index_text(each.local),
            )
            for each in parts
        ]
        counts = {each.place.scope.value: tokens(each.text + each.local) for each in parts}
        whole = block(memories, may_run=self._config.can_run)
        figures = {**counts, "budget": config.maxMemoryTokens, "block": tokens(whole), **chosen}
        return Injection(
            whole,
            "injected",
            tuple(parts),
            tuple(faults),
            tuple(reasons),
            figures,
            is_traced=config.traceEnabled,
            without_commands=block(memories, may_run=False),
            stores=(store(memories),),
        )


def _valid(data: bytes | None) -> bytes:
    """Prompt form of a file's bytes, before counting: replacement characters are longer than the invalid bytes."""
    return (data or b"").decode("utf-8", "replace").replace("\0", "\ufffd").encode()


def effective(snapshots: Sequence[Snapshot]) -> tuple[FolderConfig, list[tuple[str, str]]]:
    """Configuration merged from the folders' own files, the global file first; and the faults of the files."""
    config, flaws = FolderConfig(), list[tuple[str, str]]()
    for scope, snapshot in zip((Scope.GLOBAL, Scope.PROJECT), snapshots, strict=False):
        if snapshot.config is not None and snapshot.config.strip():
            config, wrong = merge_file(config, snapshot.config)
            flaws += [(scope.value, flaw) for flaw in wrong]
    return config, flaws


def _resident(
    parts: list[Part], pages: list[tuple[Scope, Page]], config: FolderConfig, faults: list[Fault]
) -> tuple[list[Part], list[str], dict[str, int]]:
    """Parts with the pages that fit into the budget, the reasons, and the number of pages by fidelity."""
    room = config.maxMemoryTokens - sum(tokens(each.local) for each in parts)
    states = [(each.place.scope, each.snapshot.table) for each in parts if each.snapshot.index is not None]
    for scope, state in states:
        if state is TableState.STALE:
            faults.append(
                Fault(FaultKind.STALE_TABLE, scope, "the page table is older than MEMORY.md; verify rebuilds it")
            )
        elif state is not TableState.OK:
            faults.append(Fault(FaultKind.INVALID_TABLE, scope, f"{_TABLES[state]}; verify makes it"))
    if not config.pageTableInjection:
        return parts, ["plain: config.json says pageTableInjection: false"], {}
    if any(state in (TableState.MISSING, TableState.INVALID) for _, state in states):
        chars = sum(len(page.raw) for _, page in pages)
        if chars > room * 4:
            faults.append(Fault(FaultKind.OVER_BUDGET, "", "no page table, so nothing is left out for the budget"))
        return parts, ["plain: no page table that can be read"], {}
    chosen = resident_set(pages, max(0, room))
    if not chosen.is_whole:
        faults.append(_over_budget(chosen, config))
    texts = [
        Part(each.place, each.snapshot, each.capped, chosen.index_text(each.place.scope), each.local) for each in parts
    ]
    return texts, ["all of it fits" if chosen.is_whole else "chosen within maxMemoryTokens"], chosen.counts()


def _capped_fault(scope: Scope, index: Capped) -> Fault:
    return Fault(
        FaultKind.CAPPED,
        scope,
        f"{len(index.data):,} of {index.total_bytes:,} bytes and {index.lines:,} of {index.total_lines:,} lines of "
        "MEMORY.md are injected; keep it an index and put detail into topic files",
    )


def _over_budget(chosen: ResidentSet, config: FolderConfig) -> Fault:
    counts = chosen.counts()
    return Fault(
        FaultKind.OVER_BUDGET,
        "",
        f"the indexes do not fit into {config.maxMemoryTokens:,} tokens: {counts['full']} pages are whole, "
        f"{counts['gist'] + counts['pointer']} in short, {counts['absent']} left out",
    )
