"""Residency: choice and fidelity of pages within a prompt's budget; the same pages give the same choice.

Pages are admitted in a fixed order: the project's before the global pages, as nearer to the matter; in each
scope pointers first, since pointers cost little and lead to the rest, then headings, then facts; in each kind in file
order. A first round admits each fitting page at least fidelity; a second round shows in full each page that still fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.curated.page import MINIMUM, Fidelity, Page, PageKind, Scope
from domain.memory.injection import CHARS_PER_TOKEN

_ORDER = (PageKind.POINTER, PageKind.SECTION, PageKind.FACT)
_SCOPES = (Scope.PROJECT, Scope.GLOBAL)


@dataclass(frozen=True, slots=True)
class Resident:
    """One page's place in a prompt."""

    scope: Scope
    page: Page
    fidelity: Fidelity

    @property
    def text(self) -> str:
        """Text of the page in the prompt."""
        match self.fidelity:
            case Fidelity.FULL:
                return self.page.raw
            case Fidelity.GIST | Fidelity.POINTER:
                return f"{self.page.gist}\n"
            case _:
                return ""


@dataclass(frozen=True, slots=True)
class ResidentSet:
    """Every page with a fidelity, in the order of the files."""

    residents: tuple[Resident, ...]
    tokens: int
    """Tokens of all shown text."""

    @property
    def is_whole(self) -> bool:
        """True if no page is left out or shortened."""
        return all(each.fidelity is Fidelity.FULL for each in self.residents)

    def index_text(self, scope: Scope) -> str:
        """Index of one scope as shown in the prompt."""
        return "".join(each.text for each in self.residents if each.scope is scope)

    def counts(self) -> dict[str, int]:
        """Fidelity -> number of pages."""
        return {each.value: sum(one.fidelity is each for one in self.residents) for each in Fidelity}


def resident_set(pages: Sequence[tuple[Scope, Page]], max_tokens: int) -> ResidentSet:
    """The pages' fidelities within a budget.

    Args:
        pages: In the order of the files.
        max_tokens: Of all that is shown, four characters to a token.
    """
    room = max_tokens * CHARS_PER_TOKEN
    if sum(len(page.raw) for _, page in pages) <= room:
        whole = tuple(Resident(scope, page, Fidelity.FULL) for scope, page in pages)
        return _set_of(whole)
    chosen = [Resident(scope, page, Fidelity.ABSENT) for scope, page in pages]
    order = sorted(range(len(pages)), key=lambda n: (_SCOPES.index(pages[n][0]), _ORDER.index(pages[n][1].kind), n))
    for best in (False, True):
        for number in order:
            now = chosen[number]
            if best and now.fidelity is Fidelity.ABSENT:
                continue
            better = Resident(now.scope, now.page, Fidelity.FULL if best else MINIMUM[now.page.kind])
            cost = len(better.text) - len(now.text)
            if cost <= room:
                chosen[number], room = better, room - cost
    return _set_of(tuple(chosen))


def _set_of(residents: tuple[Resident, ...]) -> ResidentSet:
    chars = sum(len(each.text) for each in residents)
    return ResidentSet(residents, -(-chars // CHARS_PER_TOKEN))
