"""Suggestions: facts without a recent confirmation. No fact is ever removed for its age."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from domain.curated.document import Document
from domain.curated.page import Page


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One fact to check again."""

    page: Page
    age_days: int


def stale(document: Document, today: date, after_days: int) -> tuple[Suggestion, ...]:
    """Facts with a confirmation longer ago, the oldest first; facts without a date are left out."""
    suggestions = []
    for page in document.facts:
        try:
            confirmed = date.fromisoformat(page.confirmed)
        except ValueError:
            continue
        age = (today - confirmed).days
        if age > after_days:
            suggestions.append(Suggestion(page, age))
    return tuple(sorted(suggestions, key=lambda each: -each.age_days))


def undated_count(document: Document) -> int:
    """Number of facts without a date."""
    return sum(not page.confirmed for page in document.facts)
