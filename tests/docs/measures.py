"""Measures of the prose: pronouns in docstrings by room, and pages as a whole.

`python -m tests.docs.measures` prints them for this tree, `python -m tests.docs.measures FOLDER` for another one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.docs.language import (
    BEGINNINGS,
    CODE,
    FOLDERS,
    INDEFINITE,
    PRONOUNS,
    SENTENCE_END,
    UNJUDGED_PAGES,
    WORD,
    docstrings_in,
)
from tests.docs.prose import GENERATED, ROOT, paragraphs

UNCOUNTED = UNJUDGED_PAGES | GENERATED | {"licences.md"}
"""Generated pages, and the history."""
DENSE = 0.3
"""Share of pronouns from which a sentence is dense."""
ADDRESS = re.compile(r"\b(you|your|yours)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of some prose."""

    words: int
    sentences: int
    pronouns: float
    """Share of the words."""
    dense: int
    """Sentences of five words or more of which at least `DENSE` are pronouns."""
    indefinite: int
    """Sentences with an indefinite pronoun for a person."""
    addressed: float
    """Share of the sentences that say "you"."""

    @property
    def mean(self) -> float:
        """Words a sentence."""
        return self.words / max(1, self.sentences)


def measure(texts: Iterable[str]) -> Measures:
    """Measures of texts together."""
    sentences = [each for text in texts for each in SENTENCE_END.split(CODE.sub("X", text)) if WORD.search(each)]
    words = [WORD.findall(each) for each in sentences]
    counts = [sum(word.lower() in PRONOUNS for word in each) for each in words]
    total = sum(map(len, words))
    return Measures(
        words=total,
        sentences=len(sentences),
        pronouns=sum(counts) / max(1, total),
        dense=sum(len(each) >= 5 and count / len(each) >= DENSE for each, count in zip(words, counts, strict=True)),
        indefinite=sum(bool(INDEFINITE.search(each)) for each in sentences),
        addressed=sum(bool(ADDRESS.search(each)) for each in sentences) / max(1, len(sentences)),
    )


@cache
def docstrings(folder: Path) -> tuple[str, ...]:
    """Docstrings of every module below a folder."""
    trees = (ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py")))
    return tuple(text for tree in trees for _, text in docstrings_in(tree))


def hand_written(root: Path) -> list[Path]:
    """Pages of a tree that people write."""
    return sorted(page for page in (*root.glob("*.md"), *(root / "docs").rglob("*.md")) if page.name not in UNCOUNTED)


def rows(root: Path) -> Iterator[str]:
    """Lines of the report."""
    yield f"{'docstrings':24}{'words':>8}{'pronouns':>10}{'dense':>7}{'somebody':>10}{'What/How':>10}"
    for room in FOLDERS:
        texts = docstrings(root / room)
        figures = measure(texts)
        first = (WORD.findall(text)[:1] for text in texts)
        begin = sum(words[0].lower() in BEGINNINGS for words in first if words)
        yield f"{room:24}{figures.words:8,}{figures.pronouns:10.1%}{figures.dense:7,}{figures.indefinite:10,}{begin:10,}"
    yield ""
    yield f"{'pages':24}{'words':>8}{'pronouns':>10}{'a sentence':>12}{'you':>7}{'somebody':>10}{'all words':>11}"
    total = 0
    every = list[str]()
    for page in hand_written(root):
        text = page.read_text("utf-8")
        prose = [" ".join(part for _, part in block) for block in paragraphs(text)]
        every += prose
        total += len(text.split())
        yield _page(page.relative_to(root).as_posix(), measure(prose), len(text.split()))
    yield _page("all", measure(every), total)


def _page(name: str, figures: Measures, whole: int) -> str:
    return (
        f"{name:24}{figures.words:8,}{figures.pronouns:10.1%}{figures.mean:12.1f}{figures.addressed:7.0%}"
        f"{figures.indefinite:10,}{whole:11,}"
    )


if __name__ == "__main__":
    sys.stdout.write("\n".join([*rows(Path(sys.argv[1]) if sys.argv[1:] else ROOT), ""]))
