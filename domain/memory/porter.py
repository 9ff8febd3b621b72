"""Porter's stemmer as in SQLite's FTS5, so a rule can name the terms in the index.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980). FTS5 leaves words of fewer than three
and of sixty-four or more bytes of UTF-8 unchanged; FTS5 treats every byte as a letter, and all but a, e,
i, o, u and some y as consonants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_MIN_BYTES = 3
_MAX_BYTES = 64
_SEQUENCES = re.compile(r"V+C+")

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "logi": "log",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou"),
    *("ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Index term of `word`, given in lower case."""
    data = word.encode("utf-8", "surrogatepass")
    if not _MIN_BYTES <= len(data) < _MAX_BYTES:
        return word
    term = _stem_word(data.decode("latin-1")).encode("latin-1")
    try:
        return term.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # half a letter was taken for one of two: then no question can name what FTS5 stores
        return word


def _stem_word(word: str) -> str:
    """Stem of `word`, with each byte of UTF-8 as a letter, as in FTS5."""
    word = _past(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_ending(word, _STEP_2)
    word = _replace_ending(word, _STEP_3)
    return _drop_last_letter(_strip_ending(word))


def _shape(word: str) -> str:
    """`word` as vowels V and consonants C, a letter each; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "C")
        shape += "V" if vowel else "C"
    return shape


def _measure(word: str) -> int:
    """Number of vowel sequences followed by a consonant sequence."""
    return len(_SEQUENCES.findall(_shape(word)))


def _has_vowel(word: str) -> bool:
    return "V" in _shape(word)


def _is_short(word: str) -> bool:
    """True if `word` ends consonant, vowel, consonant, and the last letter is not w, x or y."""
    return _shape(word)[-3:] == "CVC" and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if _longest(word, ("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if _longest(word, ("eed",)):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return _restore_ending(rest) if _has_vowel(rest) else word
    return word


def _restore_ending(rest: str) -> str:
    """Stem before `-ed` or `-ing`, with the ending hidden by the suffix."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-1:] == rest[-2:-1] and rest[-1] not in "aeioulsz":
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _is_short(rest) else rest


def _longest(word: str, suffixes: Iterable[str]) -> str:
    """Longest of `suffixes` at the end of `word`, shorter than `word`; empty without any."""
    return max((one for one in suffixes if word.endswith(one) and len(one) < len(word)), key=len, default="")


def _replace_ending(word: str, endings: dict[str, str]) -> str:
    suffix = _longest(word, endings)
    rest = word.removesuffix(suffix)
    return rest + endings[suffix] if suffix and _measure(rest) > 0 else word


def _strip_ending(word: str) -> str:
    suffix = _longest(word, _STEP_4)
    rest = word.removesuffix(suffix)
    if not suffix or _measure(rest) <= 1 or (suffix == "ion" and not rest.endswith(("s", "t"))):
        return word
    return rest


def _drop_last_letter(word: str) -> str:
    """`word` without a last e or the second of two l, where dispensable."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _is_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
