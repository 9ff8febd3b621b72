"""Wording of items: when two texts say the same, and two headings mean the same section."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.text.lookalike import normalize
from domain.text.presentable import without_hidden

_QUOTES = "\"'`*()[]{}\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f"
_ENDS = ".,;:!?\u2026\u3001\u3002\uff0c\uff01\uff1a\uff1b\uff1f"
_DASHES = frozenset(("-", "\u2013", "\u2014", "*", "\u2022"))
_EMPHASIS = re.compile(r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")


def same_words(text: str) -> str:
    """Comparison form of a text: ignores case, blanks, quotes, emphasis and punctuation.

    Signs that belong to a word or a number stay: `C++` is not `C#`, and -5 is not 5.
    """
    words = (_bare(word) for word in _EMPHASIS.sub("", normalize("NFC", without_hidden(text))).casefold().split())
    bare = " ".join(word for word in words if word and word not in _DASHES)
    return bare or " ".join(text.split())


def unique(texts: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """Texts without repetitions of an earlier text or of a text in `known`, compared by `same_words`."""
    met = {same_words(text) for text in known}
    distinct = []
    for text in texts:
        if (key := same_words(text)) not in met:
            met.add(key)
            distinct.append(text)
    return distinct


def title_key(title: str) -> str:
    """Comparison form of a heading: equal for headings of the same section."""
    return " ".join(normalize("NFC", title).casefold().strip(" :*_").split())


def _bare(word: str) -> str:
    """A word without surrounding punctuation, but for a sign at the beginning."""
    return word.lstrip(_QUOTES + "\u2026").rstrip(_QUOTES + _ENDS)
