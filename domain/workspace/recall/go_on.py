"""Messages that only say that work goes on: "continue", "what's next?", "where were we?", in five languages."""

from __future__ import annotations

import re

from domain.workspace.recall import go_on_cjk, go_on_latin

LONGEST = 80
"""A message of more characters says more than that."""

_WORD = re.compile(r"\w+")
_LATIN = re.compile(f"\\b(?:{go_on_latin.CORES})(?!\\w)")
_COURTESY = re.compile(f"\\b(?:{go_on_latin.COURTESIES})\\b")
_NAMED = re.compile(r"^\W*[^\W\d]+\s?,\s*(?=\w)|(?<=\w)\s?,\s*[^\W\d]+\W*$")
"""A name between a comma and the beginning or the end."""
_SCRIPTS = (
    (("kana",), re.compile("[\u3040-\u30ff]")),
    (("hangul",), re.compile("[\uac00-\ud7a3]")),
    (("han", "kana"), re.compile("[\u3400-\u9fff]")),
)
"""Scripts by which each language is known; Japanese has words without a kana."""
_CORES = {script: re.compile(cores) for script, cores in go_on_cjk.CORES.items()}
_BETWEEN = {script: re.compile(fillers) for script, fillers in go_on_cjk.FILLERS.items()}
_BREAK = re.compile(r"[^\w\s]+")


def goes_on(message: str) -> bool:
    """True if `message` only says that work goes on.

    Args:
        message: In lower case, without accents on Latin letters.
    """
    if len(message) > LONGEST:
        return False
    scripts = next((names for names, pattern in _SCRIPTS if pattern.search(message)), ())
    if scripts:
        return any(_goes_on_in(script, message) for script in scripts)
    return _goes_on_plainly(message) or _goes_on_plainly(_NAMED.sub(" ", message))


def _goes_on_plainly(message: str) -> bool:
    said = _COURTESY.sub(" ", " ".join(message.replace(",", " ").split()))
    rest, count = _LATIN.subn(" ", " ".join(said.split()))
    return count > 0 and all(word in go_on_latin.FILLERS for word in _WORD.findall(rest))


def _goes_on_in(script: str, message: str) -> bool:
    """True if work goes on, in a script whose words are not parted, or parted freely."""
    foreign = [word for word in _WORD.findall(message) if word.isascii()]
    if not all(word in go_on_latin.FILLERS for word in foreign):
        return False
    said = _BREAK.sub(
        " ", "".join("" if each.isspace() or (each.isalnum() and each.isascii()) else each for each in message)
    )
    rest, count = _CORES[script].subn(" ", said)
    return count > 0 and not _BETWEEN[script].sub(" ", rest).strip()
